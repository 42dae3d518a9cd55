import fs from 'node:fs'
import path from 'node:path'
import { Document } from 'yaml'
import { SECRET_FIELDS } from '../contract/names.ts'
import { applyFiles } from './apply.ts'
import { UsageError } from './config.ts'
import type { Files } from './configuration-file.ts'
import { readExports } from './minio/read.ts'
import { tableOf } from './minio/table.ts'
import { type Imported, translateExport } from './minio/translate.ts'
import { print, type Run } from './run.ts'

interface ImportOptions {
  emailDomain: string | undefined
  rootUser: string | undefined
  label: string
  administrators: boolean
  withDetails: boolean
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
  { dryRun, output, yes, json, ...choices }: ImportOptions,
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
  const imported = translateExport(exported, { ...choices, now: new Date() })
  await print(json ? `${JSON.stringify({ items: imported.items })}\n` : tableOf(imported.items))
  if (output !== undefined) {
    await writeConfiguration(imported, output)
    return 0
  }
  if (!json) await print('\n')
  return applyFiles(open(), filesOf(imported), { dryRun, prune: false, yes })
}

/** What is translated, as `apply` takes it: an entry is its own place. */
const filesOf = ({ configuration }: Imported): Files => ({
  configuration,
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
async function writeConfiguration({ configuration }: Imported, output: string): Promise<void> {
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
  const text = new Document(Object.fromEntries(document))
  text.commentBefore = ` Translated by "strongroom import minio". Secrets are in ${path.basename(folder)}, a file each.`
  if (secrets.size > 0) fs.mkdirSync(folder, { mode: 0o700 })
  for (const [name, secret] of secrets) fs.writeFileSync(path.join(folder, name), secret, { mode: 0o600, flag: 'wx' })
  fs.writeFileSync(output, text.toString({ lineWidth: 120 }), { mode: 0o600, flag: 'wx' })
  await print(`Wrote ${output}${secrets.size > 0 ? ` and ${folder}` : ''}.\n`)
}
