import { Alert, Modal, Progress } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { AuditFault } from '../../../../contract/audit.ts'
import { client } from '../../api/session.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { text } from './messages.ts'

/** How long one request runs: short enough to show progress. */
const SECONDS = 5
const SHOWN = 20

interface Outcome {
  checked: number
  checkpoints: number
  pending: number
  faultCount: number
  faults: AuditFault[]
  removedTo: number | null
  progress: number
  complete: boolean
}
const none: Outcome = {
  checked: 0,
  checkpoints: 0,
  pending: 0,
  faultCount: 0,
  faults: [],
  removedTo: null,
  progress: 0,
  complete: false,
}

/** Has the server verify the whole log in parts, and shows the result. */
export function Verify({ onClose }: { onClose: () => void }) {
  const [outcome, setOutcome] = useState(none)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const ended = new AbortController()
    const look = async () => {
      let from: number | null = null
      let sum = none
      do {
        const query: { seconds: number; from?: number } = { seconds: SECONDS, ...(from === null ? {} : { from }) }
        const part = await client.verifyAudit({ query, signal: ended.signal })
        const first = part.anchor?.seq ?? 0
        const last = part.head?.seq ?? part.last_seq
        sum = {
          checked: sum.checked + part.checked,
          checkpoints: sum.checkpoints + part.checkpoints,
          pending: part.pending,
          faultCount: sum.faultCount + part.fault_count,
          faults: [...sum.faults, ...part.faults].slice(0, SHOWN),
          removedTo: part.anchor?.seq ?? null,
          progress: last > first ? ((part.last_seq - first) / (last - first)) * 100 : 100,
          complete: part.complete,
        }
        setOutcome(sum)
        from = part.next_seq
      } while (from !== null && !ended.signal.aborted)
    }
    look().catch((problem: unknown) => {
      if (!ended.signal.aborted) setError(problem)
    })
    return () => ended.abort()
  }, [])
  return (
    <Modal opened onClose={onClose} title={text.verifyTitle} size="lg">
      {error === undefined ? <Words outcome={outcome} /> : <ProblemView error={error} />}
    </Modal>
  )
}

function Words({ outcome }: { outcome: Outcome }) {
  const { checked, checkpoints, pending, faultCount, faults, removedTo, progress, complete } = outcome
  return (
    <div className="stack" aria-live="polite">
      {complete ? null : (
        <>
          <p>{text.verifying(checked)}</p>
          <Progress value={progress} aria-label={text.verifyTitle} />
        </>
      )}
      {complete && faultCount === 0 ? (
        <Alert className="audit-whole-log" title={checked === 0 ? undefined : text.whole}>
          {checked === 0 ? text.nothing : text.wholeText(checked, checkpoints)}
        </Alert>
      ) : null}
      {faultCount > 0 ? (
        <Alert className="alert-bad" title={text.broken(faultCount)} role="alert">
          {text.brokenText(checked)}
        </Alert>
      ) : null}
      {faults.length > 0 ? (
        <ul className="audit-faults" aria-label={text.faults}>
          {faults.map((fault) => (
            <li key={`${fault.kind} ${fault.seq} ${fault.audit_id} ${fault.message}`}>
              <strong>{text[fault.kind]}</strong>
              <span>{fault.message}</span>
              <span className="dim small mono">
                {[fault.seq === null ? '' : text.link_at(fault.seq), fault.audit_id ?? ''].filter(Boolean).join(' · ')}
              </span>
            </li>
          ))}
          {faultCount > faults.length ? <li className="dim">{text.more(faultCount - faults.length)}</li> : null}
        </ul>
      ) : null}
      {complete && pending > 0 ? <p className="dim">{text.pending(pending)}</p> : null}
      {complete && removedTo !== null ? <p className="dim">{text.removed(removedTo)}</p> : null}
    </div>
  )
}
