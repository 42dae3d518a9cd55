import { ServiceError } from '../../../contract/errors.ts'
import { asideInBatches } from '../../blobs/collector.ts'
import type { DamagedEntry } from '../../blobs/drivers/driver.ts'
import { findPointed } from '../../blobs/pointers.ts'
import { findKnown } from '../../blobs/store.ts'
import type { Ctx } from '../../context.ts'
import type { Options, Summary } from './summary.ts'

const BATCH = 1000
const AT_ONCE = 16
/** Of all that is stored, the share that may go without a word. */
const UNASKED = 0.1

/** An entry of the storage; an error where it cannot be looked at. */
interface Entry {
  name: string
  /** Null of a folder of blobs. */
  id: string | null
  size: number
  known: boolean
  /** Within the grace period, so that its row may yet be to come or its removal on its way. */
  young: boolean
  error?: Error
}

/** All that is in the storage, some at a time, and which of it the database knows. */
async function* entriesOf(ctx: Ctx): AsyncGenerator<Entry[]> {
  const oldest = ctx.now().getTime() - ctx.config.blobGraceSeconds * 1000
  let batch: Omit<Entry, 'known'>[] = []
  const onDamaged = ({ name, id, error }: DamagedEntry): void =>
    void batch.push({ name, id, error, size: 0, young: false })
  const judged = async (): Promise<Entry[]> => {
    const entries = batch
    batch = []
    const known = await findKnown(
      ctx.db,
      entries.flatMap(({ id }) => id ?? []),
    )
    return entries.map((entry) => ({ ...entry, known: entry.id === null || known.has(entry.id) }))
  }
  for await (const { id, size, modified_at } of ctx.blobs.list(onDamaged)) {
    batch.push({ name: id, id, size, young: modified_at.getTime() > oldest })
    if (batch.length >= BATCH) yield await judged()
  }
  yield await judged()
}

const isOrphan = ({ known, young }: Entry): boolean => !known && !young

/**
 * How many entries of the storage `--fix` may set aside. Refuses when it looks as if this were not the storage's
 * database: it knows nothing of it, or too much would go, unless somebody says the exact number.
 */
export async function planRemovals(ctx: Ctx, yesRemove: number | undefined): Promise<number> {
  let stored = 0
  let known = 0
  let orphans = 0
  for await (const batch of entriesOf(ctx))
    for (const entry of batch) {
      if (entry.id === null) continue
      stored++
      if (entry.known) known++
      if (isOrphan(entry)) orphans++
    }
  const refuse = (why: string): never => {
    throw new ServiceError(
      'conflict',
      `${why} Nothing was changed. \`verify\` names them; if they are to go, say: verify --fix --yes-remove ${orphans}`,
    )
  }
  const [of, are] = [`${stored} blobs in the storage`, orphans === 1 ? 'is' : 'are']
  if (yesRemove !== undefined && yesRemove !== orphans)
    refuse(`${orphans} of ${of} ${are} unknown to the database and older than the grace period, not ${yesRemove}.`)
  if (yesRemove === undefined && stored > 0 && known === 0)
    refuse(`The database knows none of the ${of}: is it the right one?`)
  if (yesRemove === undefined && orphans > stored * UNASKED)
    refuse(
      `${orphans} of ${of} ${are} unknown to the database, more than a tenth: is it the right one, and up to date?`,
    )
  return orphans
}

/**
 * All bytes have a row. A file that has none is left of a power failure between a removal and its sync, or its row was
 * lost with a database. At most `most` are set aside: more than that nobody has agreed to.
 */
export async function verifyStored(
  ctx: Ctx,
  { fix, report, most }: Options & { most: number },
  summary: Summary,
): Promise<void> {
  let left = most
  for await (const batch of entriesOf(ctx)) {
    const damaged = batch.filter(({ error }) => error)
    // Those were named where their objects were looked at.
    const pointed = await findPointed(
      ctx.db,
      damaged.flatMap(({ id }) => id ?? []),
    )
    const going: string[] = []
    for (const entry of batch) {
      const { name, id, size, error } = entry
      const orphan = isOrphan(entry)
      if (!(orphan || error) || (id !== null && pointed.has(id))) continue
      const goes = orphan && fix && left-- > 0
      if (goes && id !== null) going.push(id)
      const outcome = goes ? '; set aside' : ''
      if (error) {
        summary.damaged++
        report(`damaged: ${name} in the storage cannot be looked at: ${error.message}${outcome}`)
      } else {
        summary.orphans++
        report(`orphan: nothing knows the blob ${id} (${size} bytes)${outcome}`)
      }
    }
    // Some at a time, so that they share the syncs.
    for (let i = 0; i < going.length; i += AT_ONCE)
      await Promise.all(going.slice(i, i + AT_ONCE).map((id) => ctx.blobs.setAside(id)))
    summary.fixed += going.length
  }
}

/** What was set aside although this database knows it: by a command that had another one, or before it was restored. */
export async function bringBackKnown(ctx: Ctx, { fix, report }: Options, summary: Summary): Promise<void> {
  for await (const batch of asideInBatches(ctx)) {
    const known = await findKnown(
      ctx.db,
      batch.map(({ id }) => id),
    )
    for (const { id, size } of batch) {
      if (!known.has(id)) continue
      summary.aside++
      report(`aside: the blob ${id} (${size} bytes) was set aside, but is known${fix ? '; brought back' : ''}`)
      if (!fix) continue
      await ctx.blobs.bringBack(id)
      summary.fixed++
    }
  }
}
