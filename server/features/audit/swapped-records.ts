// Tells two swapped records from two altered ones, when the audit log is verified.
import type { AuditFault } from '../../../contract/audit.ts'
import type { Row } from '../../db/schema.ts'
import { hashLink, hashRow } from './hashes.ts'

/** What is known about a fault beyond its report: used to find out which two records were swapped. */
export interface Evidence {
  fault: AuditFault
  record?: Row<'audit'>
  link?: { row_hash: string; chain_hash: string }
  /** The hash of the previous link. */
  previous?: string
}

/** Marks pairs of faults that mirror each other: their records, or their links, were swapped. */
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
        Object.assign(one.fault, { kind: 'swapped', message: `The record was swapped with number ${other.fault.seq}.` })
    }
}
