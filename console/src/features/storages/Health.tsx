import './storages.css'
import { useQuery } from '@tanstack/react-query'
import type { Storage } from '../../../../contract/storages.ts'
import { describeProblem } from '../../api/problem.ts'
import { Status } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { healthQuery } from './queries.ts'

/** Whether a storage answers, and otherwise why not. */
export function Health({ storage: { name, enabled } }: { storage: Pick<Storage, 'name' | 'enabled'> }) {
  const { data, error } = useQuery({ ...healthQuery(name), enabled })
  if (!enabled) return <Status tone="idle">{text.off}</Status>
  if (data?.ok)
    return (
      <span title={text.reachedIn(data.latency_ms)}>
        <Status tone="ok">{text.reachable}</Status>
      </span>
    )
  if (!data && !error) return <span className="dim">{text.checking}</span>
  return (
    <span className="storages-health">
      <Status tone="bad">{text.unreachable}</Status>
      <span className="small">{data ? data.detail : describeProblem(error).detail}</span>
    </span>
  )
}
