import { Button } from '@mantine/core'
import { IconRadar2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api/queries.ts'
import { latestScansQuery } from '../../api/scans.ts'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { scanText as text } from './messages.ts'

/** Starts a scan, unless one is queued or running. */
export function ScanNow({ bucket }: { bucket: string }) {
  const { data } = useQuery(latestScansQuery(bucket))
  const [starting, setStarting] = useState(false)
  const start = async () => {
    setStarting(true)
    try {
      await client.startScan({ params: { bucket } })
      notify.ok(text.started)
    } catch (error) {
      notify.problem(error)
    }
    await queries.invalidateQueries({ queryKey: ['scans', bucket] })
    setStarting(false)
  }
  return (
    <Button
      leftSection={<IconRadar2 size={15} />}
      loading={starting}
      disabled={!data || data.active !== undefined}
      onClick={() => void start()}
    >
      {text.scanNow}
    </Button>
  )
}
