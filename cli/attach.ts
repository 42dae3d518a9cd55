import { type Bucket, ProblemError, type Storage, type StorageTest } from '../client/index.ts'
import { isBucketName } from '../contract/names.ts'
import { UsageError } from './config.ts'
import { printable } from './places.ts'
import { agrees, describe, print, type Run } from './run.ts'
import { followScan, printScan, refuseHeld } from './scan.ts'
import { type Place, type PlaceOptions, placeOf, printChecks, storageName, withSecret } from './storages.ts'

/** That of STORAGE_URL. */
const DEFAULT_STORAGE = 'default'

interface AttachOptions extends PlaceOptions {
  bucket: string | undefined
  storage: string | undefined
  yes: boolean
  wait: boolean
}

/** What is attached, and as which bucket. */
interface Plan {
  bucket: string
  storage: string
  /** Of a storage that is added first. */
  place?: Place
  /** What to show of the engine's bucket, if not all that is under the storage's prefix. */
  prefix?: string
  /** What is shown, for display. */
  where: string
}

/** `attach`: tests a bucket of an S3 engine, shows it as a read-only bucket, and with `wait` follows its first scan. */
export async function attach(run: Run, target: string, options: AttachOptions): Promise<void> {
  const { client, json } = run
  const plan = await planOf(run, target, options)
  await refuseExisting(run, plan.bucket)
  const place = plan.place && (await withSecret(plan.place))
  const test = await testPlan(run, plan, place)
  if (!json) {
    await printChecks(test)
    await printPreview(test)
  }
  if (!test.ok) {
    if (json) await print(`${JSON.stringify({ ...test, storage: null, bucket: null, scan: null })}\n`)
    throw new Error('Nothing was attached, because a check failed.')
  }
  if (!(await agrees(`Attach ${printable(plan.where)} as the bucket ${plan.bucket}?`, options.yes)))
    throw new Error('Nothing was attached.')
  if (place) {
    await client.createStorage({ body: { ...place, name: plan.storage } })
    if (!json) await print(`Added the storage ${plan.storage}.\n`)
  }
  const bucket = await createAttached(run, plan)
  if (!json) await print(`Attached ${printable(plan.where)} as the bucket ${bucket.name}.\n`)
  const ofBucket = { params: { bucket: bucket.name } }
  const [queued] = (await client.listScans({ ...ofBucket, query: { limit: 1 } })).items
  const first = queued ?? (await client.startScan(ofBucket))
  const scan = options.wait ? await followScan(run, first) : first
  if (json) {
    const storage = await client.getStorage({ params: { storage: plan.storage } })
    await print(`${JSON.stringify({ ...test, storage, bucket: await client.getBucket(ofBucket), scan })}\n`)
  } else if (options.wait) await printScan(run, scan)
  else await print(`Its first scan has started; to follow it, run "strongroom scan ${bucket.name}".\n`)
  if (options.wait) refuseHeld(scan)
}

/** Which storage to use or to add for a target, and what to call the bucket. */
async function planOf({ client }: Run, target: string, options: AttachOptions): Promise<Plan> {
  const named = options.storage === undefined ? undefined : storageName(options.storage)
  if (named === DEFAULT_STORAGE) throw new UsageError('Nothing can be attached from the default storage.')
  // In a storage that is registered, a prefix is enough.
  const given = named === undefined || /^\w+:/.test(target) ? s3Place(target, options) : undefined
  const bucket = options.bucket ?? given?.bucket ?? undefined
  if (bucket !== undefined) checkBucketName(bucket)
  const { items } = await client.listStorages()
  const storage = items.find((one) =>
    named === undefined ? given && one.name !== DEFAULT_STORAGE && isIn(one, given) : one.name === named,
  )
  if (storage) {
    const text = given ? target : `s3://${storage.bucket}/${target}`
    const endpoint = options.endpoint ?? storage.endpoint ?? undefined
    return planIn(storage, s3Place(text, { ...options, endpoint }), options.bucket)
  }
  if (!given) throw new UsageError(`There is no storage ${named}: to add it, write s3://bucket or s3://bucket/prefix`)
  const name = named ?? nameFor(given)
  if (items.some((one) => one.name === name))
    throw new Error(`There is a storage ${name} already, for another place: choose a name with --storage.`)
  return { bucket: bucket ?? '', storage: name, place: given, where: `s3://${given.bucket}/${withSlash(given.prefix)}` }
}

