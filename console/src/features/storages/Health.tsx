import './storages.css'
import { useQuery } from '@tanstack/react-query'
import type { Storage, StorageHealth } from '../../../../contract/storages.ts'
import { describeProblem } from '../../api/problem.ts'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { healthQuery } from './queries.ts'
import { type StorageState, stateOf } from './state.ts'

const tones: Readonly<Record<StorageState, Tone>> = { reachable: 'ok', slow: 'warn', unreachable: 'bad' }

/** Whether a storage answers and since when, and otherwise why not. */
export function Health({ storage: { name, enabled } }: { storage: Pick<Storage, 'name' | 'enabled'> }) {
  const { data, error } = useQuery({ ...healthQuery(name), enabled })
  if (!enabled) return <Status tone="idle">{text.off}</Status>
  if (data) return <Found health={data} />
  if (!error) return <span className="dim">{text.checking}</span>
  return (
    <span className="storages-health">
      <Status tone="bad">{text.unreachable}</Status>
      <span className="small">{describeProblem(error).detail}</span>
    </span>
  )
}

function Found({ health }: { health: StorageHealth }) {
  const state = stateOf(health)
  return (
    <span className="storages-health">
      <span title={health.ok ? text.reachedIn(health.latency_ms) : undefined}>
        <Status tone={tones[state]}>{text[state]}</Status>
      </span>
      {state === 'slow' ? <span className="small">{text.reachedIn(health.latency_ms)}</span> : null}
      {health.ok ? null : (
        <>
          <span className="small">{health.detail}</span>
          <span className="small dim">
            {text.noticed} <TimeAgo time={health.since} />
          </span>
        </>
      )}
    </span>
  )
}
