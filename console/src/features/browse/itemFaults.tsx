import { legible } from '../../keys.ts'
import { notify } from '../../ui/notify.tsx'
import { text } from './messages.ts'

const NAMED = 5

/** Why something was not done to one of many objects. */
export interface ItemFault {
  key: string
  detail: string
}

/** Names what failed, if anything did. */
export function tellFaults(faults: readonly ItemFault[]): void {
  if (faults.length === 0) return
  const lines = faults.slice(0, NAMED).map(({ key, detail }) => `${legible(key)}: ${detail}`)
  notify.failure(
    text.someFailed(faults.length),
    <span className="browse-lines">{text.someFailedList(lines, faults.length - lines.length)}</span>,
  )
}
