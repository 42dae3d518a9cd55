import { ServiceError } from '../../../contract/errors.ts'
import { listAsideInBatches } from '../../blobs/collector.ts'
import { storedSizeOfBlob } from '../../blobs/encrypted.ts'
import { findPointed } from '../../blobs/pointers.ts'
import { findSizes } from '../../blobs/sizes.ts'
import { findKnown } from '../../blobs/store.ts'
import type { Ctx } from '../../context.ts'
import type { DamagedEntry } from '../../drivers/driver.ts'
import type { Options, Summary } from './summary.ts'

const BATCH = 1000
const AT_ONCE = 16
/** The share of everything stored that may be removed without confirmation. */
const UNASKED = 0.1

/** An entry in the storage; has an error if it cannot be read. */
interface Entry {
  name: string
  /** Null for a folder of blobs. */
  id: string | null
  size: number
  known: boolean
  /** Within the grace period: its row may not be stored yet, or its removal may be in progress. */
  young: boolean
  error?: Error
}

/** Everything in the storage, in batches, and which of it the database knows. */
async function* entriesOf(ctx: Ctx): AsyncGenerator<Entry[]> {
  const oldest = ctx.now().getTime() - ctx.config.blobGraceSeconds * 1000
  let batch: Omit<Entry, 'known'>[] = []
  const onDamaged = ({ name, id, error }: DamagedEntry): void =>
    void batch.push({ name, id, error, size: 0, young: false })
  const checkBatch = async (): Promise<Entry[]> => {
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
    if (batch.length >= BATCH) yield await checkBatch()
  }
  yield await checkBatch()
}

const isOrphan = ({ known, young }: Entry): boolean => !known && !young

/**
 * How many entries `--fix` may set aside. Refuses if this does not look like the storage's database: it knows nothing
 * of the storage, or too much would be removed. Giving the exact number overrides both.
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
      `${why} Nothing was changed. \`verify\` lists them. To remove them, run: verify --fix --yes-remove ${orphans}`,
    )
  }
  const [of, are] = [`${stored} blobs in the storage`, orphans === 1 ? 'is' : 'are']
  if (yesRemove !== undefined && yesRemove !== orphans)
    refuse(
      `${orphans} of ${of} ${are} unknown to the database and older than the grace period, but --yes-remove is ${yesRemove}.`,
    )
  if (yesRemove === undefined && stored > 0 && known === 0)
    refuse(`The database knows none of the ${of}: is it the right database?`)
  if (yesRemove === undefined && orphans > stored * UNASKED)
    refuse(
      `${orphans} of ${of} ${are} unknown to the database, more than a tenth: is it the right database, and up to date?`,
    )
  return orphans
}

/**
 * Checks that all bytes have a row. A file without one was left by a power failure between a removal and its sync, or
 * lost its row with a database. Sets aside at most `most`, the number agreed to.
 */
export async function verifyStored(
  ctx: Ctx,
  { fix, report, most, shorter }: Options & { most: number; shorter: ReadonlySet<string> },
  summary: Summary,
): Promise<void> {
  let left = most
  for await (const batch of entriesOf(ctx)) {
    await compareSizes(ctx, batch, { report, shorter }, summary)
    const damaged = batch.filter(({ error }) => error)
    // These were reported with their objects.
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
        report(`damaged: ${name} in the storage cannot be read: ${error.message}${outcome}`)
      } else {
        summary.orphans++
        report(`orphan: the database does not know the blob ${id} (${size} bytes)${outcome}`)
      }
    }
    // A few at a time, so that they share syncs.
    for (let i = 0; i < going.length; i += AT_ONCE)
      await Promise.all(going.slice(i, i + AT_ONCE).map((id) => ctx.blobs.setAside(id)))
    summary.fixed += going.length
  }
}

/** Reports blobs that have other sizes in the storage than their rows say, unless that was found by reading them. */
async function compareSizes(
  ctx: Ctx,
  batch: readonly Entry[],
  { report, shorter }: { report: Options['report']; shorter: ReadonlySet<string> },
  summary: Summary,
): Promise<void> {
  const readable = batch.filter(({ id, known, error }) => known && !error && id !== null)
  const found = await findSizes(
    ctx.db,
    readable.flatMap(({ id }) => id ?? []),
  )
  const sizes = new Map(found.map((blob) => [blob.id, storedSizeOfBlob(blob)]))
  for (const { id, size: stored } of readable) {
    const size = sizes.get(id ?? '')
    if (id === null || size === undefined || stored === size || shorter.has(id)) continue
    const what = stored < size ? 'truncated' : 'overlong'
    summary[what]++
    report(`${what}: the blob ${id} has ${stored} bytes in the storage instead of ${size}`)
  }
}

/**
 * What was set aside although this database knows it: by a command using another database, or before this one was
 * restored.
 */
export async function bringBackKnown(ctx: Ctx, { fix, report }: Options, summary: Summary): Promise<void> {
  for await (const batch of listAsideInBatches(ctx)) {
    const known = await findKnown(
      ctx.db,
      batch.map(({ id }) => id),
    )
    for (const { id, size } of batch) {
      if (!known.has(id)) continue
      summary.aside++
      report(
        `aside: the blob ${id} (${size} bytes) was set aside, but the database knows it${fix ? '; brought back' : ''}`,
      )
      if (!fix) continue
      await ctx.blobs.bringBack(id)
      summary.fixed++
    }
  }
}
