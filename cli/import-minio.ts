import fs from 'node:fs'
import path from 'node:path'
import { Document } from 'yaml'
import { SECRET_FIELDS } from '../contract/names.ts'
import { applyFiles } from './apply.ts'
import { UsageError } from './config.ts'
import type { Files } from './configuration-file.ts'
import { type MinioExport, readExports } from './minio/read.ts'
import { tableOf } from './minio/table.ts'
import { type Imported, translateExport } from './minio/translate.ts'
import { print, type Run } from './run.ts'

interface ImportOptions {
  emailDomain: string | undefined
  rootUser: string | undefined
  /** Buckets: if any, no others are imported. */
  only: readonly string[]
  /** Buckets that are not imported. */
  exceptBuckets: readonly string[]
  /** `name=other` each: users who get the address of another name. */
  renames: readonly string[]
  label: string
  administrators: boolean
  publicAccess: boolean
  dryRun: boolean
  /** Where the configuration is written instead of being applied. */
  output: string | undefined
  yes: boolean
  json: boolean
}

/** `import minio`: translates exports of MinIO, says what becomes of each item, and applies the result or writes it. */
export async function importMinio(
  open: () => Run,
  names: readonly string[],
  { dryRun, output, yes, json, only, exceptBuckets, renames, ...choices }: ImportOptions,
): Promise<number> {
  if (output !== undefined && dryRun)
    throw new UsageError('--output changes nothing in the service: leave out --dry-run.')
  if (choices.emailDomain !== undefined && !/^[^\s@]+$/.test(choices.emailDomain))
    throw new UsageError('--email-domain is what follows the @: example.org')
  if (!/^(?=.*\S)[^\p{Cc}]{1,40}$/u.test(choices.label))
    throw new UsageError('--label is a name of up to 40 characters.')
  const exported = readExports(names)
  const isNamed =
    choices.emailDomain !== undefined || [...(exported.iam.users?.keys() ?? [])].every((one) => one.includes('@'))
  if (!isNamed) throw new UsageError('Users here have addresses: say with --email-domain what follows the @ in them.')
  const imported = translateExport(exported, {
    ...choices,
    renamed: renamedBy(renames, exported, choices.rootUser),
    leftOut: leftOutBy({ only, exceptBuckets }, exported),
    now: new Date(),
  })
  await print(json ? `${JSON.stringify({ items: imported.items })}\n` : tableOf(imported.items))
  if (output !== undefined) {
    await writeConfiguration(imported, output)
    return 0
  }
  if (!json) await print('\n')
  return applyFiles(open(), filesOf(imported), { dryRun, prune: false, yes })
}

/** The users who get another name, by their own. Throws for one whom nobody has: it would be a typing error. */
function renamedBy(renames: readonly string[], { iam }: MinioExport, rootUser: string | undefined) {
  const renamed = new Map<string, string>()
  for (const text of renames) {
    // A name may contain the sign: the longest one that is a user's counts.
    const ends = [...text.matchAll(/=/g)].map(({ index }) => index)
    const at = ends.findLast((end) => iam.users?.has(text.slice(0, end)) || text.slice(0, end) === rootUser)
    if (ends.length === 0 || text.endsWith('=')) throw new UsageError(`--rename is name=other, and not ${text}.`)
    if (at === undefined) throw new UsageError(`--rename ${text}: there is no such user in the export.`)
    const name = text.slice(0, at)
    if (renamed.has(name)) throw new UsageError(`--rename names ${name} twice.`)
    renamed.set(name, text.slice(at + 1))
  }
  return renamed
}

/** The buckets of an export that are not imported. Throws for one that is not in it. */
function leftOutBy(
  { only, exceptBuckets }: Pick<ImportOptions, 'only' | 'exceptBuckets'>,
  { buckets }: MinioExport,
): Set<string> {
  for (const [option, names] of [
    ['--only', only],
    ['--except-bucket', exceptBuckets],
  ] as const)
    for (const name of names)
      if (!buckets.has(name)) throw new UsageError(`${option} ${name}: there is no such bucket in the export.`)
  const isOut = (name: string) => exceptBuckets.includes(name) || (only.length > 0 && !only.includes(name))
  return new Set([...buckets.keys()].filter(isOut))
}

/** What is translated, as `apply` takes it: an entry is its own place. */
const filesOf = ({ configuration, settings }: Imported): Files => ({
  configuration: { ...configuration, ...(Object.keys(settings).length > 0 && { settings }) },
  faults: [],
  placeOf(at) {
    const [kind = '', index = ''] = at.split('.')
    const entry = configuration[kind]?.[Number(index)]
    return `${kind} ${String(entry?.access_key_id ?? entry?.email ?? entry?.name ?? index)}`.trim()
  },
})

/**
 * Writes a configuration, and each secret to a file of its own in a folder next to it, which only their owner can read. Throws if
 * one of them exists.
 */
async function writeConfiguration({ configuration, settings }: Imported, output: string): Promise<void> {
  const folder = `${output}.secrets`
  const secrets = new Map<string, string>()
  const document = Object.entries(configuration).map(([kind, list]) => [
    kind,
    list.map((entry) =>
      Object.fromEntries(
        Object.entries(entry).map(([field, value]) => {
          if (!SECRET_FIELDS[kind]?.includes(field)) return [field, value]
          const name = String(entry.access_key_id)
          secrets.set(name, String(value))
          return [field, { file: `./${path.basename(folder)}/${name}` }]
        }),
      ),
    ),
  ])
  const sections = Object.keys(settings).length > 0 ? { settings } : {}
  const text = new Document({ ...Object.fromEntries(document), ...sections })
  text.commentBefore = ` Translated by "strongroom import minio". Secrets are in ${path.basename(folder)}, a file each.`
  if (secrets.size > 0) fs.mkdirSync(folder, { mode: 0o700 })
  for (const [name, secret] of secrets) fs.writeFileSync(path.join(folder, name), secret, { mode: 0o600, flag: 'wx' })
  fs.writeFileSync(output, text.toString({ lineWidth: 120 }), { mode: 0o600, flag: 'wx' })
  await print(`Wrote ${output}${secrets.size > 0 ? ` and ${folder}` : ''}.\n`)
}
