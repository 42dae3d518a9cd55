import { UsageError } from './config.ts'
import { bucketName } from './places.ts'
import { print, type Run } from './run.ts'
import { storageName } from './storages.ts'

export const BUCKETS_USAGE = 'buckets [options] [--json] create|set <bucket>'

/** The options of a bucket, as they are typed. */
export const BUCKET_OPTIONS = [
  'quota-gb',
  'history-quota-gb',
  'quota-includes-history',
  'trash-days',
  'versioning',
  'object-lock',
  'encryption',
  'block-public-access',
  'storage',
] as const
export type BucketOptions = { [option in (typeof BUCKET_OPTIONS)[number]]?: string | undefined }

type Change = Parameters<Run['client']['updateBucket']>[0]['body']
type ObjectLock = NonNullable<Change['object_lock']>

/** `buckets create|set`. */
export async function buckets(run: Run, words: readonly string[], options: BucketOptions): Promise<void> {
  const [what, name = ''] = words
  if (what === 'create') return createBucket(run, bucketName(name), options)
  if (what === 'set') return setBucket(run, bucketName(name), options)
  throw new UsageError(`usage: strongroom ${BUCKETS_USAGE}`)
}

async function createBucket({ client, json }: Run, name: string, options: BucketOptions): Promise<void> {
  const { storage } = options
  if (options['block-public-access'] !== undefined) throw new UsageError('--block-public-access is for "buckets set".')
  const bucket = await client.createBucket({
    body: { name, ...changeOf(options), ...(storage === undefined ? {} : { storage: storageName(storage) }) },
  })
  await print(json ? `${JSON.stringify(bucket)}\n` : `Created the bucket ${name}.\n`)
}

async function setBucket({ client, json }: Run, name: string, options: BucketOptions): Promise<void> {
  if (options.storage !== undefined)
    throw new UsageError('--storage is for "buckets create". To move a bucket: strongroom migrate')
  const blocked = options['block-public-access']
  const body: Change = {
    ...changeOf(options),
    ...(blocked === undefined ? {} : { public_access_blocked: truthOf('--block-public-access', blocked) }),
  }
  if (Object.keys(body).length === 0)
    throw new UsageError(
      'Say what to change: --quota-gb, --history-quota-gb, --quota-includes-history, --trash-days, --versioning, --object-lock, --encryption or --block-public-access.',
    )
  const bucket = await client.updateBucket({ params: { bucket: name }, body })
  await print(json ? `${JSON.stringify(bucket)}\n` : `Changed the bucket ${name}.\n`)
}

/** What can be said of a bucket when it is created, and later. */
function changeOf(options: BucketOptions): Change {
  const { 'quota-gb': quota, 'history-quota-gb': history, 'quota-includes-history': included } = options
  const { 'trash-days': days, versioning, 'object-lock': lock, encryption } = options
  return {
    ...(quota === undefined ? {} : { quota_gb: quotaOf('--quota-gb', quota) }),
    ...(history === undefined ? {} : { history_quota_gb: quotaOf('--history-quota-gb', history) }),
    ...(included === undefined ? {} : { quota_includes_history: truthOf('--quota-includes-history', included) }),
    ...(days === undefined ? {} : { trash_days: daysOf(days) }),
    ...(versioning === undefined ? {} : { versioning: versioningOf(versioning) }),
    ...(lock === undefined ? {} : { object_lock: lockOf(lock) }),
    ...(encryption === undefined ? {} : { encryption: encryptionOf(encryption) }),
  }
}

function quotaOf(option: string, text: string): number | null {
  if (text === 'none') return null
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text)
  throw new UsageError(`${option} must be a number greater than 0, or none.`)
}

function daysOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError('--trash-days must be a number. 0: no trash.')
}

function versioningOf(text: string): 'enabled' | 'suspended' {
  if (text === 'enabled' || text === 'suspended') return text
  throw new UsageError('--versioning must be enabled or suspended.')
}

/** `on`, or how each new version is locked, such as `governance:30d`. */
function lockOf(text: string): ObjectLock {
  if (text === 'on') return {}
  const [, mode, length, unit] = /^(governance|compliance):([1-9]\d{0,5})([dy])$/.exec(text) ?? []
  if (mode !== 'governance' && mode !== 'compliance')
    throw new UsageError('--object-lock must be on, or a mode and a time such as governance:30d or compliance:1y.')
  return unit === 'y' ? { mode, years: Number(length) } : { mode, days: Number(length) }
}

/** `none`, `AES256`, or the name of a key of a key service, such as `aws:kms:finance`. */
export function encryptionOf(text: string): Change['encryption'] {
  if (text === 'none') return null
  if (text === 'AES256') return { algorithm: text }
  const [, key] = /^aws:kms:(.+)$/.exec(text) ?? []
  if (key === undefined) throw new UsageError('--encryption must be AES256, none, or a key such as aws:kms:finance.')
  return { algorithm: 'aws:kms', key }
}

function truthOf(option: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`${option} must be true or false.`)
}
