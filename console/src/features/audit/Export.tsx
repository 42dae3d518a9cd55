import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { saveFile } from '../../ui/save.ts'
import type { AuditQuery } from './filters.ts'
import { text } from './messages.ts'

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
/** Lets a page write into a file that somebody chose; browsers have it or not, and only on secure pages. */
const picker = (): Picker | undefined => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker

const isRefusal = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Everything that matches as a file: streamed into it where the browser can, else gathered first. */
export function Export({ query }: { query: AuditQuery }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: 'csv' | 'ndjson') => {
    const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`
    const pick = picker()
    setBusy(true)
    try {
      // The browser lets it be chosen only right after the click.
      const file = await pick?.call(globalThis, { suggestedName: name })
      const answer = await client.exportAudit({ query: { ...query, format } })
      if (file && answer.body) await answer.body.pipeTo(await file.createWritable())
      else saveFile(name, await answer.blob())
      notify.ok(text.exported(file?.name ?? name))
    } catch (error) {
      if (!isRefusal(error)) notify.problem(error)
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
        <Menu.Label>{picker() ? text.streams : text.holds}</Menu.Label>
        <Menu.Item onClick={() => void save('csv')}>{text.csv}</Menu.Item>
        <Menu.Item onClick={() => void save('ndjson')}>{text.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
