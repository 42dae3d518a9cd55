// The command `storages`: administrators list, add, change, test and remove the places of bytes.
import type { Storage, StorageTest } from '../client/index.ts'
import { STORAGE_NAME } from '../contract/names.ts'
import { UsageError } from './config.ts'
import { printable } from './places.ts'
import { print, type Run, readSecret } from './run.ts'

export const STORAGES_USAGE =
  'storages [--json] [add <name> <place> | mirror <name> <storage>|none | failover|set|test|on|off|remove|events-token <name>]'
const usage = () => new UsageError(`usage: strongroom ${STORAGES_USAGE}`)

/** The options of a place, all of them for S3. */
export const PLACE_OPTIONS = ['endpoint', 'region', 'path-style', 'access-key-id'] as const
export type PlaceOptions = { [option in (typeof PLACE_OPTIONS)[number]]?: string | undefined }

interface StoragesOptions extends PlaceOptions {
  delete: boolean
  /** Also while the mirror lacks copies. */
  acceptMissing: boolean
  /** What is there is to be shown only: nothing is written to test it. */
  readOnly: boolean
}
type Mode = 'owned' | 'read_only'

/** `storages`: lists them, or with a word does something with one. */
export async function storages(
  run: Run,
  words: readonly string[],
  { delete: deleted, acceptMissing, readOnly, ...options }: StoragesOptions,
): Promise<void> {
  const [what, name = '', place] = words
  const mode = readOnly ? 'read_only' : 'owned'
  if (readOnly && what !== 'add' && what !== 'test')
    throw new UsageError('--read-only is for "storages add" and "test".')
  if (deleted && what !== 'events-token') throw new UsageError('--delete is for "storages events-token".')
  if (what === 'add') {
    if (place === undefined) throw usage()
    return addStorage(run, storageName(name), { place: placeOf(place, options), mode })
  }
  if (what === 'set') {
    if (place !== undefined) throw usage()
    return setStorage(run, storageName(name), options)
  }
  const unused = PLACE_OPTIONS.find((option) => options[option] !== undefined)
  if (unused !== undefined) throw new UsageError(`--${unused} is for "storages add" and "set".`)
  if (what === undefined) return listStorages(run)
  if (what === 'mirror') {
    if (place === undefined) throw usage()
    return setMirror(run, storageName(name), place === 'none' ? null : storageName(place))
  }
  if (acceptMissing && what !== 'failover') throw new UsageError('--accept-missing is for "storages failover".')
  if (place !== undefined) throw usage()
  if (what === 'test') return testStorage(run, storageName(name), mode)
  if (what === 'failover') return failover(run, storageName(name), acceptMissing)
  if (what === 'on' || what === 'off') return turn(run, storageName(name), what)
  if (what === 'remove') return removeStorage(run, storageName(name))
  if (what === 'events-token')
    return deleted ? deleteEventsToken(run, storageName(name)) : createEventsToken(run, storageName(name))
  throw usage()
}

/** A storage's name from user input. */
export function storageName(text: string): string {
  if (new RegExp(STORAGE_NAME).test(text)) return text
  throw new UsageError(`"${text}" is not a valid storage name: use a-z, 0-9 and hyphens.`)
}

export type Place = Omit<Parameters<Run['client']['testNewStorage']>[0]['body'], 'mode'>

/** What `s3://bucket/prefix` or `file:/folder` names, taken literally, and the options. */
export function placeOf(text: string, options: PlaceOptions): Place {
  const [, bucket, prefix = '', folder] =
    /^(?:s3:\/\/([^/?]+)(?:\/([^?]*))?|file:(?:\/\/)?(\/(?!\/).*))$/s.exec(text) ?? []
  if (folder !== undefined) {
    const other = PLACE_OPTIONS.find((option) => options[option] !== undefined)
    if (other !== undefined) throw new UsageError(`--${other} is for s3:// only.`)
    return { kind: 'file', folder }
  }
  if (bucket === undefined)
    throw new UsageError(`${text} is not a place: write s3://bucket, s3://bucket/prefix or file:/absolute/folder`)
  const { endpoint, region, 'path-style': pathStyle, 'access-key-id': access_key_id } = options
  if (pathStyle !== undefined && pathStyle !== 'true' && pathStyle !== 'false')
    throw new UsageError('--path-style must be true or false.')
  return {
    kind: 's3',
    bucket,
    ...(prefix !== '' && { prefix }),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(pathStyle !== undefined && { path_style: pathStyle === 'true' }),
    ...(access_key_id !== undefined && { access_key_id }),
  }
}

async function listStorages({ client, json }: Run): Promise<void> {
  const { items } = await client.listStorages()
  const rows = items.map((one) => ({ ...one, where: printable(whereOf(one)) }))
  const longest = (texts: string[]) => Math.max(...texts.map(({ length }) => length))
  const names = longest(rows.map(({ name }) => name))
  const places = longest(rows.map(({ where }) => where))
  for (const [i, { name, kind, where, bucket_count, used_bytes, enabled, health }] of rows.entries())
    if (json) await print(`${JSON.stringify(items[i])}\n`)
    else {
      const counts = `${String(bucket_count).padStart(6)} buckets  ${String(used_bytes).padStart(15)}`
      const line = [name.padEnd(names), kind.padEnd(4), where.padEnd(places), counts, stateOf({ enabled, health })]
      await print(`${line.join('  ')}\n`)
    }
}

