import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import type { Ctx } from '../../../context.ts'
import { digitsOf } from '../../../drivers/routing/ids.ts'
import { unsealSecret } from '../../../drivers/routing/open.ts'
import { findStorage, isInUse, listStorages, type StorageRow } from '../../../drivers/routing/store.ts'
import { changePlace, normalPlace, placeOf } from '../../../storage/storages/place.ts'
import {
  createStorage,
  deleteStorage,
  describe,
  describeDefault,
  updateStorage,
} from '../../../storage/storages/service.ts'
import { type EntryOf, type Existing, faultsOf, type Kind } from '../kind.ts'

type Entry = EntryOf<'storages'>

const elsewhere = 'cannot be changed: register another storage, and move its buckets there'

export const storages: Kind<Entry> = {
  kind: 'storages',
  named: 'name',
  sameName: (name) => name,
  fixed: { kind: elsewhere, bucket: elsewhere, prefix: elsewhere, folder: elsewhere },
  defaults: {
    kind: 's3',
    endpoint: null,
    region: null,
    bucket: null,
    prefix: '',
    path_style: null,
    folder: null,
    access_key_id: null,
    enabled: true,
  },
  normal: normalPlace,
  check: async (ctx, { name, enabled, ...place }, { before }) =>
    before ? [] : faultsOf(() => placeOf(ctx.config, name, place)),
  find: async (ctx, name) => {
    if (name === DEFAULT_STORAGE) return theDefault(ctx)
    const row = await findStorage(ctx.db, name)
    return row && existing(ctx, row)
  },
  async *list(ctx) {
    for (const row of await listStorages(ctx.db)) yield existing(ctx, row)
  },
  create: createStorage,
  effects: (_ctx, { enabled = true }) => [
    `It is tested first.${enabled ? '' : ' It is not used until it is enabled.'} Nothing is written there before a bucket is created on it.`,
  ],
}

const fieldsOf = ({
  name,
  kind,
  endpoint,
  region,
  bucket,
  prefix,
  path_style,
  folder,
  access_key_id,
  enabled,
}: ReturnType<typeof describeDefault>) => ({
  name,
  kind,
  endpoint,
  region,
  bucket,
  prefix,
  path_style,
  folder,
  access_key_id,
  enabled,
})

const theDefault = (ctx: Ctx): Existing<Entry> => ({
  name: DEFAULT_STORAGE,
  fields: fieldsOf(describeDefault(ctx.config)),
  fixed: 'is configured by the variables of the service',
  update: async () => undefined,
})

const existing = (ctx: Ctx, row: StorageRow): Existing<Entry> => ({
  name: row.name,
  fields: fieldsOf(describe(row, undefined)),
  hasSecret: (_field, value) =>
    row.secret === null ? value === null : unsealSecret(ctx.config, row.name, row.secret) === value,
  check: ({ name, enabled, kind, bucket, prefix, folder, ...change }) =>
    faultsOf(() => changePlace(ctx.config, row, change)),
  effects: ({ enabled }) => (enabled === false ? ['What lies on it is answered with 503 while it is off.'] : []),
  update: (change) => updateStorage(ctx, row.name, change),
  async removal() {
    const { buckets, soft_deleted, released, blobs } = await isInUse(ctx.db, row.id, digitsOf(row.id))
    if (buckets || soft_deleted || released || blobs) return { kept: 'Something of ours still lies there.' }
    return { effects: ['It is forgotten; what is there stays.'], remove: () => deleteStorage(ctx, row.name) }
  },
})
