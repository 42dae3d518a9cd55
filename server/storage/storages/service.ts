import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE, type MirrorChange, type Storage, type StorageHealth } from '../../../contract/storages.ts'
import { invalid } from '../../base/invalid.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import { DEFAULT, digitsOf, MOST_STORAGES, markOfStorage } from '../../drivers/routing/ids.ts'
import { type Place, resealSecret, whereOf, whereOfDefault } from '../../drivers/routing/open.ts'
import {
  findInstanceId,
  findStorage,
  isInUse,
  listStorages as listRows,
  type StorageRow,
  sumByStorage,
} from '../../drivers/routing/store.ts'
import { lastHealth } from './health.ts'
import { type Copies, describeCopies, setMirror } from './mirrors/settings.ts'
import { isUsedByMirrors } from './mirrors/store.ts'
import { changePlace, type PlaceChange, type PlaceFields, placeOf, storageMissing } from './place.ts'
import { ownerAt, reach } from './reach.ts'
import * as store from './store.ts'

/** What is recorded of a storage. */
const detailsOf = ({ name, kind, endpoint, region, bucket, prefix, folder, access_key_id }: StorageRow) => ({
  name,
  kind,
  endpoint,
  region,
  bucket,
  prefix,
  folder,
  access_key_id,
})

/** Registers a storage that can be reached, and is used unless it is not `enabled`. */
export async function createStorage(
  ctx: Ctx,
  { name, enabled = true, ...given }: PlaceFields & { name: string; enabled?: boolean | undefined },
): Promise<Storage> {
  if (name === DEFAULT_STORAGE) throw new ServiceError('already_exists', 'There is the default storage already.')
  const place = placeOf(ctx.config, name, given)
  if (await findStorage(ctx.db, name)) throw new ServiceError('already_exists', `Storage "${name}" already exists.`)
  await assertReachable(ctx, place)
  const row = await ctx.act(async ({ tx, record }) => {
    const others = await store.lockAllStorages(tx)
    const same = others.find((other) => isSamePlace(other, place))
    if (same) throw new ServiceError('conflict', `That is the place of the storage "${same.name}".`)
    const created_at = ctx.now().toISOString()
    const row = await store.insertStorage(tx, {
      ...place,
      created_at,
      created_by: ctx.actor.user_id,
      disabled_at: enabled ? null : created_at,
    })
    if (!row) throw new ServiceError('already_exists', `Storage "${name}" already exists.`)
    if (row.id > MOST_STORAGES)
      throw new ServiceError('limit_reached', `${MOST_STORAGES} storages have been registered, the most there can be.`)
    record({ name: 'storage_create', resource: { type: 'storage', id: name }, details: detailsOf(row) })
    return row
  })
  return describe(row, undefined)
}

const isSamePlace = (a: Place, b: Place): boolean =>
  (['kind', 'endpoint', 'bucket', 'prefix', 'folder'] as const).every((field) => a[field] === b[field])

/** Throws conflict, with what is wrong in a sentence, unless a storage answers, and has this mark if one is given. */
async function assertReachable({ config }: Ctx, place: Place, mark: string | null = null): Promise<void> {
  const refuse = (why: string, cause?: unknown) =>
    new ServiceError('conflict', `The storage cannot be used. ${why}`, { cause })
  const where = whereOf(config, place)
  let owner: string | null
  try {
    await reach(where)
    owner = mark === null ? null : await ownerAt(where)
  } catch (error) {
    throw refuse(explain(error), error)
  }
  if (owner !== mark) throw refuse('There is another one at that address: it does not have our mark.')
}

/** What else is known of a storage that is described. */
interface Found {
  health?: StorageHealth | null
  copies?: Copies | undefined
}
const OWN: Copies = { served_by: null, mirror: null, scrub: null }

/** A storage as the API returns it. */
export function describe(
  row: StorageRow,
  sums: { buckets: number; bytes: number } = { buckets: 0, bytes: 0 },
  { health = null, copies = OWN }: Found = {},
): Storage {
  return {
    name: row.name,
    kind: row.kind,
    endpoint: row.endpoint,
    region: row.region,
    bucket: row.bucket,
    prefix: row.prefix,
    path_style: row.path_style === null ? null : row.path_style === 1,
    folder: row.folder,
    access_key_id: row.access_key_id,
    enabled: row.disabled_at === null,
    health,
    ...copies,
    events: row.events_hash !== null,
    bucket_count: sums.buckets,
    used_bytes: sums.bytes,
    created_at: row.created_at,
    created_by: row.created_by,
  }
}

/** The storage of STORAGE_URL. */
export function describeDefault(
  config: Config,
  sums = { buckets: 0, bytes: 0 },
  { health = null, copies = OWN }: Found = {},
): Storage {
  const where = whereOfDefault(config)
  const s3 = where.kind === 's3' ? where.s3 : undefined
  return {
    name: DEFAULT_STORAGE,
    kind: where.kind,
    endpoint: s3?.endpoint ?? null,
    region: s3?.region ?? null,
    bucket: s3?.bucket ?? null,
    prefix: s3?.prefix ?? '',
    path_style: s3?.pathStyle ?? null,
    folder: where.kind === 'file' ? where.folder : null,
    access_key_id: s3?.credentials?.accessKeyId ?? null,
    enabled: true,
    health,
    ...copies,
    events: false,
    bucket_count: sums.buckets,
    used_bytes: sums.bytes,
    created_at: null,
    created_by: null,
  }
}

