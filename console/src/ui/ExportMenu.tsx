import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { notify } from './notify.tsx'
import { saveAnswer, savesAsItArrives } from './saveAnswer.ts'

type Format = 'csv' | 'ndjson'

/** Says what is exported, and how it is kept until it is whole. */
interface Texts {
  label: string
  /** Where the browser writes it as it arrives, and where it keeps it in memory. */
  streams: string
  holds: string
  csv: string
  ndjson: string
  exported(name: string): string
}

/** Saves a list as a file of one of two formats: streamed where the browser supports it, otherwise collected first. */
export function ExportMenu({
  texts: { label, streams, holds, csv, ndjson, exported },
  variant,
  name,
  ask,
}: {
  texts: Texts
  variant: 'default' | 'subtle'
  /** Of the file, without its ending. */
  name: string
  ask: (format: Format) => Promise<Response>
}) {
  const [busy, setBusy] = useState(false)
  const save = async (format: Format) => {
    setBusy(true)
    try {
      const saved = await saveAnswer(`${name}.${format}`, () => ask(format))
      if (saved !== undefined) notify.ok(exported(saved))
    } catch (error) {
      notify.problem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button variant={variant} leftSection={<IconDownload size={15} />} loading={busy}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{savesAsItArrives() ? streams : holds}</Menu.Label>
        <Menu.Item onClick={() => void save('csv')}>{csv}</Menu.Item>
        <Menu.Item onClick={() => void save('ndjson')}>{ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
