import type { AuditFault } from '../../../contract/audit.ts'
import type { Row } from '../../db/schema.ts'
import { hashLink, hashRow } from './hashes.ts'

/** What is known of a fault besides what is told: to find out which two records have changed places. */
export interface Evidence {
  fault: AuditFault
  record?: Row<'audit'>
  link?: { row_hash: string; chain_hash: string }
  /** The hash that the link before had. */
  previous?: string
}

/** Tells of two faults that are each other's mirror that their records, or their links, have changed places. */
export function markSwapped(found: readonly Evidence[]): void {
  const fits = (a: Evidence, b: Evidence): boolean => {
    if (!a.record || !b.record || !a.link || !b.link || a.previous === undefined) return false
    if (hashRow({ ...a.record, id: b.record.id }) === b.link.row_hash) return true
    const moved = hashLink(a.previous, b.link.row_hash)
    return a.fault.kind === 'forged' && (moved === a.link.chain_hash || moved === b.link.chain_hash)
  }
  const suspects = found.filter(({ fault }) => fault.kind === 'edited' || fault.kind === 'forged')
  for (const a of suspects)
    for (const b of suspects) {
      if (a === b || !fits(a, b)) continue
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const)
        Object.assign(one.fault, { kind: 'swapped', message: `It has changed places with number ${other.fault.seq}.` })
    }
}
