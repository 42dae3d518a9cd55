import fs from 'node:fs'
import { DEFAULT_STORAGE, type StorageHealth } from '../../../contract/storages.ts'
import { within } from '../../base/deadline.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'
import { isStorageFull } from '../../db/storage-full.ts'
import { explain } from '../../drivers/explain.ts'
import { type Where, whereOf, whereOfDefault } from '../../drivers/routing/open.ts'
import { findStorage, listStorages, type StorageRow } from '../../drivers/routing/store.ts'
import { storageMissing } from './place.ts'
import { reach } from './reach.ts'

/** Milliseconds between two looks at the storages. */
const EVERY_MS = 30_000
/** Milliseconds that a storage has to answer. */
const DEADLINE_MS = 3000

/** What this process found of each storage when it last looked, by name. */
const knownOf = perSystem(() => new Map<string, StorageHealth>())

/** What this process last found of a storage; null before the first look. */
export const lastHealth = ({ config }: Ctx, name: string): StorageHealth | null => knownOf(config).get(name) ?? null

/** Storages that are in use and could not be reached when this process last looked, the default one first. */
export async function listUnreachable(ctx: Ctx): Promise<{ name: string; health: StorageHealth }[]> {
  const known = knownOf(ctx.config)
  if ([...known.values()].every(({ ok }) => ok)) return []
  const used = (await listStorages(ctx.db)).filter(({ disabled_at }) => disabled_at === null)
  return [DEFAULT_STORAGE, ...used.map(({ name }) => name)].flatMap((name) => {
    const health = known.get(name)
    return health && !health.ok ? [{ name, health }] : []
  })
}

/** A storage to look at; without a row, the default one. */
type Looked = StorageRow | undefined

/**
 * Looks at a storage and remembers what was found; the log has a line when it can no longer be used, and one when it can
 * again. Where there are bytes of ours, a probe is written and removed; otherwise it is only read.
 */
export async function lookAt(ctx: Ctx, row: Looked): Promise<StorageHealth> {
  const name = row?.name ?? DEFAULT_STORAGE
  const began = performance.now()
  const failure = await within(DEADLINE_MS, probe(ctx, row)).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const found = {
    ok: failure === undefined,
    detail: failure ? explain(failure.error) : null,
    latency_ms: Math.round(performance.now() - began),
    free_bytes: await freeBytes(placeOf(ctx, row)),
  }
  return note(ctx, name, found, failure?.error)
}

const placeOf = ({ config }: Ctx, row: Looked): Where => (row ? whereOf(config, row) : whereOfDefault(config))

async function probe(ctx: Ctx, row: Looked): Promise<void> {
  try {
    if (!row) await ctx.blobs.check()
    else if (row.marked_at === null) await reach(whereOf(ctx.config, row))
    else await (await ctx.blobs.place(row.id)).check()
  } catch (error) {
    // What is full answers, and can be read and deleted from; /readyz and the alerts of disks say the rest.
    if (!isStorageFull(error) || row === undefined) throw error
  }
}

/** Null of an engine, which does not say. */
async function freeBytes(where: Where): Promise<number | null> {
  if (where.kind === 's3') return null
  const found = await fs.promises.statfs(where.folder).catch(() => null)
  return found && found.bavail * found.bsize
}

function note(
  { config, log, now }: Ctx,
  name: string,
  found: Pick<StorageHealth, 'ok' | 'detail' | 'latency_ms' | 'free_bytes'>,
  error: unknown,
): StorageHealth {
  const before = knownOf(config).get(name)
  const checked_at = now().toISOString()
  const since = before?.ok === found.ok ? before.since : checked_at
  const health = { ...found, since, checked_at }
  knownOf(config).set(name, health)
  if (!found.ok && before?.ok !== false)
    log.error({ storage: name, err: error }, `the storage "${name}" cannot be used: ${found.detail}`)
  else if (found.ok && before?.ok === false)
    log.warn({ storage: name, since: before.since }, `the storage "${name}" can be used again`)
  return health
}

/** Whether a storage answers now. */
export async function checkHealth(ctx: Ctx, name: string): Promise<StorageHealth> {
  if (name === DEFAULT_STORAGE) return lookAt(ctx, undefined)
  const row = await findStorage(ctx.db, name)
  if (!row) throw storageMissing(name)
  if (row.disabled_at === null && ctx.config.storagesEnabled) return lookAt(ctx, row)
  const detail = row.disabled_at === null ? 'STORAGES_ENABLED is false.' : 'It is turned off.'
  const checked_at = ctx.now().toISOString()
  return { ok: false, detail, since: row.disabled_at ?? checked_at, latency_ms: 0, free_bytes: null, checked_at }
}

/** Looks at every storage that is in use, all at once; resolves to what was found, by name. */
export async function checkAllStorages(ctx: Ctx): Promise<ReadonlyMap<string, StorageHealth>> {
  const used = ctx.config.storagesEnabled
    ? (await listStorages(ctx.db)).filter(({ disabled_at }) => disabled_at === null)
    : []
  const known = knownOf(ctx.config)
  const names = new Set([DEFAULT_STORAGE, ...used.map(({ name }) => name)])
  // What was removed or turned off is not remembered as what it was.
  for (const name of known.keys()) if (!names.has(name)) known.delete(name)
  const found = await Promise.all(
    [undefined, ...used].map(async (row) => [row?.name ?? DEFAULT_STORAGE, await lookAt(ctx, row)] as const),
  )
  return new Map(found)
}

/** Each process looks at the storages itself: one may reach what another does not. */
export const storageWatch = {
  name: 'storage-watch',
  every: EVERY_MS,
  local: true as const,
  run: async (ctx: Ctx): Promise<void> => void (await checkAllStorages(ctx)),
}