/** On or off, and since when it cannot be used. */
function stateOf({ enabled, health }: Pick<Storage, 'enabled' | 'health'>): string {
  if (!enabled) return 'off'
  // A service of an earlier release says nothing.
  if (!health || health.ok) return 'on'
  return `on, not reachable since ${health.since}: ${printable(health.detail ?? '')}`
}

function whereOf({ kind, folder, bucket, prefix, endpoint }: Storage): string {
  if (kind === 'file') return `file:${folder}`
  return `s3://${bucket}${prefix && `/${prefix}`}${endpoint === null ? '' : ` at ${endpoint}`}`
}

/** A place with the secret of its access key, from a prompt or standard input. */
export async function withSecret(place: Place): Promise<Place> {
  if (!place.access_key_id) return place
  const secret_access_key = await readSecret('Secret access key: ')
  if (secret_access_key === '') throw new UsageError('The secret access key is empty.')
  return { ...place, secret_access_key }
}

/** Adds a storage if its test finds no fault. */
async function addStorage(run: Run, name: string, given: { place: Place; mode: Mode }): Promise<void> {
  const place = await withSecret(given.place)
  const test = await run.client.testNewStorage({ body: { ...place, mode: given.mode } })
  if (!run.json) await printChecks(test)
  const storage = test.ok ? await run.client.createStorage({ body: { ...place, name } }) : null
  if (run.json) await print(`${JSON.stringify({ ...test, storage })}\n`)
  if (!storage) throw new Error(`The storage ${name} was not added, because a check failed.`)
  if (!run.json) await print(`Added the storage ${name}.\n`)
}

/** Changes how a storage is reached: its address, or its credentials, with the secret from a prompt or standard input. */
async function setStorage(run: Run, name: string, options: PlaceOptions): Promise<void> {
  if (Object.values(options).every((value) => value === undefined))
    throw new UsageError('Say what to change: --access-key-id, --endpoint, --region or --path-style.')
  // Only the options are taken from it.
  const {
    kind: _kind,
    bucket: _bucket,
    prefix: _prefix,
    folder: _folder,
    ...change
  } = await withSecret(placeOf('s3://unchanged', options))
  const storage = await run.client.updateStorage({ params: { storage: name }, body: change })
  await print(run.json ? `${JSON.stringify(storage)}\n` : `Changed the storage ${name}.\n`)
}

async function testStorage(run: Run, name: string, mode: Mode): Promise<void> {
  const test = await run.client.testStorage({ params: { storage: name }, body: { mode } })
  if (run.json) await print(`${JSON.stringify(test)}\n`)
  else await printChecks(test)
  if (!test.ok) throw new Error(`The storage ${name} cannot be used, because a check failed.`)
}

export async function printChecks({ checks }: StorageTest): Promise<void> {
  for (const { name, status, detail } of checks)
    await print(`${status.padEnd(7)}  ${name.padEnd(10)}  ${printable(detail)}\n`)
}

async function turn(run: Run, name: string, state: 'on' | 'off'): Promise<void> {
  const storage = await run.client.updateStorage({ params: { storage: name }, body: { enabled: state === 'on' } })
  await print(run.json ? `${JSON.stringify(storage)}\n` : `The storage ${name} is ${state}.\n`)
}

async function setMirror(run: Run, name: string, mirror: string | null): Promise<void> {
  const body = { mirror: mirror === null ? null : { storage: mirror } }
  const storage = await run.client.updateStorage({ params: { storage: name }, body })
  if (run.json) return print(`${JSON.stringify(storage)}\n`)
  await print(mirror === null ? `The storage ${name} has no mirror.\n` : `${mirror} is the mirror of ${name}.\n`)
}

async function failover(run: Run, name: string, accept_missing: boolean): Promise<void> {
  const storage = await run.client.failoverStorage({ params: { storage: name }, body: { accept_missing } })
  if (run.json) return print(`${JSON.stringify(storage)}\n`)
  await print(
    `The bytes of ${name} are now those of ${storage.served_by ?? name}; ${storage.mirror?.storage} is its mirror.\n`,
  )
}

async function removeStorage(run: Run, name: string): Promise<void> {
  await run.client.deleteStorage({ params: { storage: name } })
  await print(run.json ? `${JSON.stringify({ removed: name })}\n` : `Removed the storage ${name}.\n`)
}

async function createEventsToken({ client, json }: Run, name: string): Promise<void> {
  const { bucket, prefix } = await client.getStorage({ params: { storage: name } })
  const { token, url } = await client.createEventsToken({ params: { storage: name } })
  if (json) return print(`${JSON.stringify({ token, url })}\n`)
  const under = prefix === '' ? '' : ` --prefix '${prefix}'`
  await print(`Token: ${token}
URL:   ${url}

It is shown only now, and replaces the one before. To have a MinIO that mc calls "minio" report changes:

  mc admin config set minio notify_webhook:${name} endpoint='${url}' auth_token='Bearer ${token}'
  mc admin service restart minio
  mc event add minio/${bucket} arn:minio:sqs::${name}:webhook --event put,delete${under}

Other engines: see docs/attach.md.
`)
}

async function deleteEventsToken({ client, json }: Run, name: string): Promise<void> {
  await client.deleteEventsToken({ params: { storage: name } })
  await print(
    json
      ? `${JSON.stringify({ deleted: name })}\n`
      : `Reports of changes on the storage ${name} are no longer accepted.\n`,
  )
}
