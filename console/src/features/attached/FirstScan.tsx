import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Scan } from '../../../../contract/scans.ts'
import { isActive, latestScansQuery } from '../../api/scans.ts'
import { Link } from '../../navigation/Link.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'
import { Progress } from './Progress.tsx'
import { useScanEnd } from './useScanEnd.ts'

/** The first scan of a bucket that was just attached. It can be used meanwhile. */
export function FirstScan({ bucket }: { bucket: string }) {
  const scans = useQuery(latestScansQuery(bucket))
  useScanEnd(bucket, scans.data)
  return (
    <section className="card stack step-card" tabIndex={-1} aria-labelledby="attach-scan">
      <h2 id="attach-scan">{text.scanTitle(bucket)}</h2>
      <StateView query={scans}>
        {({ latest }) => (latest ? <State scan={latest} /> : <p>{text.scanWaits}</p>)}
      </StateView>
      <div className="dialog-actions">
        <Button variant="default" component={Link} to={`/b/${bucket}/scans`}>
          {text.scans}
        </Button>
        <Button component={Link} to={`/b/${bucket}`}>
          {text.browse}
        </Button>
      </div>
    </section>
  )
}

function State({ scan }: { scan: Scan }) {
  if (isActive(scan))
    return (
      <>
        <p>{scan.status === 'queued' ? text.scanWaits : text.scanRuns}</p>
        <Progress scan={scan} />
      </>
    )
  if (scan.status === 'succeeded') return <p className="ok">{text.scanEnds(scan.seen - scan.refused)}</p>
  return (
    <p className="warn">
      {text.scanHeld} {scan.detail}
    </p>
  )
}
