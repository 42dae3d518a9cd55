import './attached.css'
import type { Scan } from '../../../../contract/scans.ts'
import { resultOf } from './describe.ts'
import { scanText as text } from './messages.ts'

/** How far a scan is. How many objects there are is not known beforehand, so the bar has no end. */
export function Progress({ scan, takenOverAt = null }: { scan: Scan; takenOverAt?: string | null }) {
  const { status, phase, absent, position } = scan
  return (
    <div className="scans-progress">
      <p role="status">
        {phase === 'reading' && status === 'running' ? text.reading : resultOf(scan, takenOverAt)}
        {phase === 'marking' ? ` · ${text.marking(absent)}` : null}
      </p>
      <span
        className="meter scans-meter"
        role="progressbar"
        aria-label={text.progress}
        data-running={status === 'running' || undefined}
      >
        <span />
      </span>
      <p className="dim small scans-at">
        {position === null ? (
          '\u00a0'
        ) : (
          <>
            {text.at} <bdi className="mono">{position}</bdi>
          </>
        )}
      </p>
    </div>
  )
}
