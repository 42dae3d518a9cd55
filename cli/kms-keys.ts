// The command `kms-keys`: administrators list, register, turn off and delete the keys of key services.
import { KMS_KEY_NAME } from '../contract/names.ts'
import { UsageError } from './config.ts'
import { printable } from './places.ts'
import { print, type Run, readSecret } from './run.ts'

export const KMS_KEYS_USAGE =
  'kms-keys [options] [--json] [list | create <name> <key id> | enable|disable|delete <name>]'

type KmsKey = Awaited<ReturnType<Run['client']['listKmsKeys']>>['items'][number]

/** How a key service is reached. */
export const KMS_OPTIONS = ['kind', 'endpoint', 'region', 'mount', 'access-key-id'] as const
export type KmsOptions = { [option in (typeof KMS_OPTIONS)[number]]?: string | undefined }

/** `kms-keys`: lists them, or does something with one. */
export async function kmsKeys(run: Run, words: readonly string[], options: KmsOptions): Promise<void> {
  const [what = 'list', name, id] = words
  if (what === 'create' && name !== undefined && id !== undefined) return create(run, keyName(name), { id, options })
  const unused = KMS_OPTIONS.find((option) => options[option] !== undefined)
  if (unused !== undefined) throw new UsageError(`--${unused} is for "kms-keys create".`)
  if (what === 'list' && name === undefined) return list(run)
  if (name !== undefined && id === undefined) {
    if (what === 'enable' || what === 'disable') return turn(run, keyName(name), what)
    if (what === 'delete') return remove(run, keyName(name))
  }
  throw new UsageError(`usage: strongroom ${KMS_KEYS_USAGE}`)
}

function keyName(text: string): string {
  if (new RegExp(KMS_KEY_NAME).test(text)) return text
  throw new UsageError(`"${text}" is not a valid name of a key: use letters, digits, ., _ and -.`)
}

async function list({ client, json }: Run): Promise<void> {
  const { items } = await client.listKmsKeys()
  const names = Math.max(...items.map(({ name }) => name.length))
  for (const key of items) await print(json ? `${JSON.stringify(key)}\n` : `${lineOf(key, names)}\n`)
}

const lineOf = ({ name, kind, key_id, endpoint, region, enabled }: KmsKey, names: number): string =>
  [
    name.padEnd(names),
    kind.padEnd(7),
    enabled ? 'on ' : 'off',
    `${key_id} at ${printable(endpoint ?? region ?? 'AWS')}`,
  ].join('  ')

/** Registers a key that the service has tested. */
async function create(run: Run, name: string, { id: key_id, options }: { id: string; options: KmsOptions }) {
  const { kind = 'aws', endpoint, region, mount, 'access-key-id': access_key_id } = options
  if (kind !== 'aws' && kind !== 'transit') throw new UsageError('--kind must be aws or transit.')
  const asked = kind === 'transit' ? 'Token: ' : access_key_id === undefined ? undefined : 'Secret access key: '
  const secret = asked === undefined ? undefined : await readSecret(asked)
  if (secret === '') throw new UsageError('The secret is empty.')
  const key = await run.client.createKmsKey({
    body: {
      name,
      kind,
      key_id,
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
      ...(mount !== undefined && { mount }),
      ...(access_key_id !== undefined && { access_key_id }),
      ...(secret !== undefined && { secret }),
    },
  })
  await print(run.json ? `${JSON.stringify(key)}\n` : `Registered the key ${name}.\n`)
}

async function turn({ client, json }: Run, name: string, what: 'enable' | 'disable'): Promise<void> {
  const key = await client.updateKmsKey({ params: { key: name }, body: { enabled: what === 'enable' } })
  await print(json ? `${JSON.stringify(key)}\n` : `The key ${name} is ${key.enabled ? 'on' : 'off'}.\n`)
}

async function remove({ client, json }: Run, name: string): Promise<void> {
  await client.deleteKmsKey({ params: { key: name } })
  await print(json ? `${JSON.stringify({ deleted: name })}\n` : `Deleted the key ${name}.\n`)
}