const healthOf = (ctx: Ctx, { name, disabled_at }: StorageRow): StorageHealth | null =>
  disabled_at === null ? lastHealth(ctx, name) : null

/** All storages: the default one, then the others in name order. */
export async function listStorages(ctx: Ctx) {
  const [rows, sums, mirrors] = await Promise.all([listRows(ctx.db), sumByStorage(ctx.db), describeCopies(ctx.db)])
  const others = rows.map((row) =>
    describe(row, sums.get(row.id), { health: healthOf(ctx, row), copies: mirrors.get(row.id) }),
  )
  const health = lastHealth(ctx, DEFAULT_STORAGE)
  return { items: [describeDefault(ctx.config, sums.get(DEFAULT), { health, copies: mirrors.get(0) }), ...others] }
}

export async function getStorage(ctx: Ctx, name: string): Promise<Storage> {
  const [sums, mirrors] = await Promise.all([sumByStorage(ctx.db), describeCopies(ctx.db)])
  if (name === DEFAULT_STORAGE) {
    const found = { health: lastHealth(ctx, name), copies: mirrors.get(0) }
    return describeDefault(ctx.config, sums.get(DEFAULT), found)
  }
  const row = await findStorage(ctx.db, name)
  if (!row) throw storageMissing(name)
  return describe(row, sums.get(row.id), { health: healthOf(ctx, row), copies: mirrors.get(row.id) })
}

/**
 * Changes how a storage is reached, which it then must be, and still be the same one if something of ours is there; or turns
 * it off or on.
 */
export async function updateStorage(
  ctx: Ctx,
  name: string,
  { mirror, ...change }: PlaceChange & { enabled?: boolean | undefined; mirror?: MirrorChange | null | undefined },
): Promise<Storage> {
  if (mirror !== undefined) {
    if (Object.keys(change).length > 0) throw invalid('body.mirror', 'is sent alone')
    await setMirror(ctx, name, mirror)
    return getStorage(ctx, name)
  }
  if (name === DEFAULT_STORAGE)
    throw new ServiceError('conflict', 'The default storage is configured by the variables of the service.')
  const { enabled, ...given } = change
  const before = await findStorage(ctx.db, name)
  if (!before) throw storageMissing(name)
  const next = { ...before, ...changePlace(ctx.config, before, given) }
  if (enabled ?? before.disabled_at === null) {
    const mark = before.marked_at === null ? null : markOfStorage(await findInstanceId(ctx.db), before.id)
    await assertReachable(ctx, next, mark)
  }
  await ctx.act(async ({ tx, record }) => {
    const row = await store.lockStorage(tx, name)
    if (!row) throw storageMissing(name)
    const disabled_at =
      enabled === undefined ? row.disabled_at : enabled ? null : (row.disabled_at ?? ctx.now().toISOString())
    const after = { ...row, ...changePlace(ctx.config, row, given), disabled_at }
    const { endpoint, region, path_style, access_key_id, secret } = after
    await store.updateStorage(tx, row.id, { endpoint, region, path_style, access_key_id, secret, disabled_at })
    const side = (one: StorageRow) => {
      const all: { [field: string]: unknown } = describe(one)
      return Object.fromEntries(Object.keys(change).flatMap((field) => (field in all ? [[field, all[field]]] : [])))
    }
    const changed = given.secret_access_key === undefined ? {} : { secret_changed: true as const }
    const details = { name, before: side(row), after: side(after), ...changed }
    record({ name: 'storage_update', resource: { type: 'storage', id: name }, details })
  })
  ctx.blobs.refresh(before.id)
  return getStorage(ctx, name)
}

/** Forgets a storage on which nothing lies. Its objects that are not ours stay. */
export async function deleteStorage(ctx: Ctx, name: string): Promise<undefined> {
  if (name === DEFAULT_STORAGE) throw new ServiceError('conflict', 'The default storage cannot be deleted.')
  await ctx.act(async ({ tx, record }) => {
    const row = await store.lockStorage(tx, name)
    if (!row) throw storageMissing(name)
    if (await isUsedByMirrors(tx, row.id))
      throw new ServiceError('not_empty', `The storage "${name}" is or has a mirror. Turn that off first.`)
    const { buckets, soft_deleted, released, blobs } = await isInUse(tx, row.id, digitsOf(row.id))
    if (buckets)
      throw new ServiceError('not_empty', `There are buckets on the storage "${name}". Move or delete them first.`)
    if (soft_deleted)
      throw new ServiceError('not_empty', `The trash of a deleted bucket on the storage "${name}" is not emptied yet.`)
    if (released)
      throw new ServiceError(
        'not_empty',
        `A bucket that was attached to the storage "${name}" is still being forgotten. Try again in a few minutes.`,
      )
    if (blobs)
      throw new ServiceError(
        'not_empty',
        `Bytes are still on the storage "${name}". Those that nothing needs are deleted after the grace period; if others stay, move their buckets again.`,
      )
    await store.deleteStorage(tx, row.id)
    record({ name: 'storage_delete', resource: { type: 'storage', id: name }, details: detailsOf(row) })
  })
}

/** Re-encrypts secrets that still use a previous SECRET_KEY, so that it can be retired. Returns how many. */
export const resealStorages = (ctx: Ctx): Promise<number> =>
  ctx.upkeep(async ({ tx }) => {
    let count = 0
    for (const { id, name, secret } of await store.lockAllStorages(tx)) {
      const sealed = secret === null ? null : resealSecret(ctx.config, name, secret)
      if (sealed === secret) continue
      await store.updateStorage(tx, id, { secret: sealed })
      count++
    }
    return count
  })
