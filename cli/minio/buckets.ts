import { isBucketName } from '../../contract/names.ts'
import type { BucketEntry, Read } from './bucket-entry.ts'
import { corsOf } from './cors.ts'
import { lifecycleOf } from './lifecycle.ts'
import { translatePolicy } from './policies.ts'
import { isFields, type MinioExport } from './read.ts'
import { type Item, shortList } from './table.ts'
import { childOf, childrenOf, numberIn, parseXml, textIn, type XmlNode } from './xml.ts'

const nothing = (...notes: string[]): Read => ({ fields: {}, notes })

const GIB = 1024 ** 3
const MOST_GB = 1_000_000

/** What is known besides of the bucket that is read. */
interface Bucket {
  name: string
  publicAccess: boolean
}

const readers: { readonly [file: string]: (text: string, bucket: Bucket) => Read } = {
  'quota.json': quotaOf,
  'versioning.xml': (text) => versioningOf(parseXml(text)),
  'object-lock.xml': (text) => lockOf(parseXml(text)),
  'lifecycle.xml': (text) => lifecycleOf(parseXml(text)),
  'cors.xml': (text) => corsOf(parseXml(text)),
  'policy.json': policyOf,
  'notification.xml': (text) => nothing(...targetsOf(parseXml(text))),
  'tagging.xml': (text) => nothing(...tagsOf(parseXml(text))),
  'bucket-encryption.xml': (text) => encryptionOf(parseXml(text)),
  'replication.xml': (text) =>
    nothing(...ifAny(parseXml(text), 'Rule', 'Replication to other services is not translated.')),
  // The rules of replication say the same.
  'bucket-targets.json': () => nothing(),
}

/** Translates buckets with what is configured of them, but for those that are left out. */
export function bucketsOf(
  buckets: MinioExport['buckets'],
  { leftOut, publicAccess }: { leftOut: ReadonlySet<string>; publicAccess: boolean },
): { buckets: BucketEntry[]; items: Item[] } {
  const entries: BucketEntry[] = []
  const items: Item[] = []
  for (const [name, files] of buckets) {
    if (leftOut.has(name)) {
      items.push({ kind: 'bucket', name, verdict: 'not', notes: ['It is left out, as you asked.'] })
      continue
    }
    if (!isBucketName(name)) {
      items.push({ kind: 'bucket', name, verdict: 'not', notes: ['Buckets here cannot have this name.'] })
      continue
    }
    const entry: BucketEntry = { name }
    const notes: string[] = []
    for (const [file, text] of [...files].sort()) {
      const read = readFile(file, text, { name, publicAccess })
      Object.assign(entry, read.fields)
      notes.push(...read.notes)
    }
    // Object Lock needs versions, in MinIO too.
    if (entry.object_lock) entry.versioning = 'enabled'
    entries.push(entry)
    const has = Object.keys(entry).filter((field) => field !== 'name')
    const made = has.length > 0 ? [`With ${has.join(', ')}.`] : []
    items.push({ kind: 'bucket', name, verdict: notes.length > 0 ? 'narrower' : 'exact', notes: [...made, ...notes] })
  }
  return { buckets: entries, items }
}

function readFile(file: string, text: string, bucket: Bucket): Read {
  try {
    return readers[file]?.(text, bucket) ?? nothing(`${file} is not translated.`)
  } catch (error) {
    return nothing(`${file} cannot be read: ${(error as Error).message.split('\n', 1)[0]}`)
  }
}

const ifAny = (root: XmlNode, name: string, note: string): string[] => (childOf(root, name) ? [note] : [])

/** The quota. Older releases have it as `quota`, newer ones as `size`, some as both. */
function quotaOf(text: string): Read {
  const value: unknown = JSON.parse(text)
  if (!isFields(value)) return nothing()
  const { quota, size, quotatype, rate, requests } = value
  const bytes = [size, quota].find((one) => typeof one === 'number' && one > 0)
  const notes = [rate, requests].some((one) => typeof one === 'number' && one > 0)
    ? ['Limits of bandwidth and requests are not translated.']
    : []
  if (typeof bytes !== 'number') return nothing(...notes)
  if (quotatype !== 'hard') return nothing(...notes, `A quota of the kind ${String(quotatype)} is not translated.`)
  const quota_gb = bytes / GIB
  if (!Number.isSafeInteger(bytes) || quota_gb > MOST_GB)
    return nothing(...notes, `A quota of ${bytes} bytes is more than ${MOST_GB} GB, the most that is possible here.`)
  return { fields: { quota_gb }, notes }
}

