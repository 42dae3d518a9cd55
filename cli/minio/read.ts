/**
 * Reads what MinIO exports, as its commands `mc admin cluster iam export` and `mc admin cluster bucket export` write it:
 *
 * - a zip with `iam-assets/policies.json`, `users.json`, `groups.json`, `svcaccts.json`, `user_mappings.json`,
 *   `group_mappings.json` and `stsuser_mappings.json`, each an object by name;
 * - a zip with a folder for each bucket, in which `policy.json`, `notification.xml`, `lifecycle.xml`,
 *   `bucket-encryption.xml`, `tagging.xml`, `quota.json`, `object-lock.xml`, `versioning.xml`, `replication.xml` and
 *   `bucket-targets.json` (XML in spite of its name) are, and since some releases `cors.xml`; only those that are configured.
 *
 * Read as of MinIO's releases from 2022 to 2026; names and fields were taken from its public sources, no code was.
 */
import fs from 'node:fs'
import path from 'node:path'
import { readZip } from './zip.ts'

const MIB = 1024 ** 2
/** Exports hold names and rules; one of a thousand users has less than a megabyte. */
const MOST_BYTES = 256 * MIB
const MOST_DEPTH = 4

const IAM_FILES = [
  'policies',
  'users',
  'groups',
  'svcaccts',
  'user_mappings',
  'group_mappings',
  'stsuser_mappings',
] as const
export type IamFile = (typeof IAM_FILES)[number]
const BUCKET_FILES = [
  'policy.json',
  'notification.xml',
  'lifecycle.xml',
  'bucket-encryption.xml',
  'tagging.xml',
  'quota.json',
  'object-lock.xml',
  'versioning.xml',
  'replication.xml',
  'bucket-targets.json',
  'cors.xml',
]

export interface Fields {
  [name: string]: unknown
}
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** Names in the same order on every machine. */
export const byName = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** What was exported. */
export interface MinioExport {
  /** Each file's entries by name, in order of their names. */
  iam: { readonly [F in IamFile]?: ReadonlyMap<string, Fields> }
  /** Each bucket's files by name. */
  buckets: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Files that are in neither export. */
  others: readonly string[]
}

/** Reads zips, unpacked ones, and folders of either. Throws if something cannot be read, or nothing of MinIO's is there. */
export function readExports(names: readonly string[]): MinioExport {
  const found: Found[] = []
  for (const name of names) collect(name, found)
  const iam: { [F in IamFile]?: Map<string, Fields> } = {}
  const buckets = new Map<string, Map<string, string>>()
  const others: string[] = []
  for (const { place, folder, file, bytes } of found) {
    const kind = IAM_FILES.find((one) => `${one}.json` === file)
    if (folder === 'iam-assets' && kind) {
      if (iam[kind]) throw new Error(`There are two files ${file}: import the export of one MinIO at a time.`)
      iam[kind] = entriesOf(place, bytes)
    } else if (folder !== '' && folder !== 'iam-assets' && BUCKET_FILES.includes(file)) {
      const files = buckets.get(folder) ?? new Map<string, string>()
      if (files.has(file)) throw new Error(`There are two files ${folder}/${file}: import one MinIO at a time.`)
      buckets.set(folder, files.set(file, bytes.toString()))
    } else others.push(place)
  }
  if (Object.keys(iam).length === 0 && buckets.size === 0)
    throw new Error(`Nothing that MinIO exports is in ${names.join(', ')}.`)
  return { iam, buckets: new Map([...buckets].sort(([one], [other]) => byName(one, other))), others }
}

interface Found {
  /** For messages. */
  place: string
  /** The folder that it is directly in; '' at the top of a zip. */
  folder: string
  file: string
  bytes: Buffer
}

function collect(name: string, found: Found[], depth = 0): void {
  const stat = fs.lstatSync(name)
  const isGiven = depth === 0
  if (stat.isDirectory() || (isGiven && fs.statSync(name).isDirectory())) {
    if (depth === MOST_DEPTH) return
    for (const entry of fs.readdirSync(name).sort(byName)) collect(path.join(name, entry), found, depth + 1)
    return
  }
  if (!stat.isFile() && !isGiven) return
  const size = fs.statSync(name).size
  if (isGiven || /\.zip$/i.test(name)) {
    if (size > MOST_BYTES) throw new Error(`${name} is larger than an export: ${size} bytes`)
    try {
      for (const [inner, bytes] of readZip(fs.readFileSync(name), MOST_BYTES))
        found.push({ place: `${name}/${inner}`, ...endOf(inner), bytes })
    } catch (error) {
      throw new Error(`${name} ${(error as Error).message}`)
    }
    return
  }
  const place = path.resolve(name).split(path.sep).join('/')
  // What is not MinIO's is only named.
  const isTheirs = [...IAM_FILES.map((one) => `${one}.json`), ...BUCKET_FILES].includes(path.basename(name))
  found.push({
    place: name,
    ...endOf(place),
    bytes: isTheirs && size <= MOST_BYTES ? fs.readFileSync(name) : Buffer.alloc(0),
  })
}

function endOf(place: string): Pick<Found, 'folder' | 'file'> {
  const [file = '', folder = ''] = place.split('/').reverse()
  return { folder, file }
}

/** A file's entries by name. `null` is an empty one, as Go writes it. */
function entriesOf(place: string, bytes: Buffer): Map<string, Fields> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch (error) {
    throw new Error(`${place} is not JSON: ${(error as Error).message}`)
  }
  if (value === null) return new Map()
  if (!isFields(value)) throw new Error(`${place} is not an object`)
  const entries = Object.entries(value).map(([name, entry]): [string, Fields] => {
    if (!isFields(entry)) throw new Error(`${place}: ${JSON.stringify(name)} is not an object`)
    return [name, entry]
  })
  return new Map(entries.sort(([one], [other]) => byName(one, other)))
}

/** The texts of a list; a single text counts as a list of one. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
