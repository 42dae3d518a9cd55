import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { saveFile } from '../../ui/save.ts'
import type { AuditQuery } from './filters.ts'
import { text } from './messages.ts'

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
/** Writes into a file that the user chose. Only some browsers have it, and only in secure contexts. */
const picker = (): Picker | undefined => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker

const isRefusal = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Exports all matching records to a file: streamed where the browser supports it, otherwise collected first. */
export function Export({ query }: { query: AuditQuery }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: 'csv' | 'ndjson') => {
    const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`
    const pick = picker()
    setBusy(true)
    try {
      // Browsers show the file picker only right after a click.
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
