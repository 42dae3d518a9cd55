import { open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { atStop } from '../../at-stop.ts'
import { newId } from '../../base/id.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import * as chain from './chain.ts'
import { checkpointLine, checkpointText, GENESIS, hashCheckpoint, hashLink, hashRow, headText } from './hashes.ts'
import { type AuditKeys, currentKey, isMac, openKeys } from './keys.ts'

/** Links per transaction: 500 keep the process busy for about 15 ms. */
const BATCH = 500
const CHECKPOINT_MS = HOUR_MS

/**
 * Seals every second what was recorded since. One process at a time locks the head; the others skip their turn. Each
 * record is sealed once, in order of id among those waiting, since commit order is not stored.
 */
export const auditSealer = {
  name: 'audit-seal',
  every: 1000,
  async run(ctx: Ctx): Promise<void> {
    // The first checkpoint precedes the first link, so that the head is signed from then on.
    await checkpoint(ctx, CHECKPOINT_MS)
    while (!ctx.stopping.aborted && (await sealSome(ctx))) await nextTurn()
  },
}

const LAST_SEAL_MS = 5000
/** Seals what is waiting and writes a checkpoint, unless one was written since the last link. */
atStop('seal', async (ctx) => {
  try {
    const until = performance.now() + LAST_SEAL_MS
    while (performance.now() < until && (await sealSome(ctx)));
    await checkpoint(ctx, 0)
  } catch (error) {
    ctx.log.error({ err: error }, 'could not seal the audit log; the next start will continue')
  }
})

/** Returns whether everything recorded before the call is sealed, by whichever process. */
export async function sealAll(ctx: Ctx): Promise<boolean> {
  const before = newId()
  while (await sealSome(ctx)) await nextTurn()
  const [oldest] = await chain.listRecent(ctx.db, '', 1)
  return oldest === undefined || oldest.id > before
}

/** Seals one batch; false when nothing is left for this process. */
async function sealSome(ctx: Ctx): Promise<boolean> {
  if (!(await chain.isAnyRecent(ctx.db))) return false
  return ctx.upkeep(
    async (step) => {
      const { tx } = step
      const head = await holdHead(step)
      if (!head) return false
      const waiting = await chain.listRecent(tx, '', BATCH)
      if (waiting.length === 0) return false
      const keys = await openKeys(tx, ctx.config)
      let { seq, chain_hash } = head
      const forged: string[] = []
      const links = waiting.map((row) => {
        const row_hash = hashRow(row)
        if (!isMac(keys, row_hash, row.mac)) forged.push(row.id)
        chain_hash = hashLink(chain_hash, row_hash)
        return { seq: ++seq, audit_id: row.id, row_hash, chain_hash }
      })
      if (forged.length > 0)
        ctx.log.error({ count: forged.length, first: forged[0] }, 'an audit record was not written by this service')
      await chain.insertLinks(tx, links)
      await writeHead(step, { ...head, seq, chain_hash })
      return waiting.length === BATCH
    },
    // If a power failure loses this commit, the records are simply sealed again.
    { relaxed: true },
  )
}

/** Step: locks the head; undefined if another process holds it. An altered head is rebuilt and marked distrusted. */
export async function holdHead(step: Upkeep, lock = chain.lockHead): Promise<chain.HeadRow | undefined> {
  const { tx } = step
  const head = await lock(tx)
  // Read after the head: the key that signed it may be just as new.
  if (head && (await isOurs(tx, head, await openKeys(tx, step.config)))) return head
  if (!head && (await chain.findHead(tx))) return undefined
  const last = await chain.findLastLink(tx)
  const seq = last?.seq ?? head?.anchor_seq ?? 0
  const mended: chain.HeadRow = {
    id: 1,
    seq,
    chain_hash: last?.chain_hash ?? head?.anchor_hash ?? GENESIS,
    anchor_seq: head?.anchor_seq ?? 0,
    anchor_hash: head?.anchor_hash ?? GENESIS,
    checkpoints: (await chain.findLastCheckpoint(tx))?.n ?? 0,
    distrusted_seq: seq,
    mac: null,
  }
  step.log.error({ seq }, 'the head of the audit chain was altered by someone else, or its key is no longer known')
  await chain.insertHead(tx, mended)
  return mended
}

/** Whether the head is as this service left it. Before the first checkpoint nothing is signed. */
export async function isOurs(db: Tx | Ctx['db'], head: chain.HeadRow, keys: AuditKeys): Promise<boolean> {
  if (isMac(keys, headText(head), head.mac)) return true
  return head.mac === null && head.checkpoints === 0 && !(await chain.findLastCheckpoint(db))
}

/** Step: signs and writes the locked head. */
export async function writeHead(step: Upkeep, { id: _, ...head }: chain.HeadRow): Promise<void> {
  const { tx } = step
  const key = await currentKey(tx, step.config, step.now())
  await chain.updateHead(tx, { ...head, mac: key.mac(headText(head)) })
}

/** Writes a checkpoint if the last one is at least `age` ms old; at 0 only if records were sealed since. */
async function checkpoint(ctx: Ctx, age: number): Promise<void> {
  const isDue = (last: chain.CheckpointRow | undefined, seq: number | undefined): boolean =>
    !last || (age === 0 ? last.seq !== seq : ctx.now().getTime() - Date.parse(last.time) >= age)
  if (!isDue(await chain.findLastCheckpoint(ctx.db), (await chain.findHead(ctx.db))?.seq)) return
  const made = await ctx.upkeep(async (step) => {
    const { tx } = step
    const head = await holdHead(step)
    if (!head) return undefined
    const last = await chain.findLastCheckpoint(tx)
    if (!isDue(last, head.seq)) return undefined
    const key = await currentKey(tx, ctx.config, ctx.now())
    const unsigned = {
      n: Math.max(head.checkpoints, last?.n ?? 0) + 1,
      seq: head.seq,
      chain_hash: head.chain_hash,
      time: ctx.now().toISOString(),
      prev_checkpoint: last ? hashCheckpoint(last) : null,
      key_id: key.id,
    }
    const row = { ...unsigned, signature: key.sign(checkpointText(unsigned)) }
    await chain.insertCheckpoint(tx, row)
    await writeHead(step, { ...head, checkpoints: row.n })
    return row
  })
  if (!made) return
  ctx.log.info({ checkpoint: made }, 'audit checkpoint')
  const { auditCheckpointFile } = ctx.config
  if (auditCheckpointFile === null) return
  try {
    const file = await open(auditCheckpointFile, 'a', 0o600)
    try {
      await file.appendFile(`${checkpointLine(made)}\n`)
      await file.datasync()
    } finally {
      await file.close()
    }
  } catch (error) {
    ctx.log.error({ err: error, checkpoint: made }, 'could not write an audit checkpoint to its file')
  }
}
