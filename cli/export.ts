import { Document, isMap, isSeq } from 'yaml'
import { SECRET_FIELDS } from '../contract/names.ts'
import { print, type Run } from './run.ts'

/** Entries of these kinds say where a secret of theirs can be given, if they have this field. */
const HINTS: { readonly [kind: string]: string } = {
  storages: 'access_key_id',
  access_keys: 'access_key_id',
  webhooks: 'url',
}

/** Prints a configuration file that names all that a service has. */
export async function exportConfiguration({ client, json }: Run): Promise<void> {
  const { configuration } = await client.exportConfiguration()
  if (json) return print(`${JSON.stringify(configuration, null, 2)}\n`)
  const document = new Document(configuration)
  document.commentBefore = ` Exported by "strongroom export". Secrets are not in it: where something is to be created that needs one,
 say where it is, as the comments show.`
  for (const [kind, field] of Object.entries(HINTS)) {
    const list = document.get(kind)
    if (!isSeq(list)) continue
    for (const entry of list.items)
      if (isMap(entry) && entry.has(field)) {
        const name = String(entry.get('access_key_id') ?? entry.get('name'))
        entry.comment = ` ${SECRET_FIELDS[kind]?.[0]}: { env: ${variableFor(name)} }`
      }
  }
  await print(document.toString({ lineWidth: 120 }))
}

/** A variable's name for a secret of what is called so. */
const variableFor = (name: string): string => `SECRET_OF_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
