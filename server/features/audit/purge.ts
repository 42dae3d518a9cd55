import { setImmediate as nextTurn } from 'node:timers/promises'
import { settingsInForce } from '../../access/settings/effective.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import * as chain from './chain.ts'
import { hashLink, hashRow } from './hashes.ts'
import { isShorter, recordedRetention } from './retention.ts'
import { holdHead, writeHead } from './seal.ts'

/** Records per transaction: deleting 500 keeps SQLite busy for about 30 ms. */
const BATCH = 500
/** Records younger than this are never purged, whatever the settings say. */
const LEAST_DAYS = 1

/**
 * Purges the oldest links and their records once `audit.retention_days` have passed. The anchor keeps the last purged
 * link's number and hash, from which the chain can still be verified. Unsealed records are never purged.
 */
export const auditPurger = {
  name: 'audit-retention',
  every: 600_000,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    const days = await daysKept(ctx)
    while (!ctx.stopping.aborted && days > 0 && (await purgeBatch(ctx, days))) await nextTurn()
  },
}

/**
 * How many days records are kept; 0 means forever. The settings alone do not decide: anyone able to write to the
 * database could have the service delete the records of their own actions. A retention shorter than the log records is
 * ignored.
 */
async function daysKept(ctx: Ctx): Promise<number> {
  const { retention_days: asked } = (await settingsInForce(ctx)).audit
  const recorded = await recordedRetention(ctx.db, ctx.config)
  if (recorded === undefined || !isShorter(asked, recorded)) return asked
  ctx.log.error(
    { asked, recorded },
    'audit.retention_days was shortened without an audit record; keeping the recorded value',
  )
  return recorded
}

/** Purges one batch in one action; false when there is nothing left to purge. */
async function purgeBatch(ctx: Ctx, days: number): Promise<boolean> {
  const before = new Date(ctx.now().getTime() - Math.max(days, LEAST_DAYS) * DAY_MS).toISOString()
  const head = await chain.findHead(ctx.db)
  const [oldest] = head ? await chain.listLinks(ctx.db, head.anchor_seq + 1, head.seq, 1) : []
  if (!oldest || !isOver(oldest, before)) return false
  return ctx.act(async (step) => {
    const { tx } = step
    const held = await holdHead(step, chain.waitForHead)
    if (!held) return step.nothing(false)
    const links = await chain.listLinks(tx, held.anchor_seq + 1, held.seq, BATCH)
    const kept = links.findIndex((link) => !isOver(link, before))
    const reached = kept === -1 ? links : links.slice(0, kept)
    const over = reached.slice(0, reached.findLastIndex(({ time }) => time !== null) + 1)
    const first = over[0]
    const last = over.at(-1)
    if (!first || !last) return step.nothing(false)
    // Tampered records are purged too; the purge record, which is sealed in turn, says that there were some.
    const faults = findFaults(held.anchor_hash, held.anchor_seq, over)
    await writeHead(step, { ...held, anchor_seq: last.seq, anchor_hash: last.chain_hash })
    await chain.deleteLinks(
      tx,
      last.seq,
      over.map(({ audit_id }) => audit_id),
    )
    step.record({
      name: 'audit_purge',
      details: {
        first_seq: held.anchor_seq + 1,
        last_seq: last.seq,
        records: over.length,
        before,
        retention_days: days,
        chain_hash: last.chain_hash,
        faults: faults.length,
        ...(faults[0] ? { first_fault: faults[0] } : {}),
      },
    })
    return kept === -1 && links.length === BATCH
  })
}

/** A link without its record has no time: it goes with a later one that has a time. */
const isOver = ({ time }: chain.LinkedRecord, before: string): boolean => time === null || time < before

function findFaults(anchorHash: string, anchorSeq: number, links: readonly chain.LinkedRecord[]) {
  let previous = anchorHash
  let expected = anchorSeq
  return links.flatMap((link) => {
    const fits =
      link.seq === ++expected &&
      link.id !== null &&
      hashRow(link as Row<'audit'>) === link.row_hash &&
      hashLink(previous, link.row_hash) === link.chain_hash
    previous = link.chain_hash
    expected = link.seq
    return fits ? [] : [{ seq: link.seq, audit_id: link.audit_id }]
  })
}
