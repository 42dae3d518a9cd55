import fs from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditFault, AuditVerification } from '../../../contract/audit.ts'
import { defaultRetentionDays } from '../../access/settings/effective.ts'
import type { Ctx } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import * as chain from './chain.ts'
import { checkpointText, GENESIS, hashCheckpoint, hashLink, hashRow, readCheckpoint } from './hashes.ts'
import { type AuditKeys, isMac, openKeys } from './keys.ts'
import { earlyPurge, retentionOf, unrecordedRetention } from './retention.ts'
import { isOurs } from './seal.ts'
import { type Evidence, markSwapped } from './swapped-records.ts'

/** Records per turn: 500 keep the process busy for about 10 ms. */
const BATCH = 500
const MOST_FAULTS = 100

interface Bounds {
  /** The first link to check; default: the first there is. */
  from?: number | undefined
  /** Time limit in milliseconds. */
  most: number
  /** Lines of a checkpoint file. */
  checkpoints: readonly string[]
}

/** Verifies with the checkpoint file this service is configured with. */
export async function verifyThere(ctx: Ctx, from: number | undefined, seconds: number): Promise<AuditVerification> {
  const file = ctx.config.auditCheckpointFile
  const checkpoints = file === null ? [] : await readLines(file)
  return verifyChain(ctx, { from, most: seconds * 1000, checkpoints })
}

