import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { saveAnswer, savesAsItArrives } from '../../ui/saveAnswer.ts'
import type { AuditQuery } from './filters.ts'
import { text } from './messages.ts'

/** Exports all matching records to a file: streamed where the browser supports it, otherwise collected first. */
export function Export({ query }: { query: AuditQuery }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: 'csv' | 'ndjson') => {
    const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`
    setBusy(true)
    try {
      const saved = await saveAnswer(name, () => client.exportAudit({ query: { ...query, format } }))
      if (saved !== undefined) notify.ok(text.exported(saved))
    } catch (error) {
      notify.problem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={15} />} loading={busy}>
          {text.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{savesAsItArrives() ? text.streams : text.holds}</Menu.Label>
        <Menu.Item onClick={() => void save('csv')}>{text.csv}</Menu.Item>
        <Menu.Item onClick={() => void save('ndjson')}>{text.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
