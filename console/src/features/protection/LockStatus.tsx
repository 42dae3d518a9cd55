import type { Lock } from '../../../../contract/locks.ts'
import { formatTime } from '../../i18n.ts'
import { Status } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { isLocked } from './period.ts'

/** Whether a version is locked, until when, and who can remove it all the same. */
export function LockStatus({ lock, explain = false }: { lock: Lock | undefined; explain?: boolean }) {
  if (!lock) return null
  const { mode, until, legal_hold } = lock
  return (
    <>
      {isLocked(lock) ? <Status tone="ok">{text.lockedUntil(formatTime(until ?? ''))}</Status> : null}
      {isLocked(lock) && explain ? (
        <span className="dim">{mode === 'compliance' ? text.compliance : text.governance}</span>
      ) : null}
      {explain && until !== null && !isLocked(lock) ? (
        <span className="dim">{text.lockEnded(formatTime(until))}</span>
      ) : null}
      {legal_hold ? <Status tone="ok">{text.onHold}</Status> : null}
      {legal_hold && explain ? <span className="dim">{text.heldHint}</span> : null}
    </>
  )
}
