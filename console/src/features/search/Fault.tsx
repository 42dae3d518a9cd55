import './search.css'
import type { QueryFault } from '../../../../contract/query.ts'
import { legible } from '../../keys.ts'
import { text } from './messages.ts'

/** How much of a query is shown on each side of the place that is not understood. */
const AROUND = 16

/** A part of a query, of which blanks at the ends are nothing special. */
const shown = (part: string): string => legible(`.${part}.`).slice(1, -1)

/** What of a query is not understood, where that is, and a button that puts in its place what could be meant. */
export default function Fault({
  query,
  fault: { position, length, suggestion },
  onRepair,
}: {
  query: string
  fault: QueryFault
  onRepair: (query: string) => void
}) {
  const [before, part, after] = [
    query.slice(0, position),
    query.slice(position, position + length),
    query.slice(position + length),
  ]
  return (
    <>
      {text.notUnderstood(legible(part || query))}{' '}
      {suggestion === null ? null : (
        <button type="button" className="search-repair" onClick={() => onRepair(before + suggestion + after)}>
          {text.searchInstead(legible(suggestion))}
        </button>
      )}
      {part === '' || part === query ? null : (
        <span className="search-fault">
          <bdi>
            {before.length > AROUND ? '…' : ''}
            {shown(before.slice(-AROUND))}
            <mark>{shown(part)}</mark>
            {shown(after.slice(0, AROUND))}
            {after.length > AROUND ? '…' : ''}
          </bdi>
        </span>
      )}
    </>
  )
}
