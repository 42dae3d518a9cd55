import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { perSystem } from '../base/per-system.ts'
import type { Config } from '../config/config.ts'
import { deriveKey } from '../secrets/derive.ts'
import { unwrapKey, wrapKey } from './wrap.ts'

/** A key that protects the service keys, and where it comes from. */
interface RootKey {
  variable: 'ENCRYPTION_KEY' | 'SECRET_KEY'
  /** Says which one it is, and nothing about it. */
  id: string
  key: KeyObject
}

type Secrets = Pick<Config, 'secretKey' | 'previousSecretKeys' | 'encryptionKey' | 'previousEncryptionKeys'>

const rootKey = (variable: RootKey['variable'], secret: string): RootKey => ({
  variable,
  id: createHash('sha256').update(deriveKey(secret, 'encryption-root-id')).digest('hex').slice(0, 8),
  key: createSecretKey(deriveKey(secret, 'encryption-root')),
})

/** Those of a configuration, the current one first. */
const rootKeysOf = perSystem((config: Secrets): [RootKey, ...RootKey[]] => {
  const derived: [RootKey, ...RootKey[]] = [
    rootKey('SECRET_KEY', config.secretKey),
    ...config.previousSecretKeys.map((key) => rootKey('SECRET_KEY', key)),
  ]
  const former = config.previousEncryptionKeys.map((key) => rootKey('ENCRYPTION_KEY', key))
  if (config.encryptionKey === null) return [derived[0], ...former, ...derived.slice(1)]
  return [rootKey('ENCRYPTION_KEY', config.encryptionKey), ...former, ...derived]
})

const purposeOf = (version: number): string => `strongroom service key ${version}`

/** A service key as its row has it: `<variable>.<id of the root key>.<wrapped>`. */
export function sealServiceKey(config: Secrets, version: number, key: KeyObject): string {
  const [{ variable, id, key: root }] = rootKeysOf(config)
  return [variable, id, wrapKey(root, key, purposeOf(version))].join('.')
}

/** The service key of a row; undefined if none of the configuration's root keys sealed it. Throws if it was altered. */
export function unsealServiceKey(config: Secrets, version: number, sealed: string): KeyObject | undefined {
  const [variable, id, wrapped = ''] = sealed.split('.')
  const root = rootKeysOf(config).find((one) => one.variable === variable && one.id === id)
  return root && unwrapKey(root.key, wrapped, purposeOf(version))
}

/** Whether it was sealed with the current root key. */
export function isSealedWithCurrent(config: Secrets, sealed: string): boolean {
  const [{ variable, id }] = rootKeysOf(config)
  return sealed.startsWith(`${variable}.${id}.`)
}

/** Which key is needed for what a row has, as an operator would say it. */
export function wantedRoot(sealed: string): string {
  const [variable = '', id = ''] = sealed.split('.')
  return variable === 'SECRET_KEY' ? `the SECRET_KEY from which the key ${id} derives` : `the ENCRYPTION_KEY ${id}`
}