function versioningOf(root: XmlNode): Read {
  const status = textIn(root, 'Status')
  if (status !== 'Enabled' && status !== 'Suspended') return nothing()
  const versioning = status === 'Enabled' ? ('enabled' as const) : ('suspended' as const)
  const excluded = childrenOf(root, 'ExcludedPrefixes').flatMap((one) => textIn(one, 'Prefix') ?? [])
  if (textIn(root, 'ExcludeFolders') === 'true') excluded.push('folders')
  const notes = excluded.length > 0 ? [`Versions are kept of all keys, also of ${shortList(excluded)}.`] : []
  return { fields: { versioning }, notes }
}

function lockOf(root: XmlNode): Read {
  if (textIn(root, 'ObjectLockEnabled') !== 'Enabled') return nothing()
  const rule = childOf(root, 'Rule')
  const retention = rule && childOf(rule, 'DefaultRetention')
  if (!retention) return { fields: { object_lock: {} }, notes: [] }
  const mode = (['governance', 'compliance'] as const).find((one) => one === textIn(retention, 'Mode')?.toLowerCase())
  const [days, years] = [numberIn(retention, 'Days'), numberIn(retention, 'Years')]
  const isTime = days === undefined ? isIn(years, 100) : years === undefined && isIn(days, 36_500)
  if (!mode || !isTime)
    return { fields: { object_lock: {} }, notes: ['The default lock cannot be read: new objects are not locked.'] }
  const lock = { mode, ...(days === undefined ? {} : { days }), ...(years === undefined ? {} : { years }) }
  return { fields: { object_lock: lock }, notes: [] }
}
const isIn = (value: number | undefined, most: number): boolean => value !== undefined && value >= 1 && value <= most

/** How new objects are encrypted. Which key service MinIO asks is configured outside of the export. */
function encryptionOf(root: XmlNode): Read {
  const rule = childOf(root, 'Rule')
  const byDefault = rule && childOf(rule, 'ApplyServerSideEncryptionByDefault')
  const algorithm = byDefault && textIn(byDefault, 'SSEAlgorithm')
  if (!algorithm) return nothing()
  const encryption = { algorithm: 'AES256' } as const
  if (algorithm === 'AES256') return { fields: { encryption }, notes: [] }
  if (algorithm !== 'aws:kms') return nothing(`Encryption by ${algorithm} is not translated.`)
  const key = textIn(byDefault, 'KMSMasterKeyID')
  const named = key ? `the key ${key}` : 'a key'
  const note = `New objects are encrypted with keys of the service instead of ${named} of a key service: register that, and set it.`
  return { fields: { encryption }, notes: [note] }
}

/** Its policy, which MinIO asks for requests without a credential. */
function policyOf(text: string, { name, publicAccess }: Bucket): Read {
  const value: unknown = JSON.parse(text)
  if (!isFields(value)) return nothing('Its policy cannot be read: nothing becomes public.')
  const translation = translatePolicy(value, { of: 'anonymous', ofKey: false, bucket: name })
  if ('obstacle' in translation)
    return nothing(`Its policy is not brought over, nothing becomes public: ${translation.obstacle}.`)
  const { document, notes } = translation
  const policy = document as BucketEntry['policy'] | null
  if (!policy) return nothing(...notes)
  const allowed = policy.Statement.filter(({ Effect }) => Effect === 'Allow')
  if (allowed.length > 0 && !publicAccess)
    return nothing(
      'Its policy is not brought over, nothing becomes public. With --public-access it is, and public access is turned on.',
    )
  return { fields: { policy }, notes }
}

/** Notification targets: the export has their names, and no URLs. */
const targetsOf = (root: XmlNode): string[] =>
  root.children
    .filter(({ name }) => name.endsWith('Configuration'))
    .map((one) => {
      const target = ['Queue', 'Topic', 'CloudFunction'].map((name) => textIn(one, name)).find(Boolean) ?? '?'
      const events = childrenOf(one, 'Event').map(({ text }) => text.trim())
      const key = childOf(one, 'Filter')
      const rules = (key ? childrenOf(childOf(key, 'S3Key') ?? key, 'FilterRule') : []).map(
        (rule) => `${textIn(rule, 'Name')} ${textIn(rule, 'Value')}`,
      )
      const filter = rules.length > 0 ? ` (${rules.join(', ')})` : ''
      return `Events to ${target} are not translated, its URL is not exported: ${shortList(events)}${filter}.`
    })

function tagsOf(root: XmlNode): string[] {
  const set = childOf(root, 'TagSet')
  const names = (set ? childrenOf(set, 'Tag') : []).map((tag) => textIn(tag, 'Key') ?? '')
  return names.length > 0 ? [`Tags (${shortList(names)}) are not translated: set them with PutBucketTagging.`] : []
}
