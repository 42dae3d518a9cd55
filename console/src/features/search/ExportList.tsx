import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { saveAnswer, savesAsItArrives } from '../../ui/saveAnswer.ts'
import { text } from './messages.ts'

/** Saves the list of all that a search finds, in a bucket or in all of them. */
export function ExportList({ q, bucket, prefix = '' }: { q: string; bucket?: string; prefix?: string }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: 'csv' | 'ndjson') => {
    const query = { q, format, ...(bucket !== undefined && { bucket }), ...(prefix !== '' && { prefix }) }
    setBusy(true)
    try {
      const saved = await saveAnswer(`${bucket ?? 'objects'}.${format}`, () => client.exportSearch({ query }))
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
        <Button variant="subtle" leftSection={<IconDownload size={15} />} loading={busy}>
          {text.exportList}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{savesAsItArrives() ? text.exportStreams : text.exportHolds}</Menu.Label>
        <Menu.Item onClick={() => void save('csv')}>{text.csv}</Menu.Item>
        <Menu.Item onClick={() => void save('ndjson')}>{text.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