/** A file's lines; none if it does not exist yet. */
export async function readLines(file: string): Promise<string[]> {
  try {
    return (await fs.readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Recomputes and compares every hash, MAC and signature. Read-only; yields to other work. */
export async function verifyChain(ctx: Ctx, { from, most, checkpoints }: Bounds): Promise<AuditVerification> {
  const until = performance.now() + most
  const head = await chain.findHead(ctx.db)
  const keys = await openKeys(ctx.db, ctx.config)
  const found: Evidence[] = []
  let faults = 0
  const report = (kind: AuditFault['kind'], seq: number | null, message: string, more: Partial<Evidence> = {}) => {
    faults++
    const fault = { kind, seq, audit_id: more.record?.id ?? more.fault?.audit_id ?? null, message }
    if (found.length < MOST_FAULTS) found.push({ ...more, fault })
  }
  const state = { ctx, keys, report, until, first: Math.max(from ?? 0, (head?.anchor_seq ?? 0) + 1) }

  const end = head?.seq ?? (await chain.findLastLink(ctx.db))?.seq ?? 0
  const walked = await walk(state, end)
  let checked = 0
  let pending = 0
  checked += await checkCheckpoints(state, walked.reached, walked.complete)
  if (walked.complete) {
    await checkEnd(state)
    checked += await checkFile(state, checkpoints)
    pending = await checkLoose(state)
    const unrecorded = await unrecordedRetention(ctx)
    if (unrecorded) report('retention', null, unrecorded)
  }
  markSwapped(found)
  const all = found.map(({ fault }) => fault).sort((a, b) => (a.seq ?? Infinity) - (b.seq ?? Infinity))
  const now = await chain.findHead(ctx.db)
  return {
    ok: faults === 0,
    complete: walked.complete,
    first_seq: state.first,
    last_seq: walked.reached,
    next_seq: walked.complete ? null : walked.reached + 1,
    checked: walked.checked,
    checkpoints: checked,
    pending,
    anchor: now && now.anchor_seq > 0 ? { seq: now.anchor_seq, chain_hash: now.anchor_hash } : null,
    head: head ? { seq: head.seq, chain_hash: head.chain_hash } : null,
    fault_count: faults,
    first_fault: all[0] ?? null,
    faults: all,
    keys: [...keys.values()].map(({ id, publicKey }) => ({ id, public_key: publicKey })),
  }
}

interface State {
  ctx: Ctx
  keys: AuditKeys
  report(kind: AuditFault['kind'], seq: number | null, message: string, more?: Partial<Evidence>): void
  until: number
  /** The first link to check: moves forward when retention purges links meanwhile. */
  first: number
}

/** Follows the links up to `end`. */
async function walk(state: State, end: number) {
  const { ctx, keys, report } = state
  let expected = state.first
  let previous = await hashBefore(ctx, expected)
  let checked = 0
  let late = false
  let kept = expected === 1 ? defaultRetentionDays : undefined
  while (expected <= end && !late) {
    const page = await chain.listLinks(ctx.db, expected, end, BATCH)
    if (page[0]?.seq !== expected) {
      const anchor = await chain.findHead(ctx.db)
      if (anchor && anchor.anchor_seq >= expected) {
        // Retention purged these links meanwhile.
        expected = anchor.anchor_seq + 1
        previous = anchor.anchor_hash
        if (checked === 0) state.first = expected
        continue
      }
    }
    // Links missing at the end are reported by the checks of the head and the checkpoints.
    if (page.length === 0) break
    for (const link of page) {
      const { seq, audit_id, row_hash, chain_hash } = link
      if (seq !== expected) report('gap', expected, `Links ${expected} to ${seq - 1} are missing.`)
      else {
        const record = link as Row<'audit'>
        const evidence = { record, link: { row_hash, chain_hash }, previous }
        const genuine = link.id !== null && isMac(keys, hashRow(record), record.mac)
        if (link.id === null)
          report('missing', seq, `The record ${audit_id} is missing.`, { fault: { audit_id } as AuditFault })
        else if (hashRow(record) !== row_hash)
          report(
            genuine ? 'swapped' : 'edited',
            seq,
            genuine ? "A genuine record is in another record's place." : 'The record was changed after it was sealed.',
            evidence,
          )
        else if (hashLink(previous, row_hash) !== chain_hash)
          report('forged', seq, 'The link does not follow from the previous one.', evidence)
        else if (!genuine) report('forged', seq, 'The record was not written by this service.', evidence)
        else {
          const early = earlyPurge(record, kept)
          if (early) report('retention', seq, early, { record })
          kept = retentionOf(record) ?? kept
        }
        checked++
      }
      previous = chain_hash
      expected = seq + 1
    }
    late = performance.now() > state.until
    await nextTurn()
  }
  return { reached: expected - 1, complete: !late || expected > end, checked }
}

/** The hash that link `seq` follows. */
async function hashBefore(ctx: Ctx, seq: number): Promise<string> {
  const head = await chain.findHead(ctx.db)
  if (seq - 1 === (head?.anchor_seq ?? 0)) return head?.anchor_hash ?? GENESIS
  return (await chain.findLink(ctx.db, seq - 1))?.chain_hash ?? GENESIS
}

function isSigned(keys: AuditKeys, checkpoint: chain.CheckpointRow): boolean {
  return keys.get(checkpoint.key_id)?.isSignature(checkpointText(checkpoint), checkpoint.signature) ?? false
}

/** Checks the checkpoints of the links walked: signed by us, consecutive, and of this chain. Returns how many. */
async function checkCheckpoints(state: State, reached: number, complete: boolean): Promise<number> {
  const { ctx, keys, report } = state
  const head = await chain.findHead(ctx.db)
  const anchor = head?.anchor_seq ?? 0
  const first = state.first === anchor + 1 ? 0 : state.first
  let before: chain.CheckpointRow | undefined
  let count = 0
  let page: Awaited<ReturnType<typeof chain.listCheckpoints>>
  do {
    const last = complete ? Number.MAX_SAFE_INTEGER : reached
    page = await chain.listCheckpoints(ctx.db, { after: before?.n ?? 0, from: first, to: last }, BATCH)
    for (const { linked, ...one } of page) {
      before ??= await chain.findCheckpoint(ctx.db, one.n - 1)
      const expected = before ? hashCheckpoint(before) : null
      if (!isSigned(keys, one)) report('checkpoint', one.seq, `Checkpoint ${one.n} is not signed by this service.`)
      else if (one.n !== (before?.n ?? 0) + 1 || one.prev_checkpoint !== expected)
        report('checkpoint', one.seq, `A checkpoint before number ${one.n} is missing or was changed.`)
      await compare(state, one, one.seq === anchor ? head?.anchor_hash : linked, anchor)
      before = one
      count++
    }
    await nextTurn()
  } while (page.length === BATCH)
  const last = (await chain.findLastCheckpoint(ctx.db))?.n ?? 0
  if (complete && head && last < head.checkpoints)
    report('checkpoint', null, `The checkpoints after number ${last} are missing.`)
  return count
}

/** Reports where the chain no longer matches a checkpoint: its end may be missing, or all of it rewritten. */
async function compare(
  { ctx, report }: State,
  { n, seq, chain_hash }: chain.CheckpointRow,
  linked: string | null | undefined,
  anchor: number,
): Promise<void> {
  if (seq < anchor || seq === 0) return
  if (linked) {
    if (linked !== chain_hash)
      report('checkpoint', seq, `Checkpoint ${n} recorded a different chain here: links up to this one were rewritten.`)
    return
  }
  // A link missing from the middle was already reported as a gap.
  const end = await endOf(ctx)
  if (seq > end) report('tail', end + 1, `Checkpoint ${n} recorded ${seq} links; the chain ends at ${end}.`)
}

/** The number of the last link, or of the last one before retention purged it. */
async function endOf(ctx: Ctx): Promise<number> {
  const last = await chain.findLastLink(ctx.db)
  return last?.seq ?? (await chain.findHead(ctx.db))?.anchor_seq ?? 0
}

/** Checks head and end of the chain. Sealing continues: the head never counts fewer links than were there before it. */
async function checkEnd({ ctx, keys, report }: State): Promise<void> {
  const before = await chain.findHead(ctx.db)
  const last = await chain.findLastLink(ctx.db)
  const head = await chain.findHead(ctx.db)
  if (!before || !head) return report('checkpoint', null, 'The head of the chain is missing.')
  if (!(await isOurs(ctx.db, before, keys)))
    report('checkpoint', null, 'The head of the chain is not signed by this service.')
  if (head.distrusted_seq !== null && head.distrusted_seq > head.anchor_seq)
    report('checkpoint', head.distrusted_seq, 'The head was found to be altered when this was the last link.')
  const end = last?.seq ?? head.anchor_seq
  if (before.seq > end) report('tail', end + 1, `The chain had ${before.seq} links; it ends at ${end}.`)
  if (end > head.seq) report('forged', head.seq + 1, 'The links from here on were not made by this service.')
  if (head.seq === end && last && last.chain_hash !== head.chain_hash)
    report('checkpoint', head.seq, 'The last link is not the one the head was signed for.')
}

/** Checks checkpoints kept elsewhere, which reveal what was deleted together with its rows. */
async function checkFile(state: State, lines: readonly string[]): Promise<number> {
  const { ctx, keys, report } = state
  for (const [i, line] of lines.entries()) {
    const one = readCheckpoint(line)
    if (!one || !isSigned(keys, one)) {
      report('checkpoint', one?.seq ?? null, `Line ${i + 1} of the file is not a checkpoint signed by this service.`)
      continue
    }
    const linked = (await chain.findLink(ctx.db, one.seq))?.chain_hash
    const head = await chain.findHead(ctx.db)
    const anchor = head?.anchor_seq ?? 0
    await compare(state, one, one.seq === anchor ? head?.anchor_hash : linked, anchor)
    if (i % BATCH === BATCH - 1) await nextTurn()
  }
  return lines.length
}

/** Checks sealed records without a link, and those not sealed yet; returns how many are not sealed. */
async function checkLoose({ ctx, report }: State): Promise<number> {
  for (let after = ''; ; ) {
    const page = await chain.listSealed(ctx.db, after, BATCH * 4)
    for (const { id } of page.filter(({ seq }) => seq === null)) {
      const record = await chain.findSealed(ctx.db, id)
      if (!record) continue
      const genuine = isMac(await openKeys(ctx.db, ctx.config), hashRow(record), record.mac)
      if (genuine) report('gap', null, `The record ${id} has lost its link.`, { record })
      else report('forged', null, `The record ${id} was not written by this service.`, { record })
    }
    const last = page.at(-1)
    if (!last || page.length < BATCH * 4) break
    after = last.id
    await nextTurn()
  }
  let pending = 0
  for (let after = ''; ; ) {
    const page = await chain.listRecent(ctx.db, after, BATCH)
    const keys = await openKeys(ctx.db, ctx.config)
    for (const record of page)
      if (isMac(keys, hashRow(record), record.mac)) pending++
      else report('forged', null, `The record ${record.id} was not written by this service.`, { record })
    const last = page.at(-1)
    if (!last || page.length < BATCH) return pending
    after = last.id
    await nextTurn()
  }
}