function planIn(storage: Storage, place: Place, bucket = place.bucket ?? ''): Plan {
  const prefix = withSlash(place.prefix)
  const where = `s3://${place.bucket}/${prefix}`
  if (!isIn(storage, place))
    throw new Error(`${printable(where)} with these options is not in the storage ${storage.name}.`)
  checkBucketName(bucket)
  return { bucket, storage: storage.name, ...(prefix !== storage.prefix && { prefix }), where }
}

function s3Place(text: string, options: PlaceOptions): Place {
  const place = placeOf(text, options)
  if (place.kind === 's3') return place
  throw new UsageError('Only a bucket of an S3 engine can be attached: write s3://bucket')
}

function checkBucketName(name: string): void {
  if (!isBucketName(name)) throw new UsageError(`"${name}" is not a valid bucket name: choose one with --bucket.`)
}

const withSlash = (prefix = ''): string => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`)

/** A storage's name from that of the engine's bucket, and the prefix. */
const nameFor = ({ bucket, prefix = '' }: Place): string =>
  storageName(
    `${bucket}/${prefix}`
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 63)
      .replace(/^-|-$/g, ''),
  )

/** Whether a place is in a registered storage, and reached as the storage is, as far as that is given. */
function isIn(storage: Storage, { bucket, endpoint, prefix, ...given }: Place): boolean {
  const sameAddress = storage.bucket === bucket && addressOf(storage.endpoint) === addressOf(endpoint)
  const reached = (['region', 'path_style', 'access_key_id'] as const).every(
    (option) => given[option] === undefined || given[option] === storage[option],
  )
  return storage.kind === 's3' && sameAddress && reached && withSlash(prefix).startsWith(storage.prefix)
}

const addressOf = (endpoint: string | null | undefined): string | null =>
  endpoint && URL.canParse(endpoint) ? new URL(endpoint).href.replace(/\/+$/, '') : (endpoint ?? null)

/** Refuses a name that a bucket has already, before anything is added. */
async function refuseExisting({ client }: Run, bucket: string): Promise<void> {
  const existing = await client.getBucket({ params: { bucket } }).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return undefined
    throw error
  })
  if (!existing) return
  const { source } = existing
  const shows = source ? `, which shows ${printable(`s3://${source.bucket}/${source.prefix}`)}` : ''
  throw new Error(`There is a bucket ${bucket} already${shows}: choose another name with --bucket.`)
}

/** Tests the place of a new storage, or a prefix of a registered one. */
function testPlan({ client }: Run, { storage, prefix }: Plan, place: Place | undefined): Promise<StorageTest> {
  if (place) return client.testNewStorage({ body: { ...place, mode: 'read_only' } })
  const asked = prefix === undefined ? {} : { prefix }
  return client.testStorage({ params: { storage }, body: { mode: 'read_only', ...asked } })
}

/** How many of the first objects are shown. */
const SHOWN = 10

async function printPreview({ ok, preview }: StorageTest): Promise<void> {
  if (!ok) return
  if (preview.length === 0) return print('There are no objects yet.\n')
  await print('The first objects:\n')
  for (const { key, size } of preview.slice(0, SHOWN)) await print(`${String(size).padStart(15)}  ${printable(key)}\n`)
}

/** Creates the bucket; if that fails, says what has stayed. */
async function createAttached({ client }: Run, { bucket, storage, prefix, place }: Plan): Promise<Bucket> {
  try {
    return await client.createBucket({
      body: { name: bucket, storage, mode: 'read_only', ...(prefix !== undefined && { prefix }) },
    })
  } catch (error) {
    if (!place) throw error
    throw new Error(
      `${describe(error)}\nThe storage ${storage} stays registered: the next "strongroom attach" uses it, and "strongroom storages remove ${storage}" forgets it.`,
    )
  }
}
