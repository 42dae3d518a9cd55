import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import * as store from './store.ts'

const PURPOSE = 'audit-key'
/** PKCS #8 of an Ed25519 private key, up to its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** What the service writes records with: who has only the database can neither make nor change one unnoticed. */
export interface AuditKey {
  id: string
  /** Of a record's hash or the head: `<key id>.<HMAC-SHA-256>`. */
  mac(text: string): string
  /** Ed25519, of checkpoints: an auditor checks them with the public key alone. */
  sign(text: string): string
  isSignature(text: string, signature: string): boolean
  /** Base64url of the 32 bytes. */
  publicKey: string
}
export type AuditKeys = ReadonlyMap<string, AuditKey>

function makeKey(seed: Buffer): AuditKey {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', seed, '', label, 32))
  // A key in bytes is made into one at every use, which takes five times as long as the MAC.
  const macKey = createSecretKey(derive('record'))
  const der = Buffer.concat([PKCS8, derive('checkpoint')])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const id = hash('sha256', x).slice(0, 8)
  return {
    id,
    mac: (text) => `${id}.${createHmac('sha256', macKey).update(text).digest('base64url')}`,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    isSignature: (text, signature) => verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url')),
    publicKey: x,
  }
}

/** Whether it is the MAC of this text by a key of ours. */
export function isMac(keys: AuditKeys, text: string, mac: string | null): boolean {
  const expected = keys.get(mac?.slice(0, 8) ?? '')?.mac(text)
  if (!mac || !expected || mac.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(mac), Buffer.from(expected))
}

function open(config: Config, row: Row<'audit_keys'>): AuditKey | undefined {
  try {
    const key = makeKey(Buffer.from(unseal(config, PURPOSE, row.sealed), 'base64url'))
    return key.id === row.id ? key : undefined
  } catch {
    // Its SECRET_KEY is gone: what it vouched for cannot be shown to be ours any more, and verifying says so.
    return undefined
  }
}

interface Opened {
  /** Also those that none of our secrets opens. */
  bySealed: Map<string, AuditKey | undefined>
  keys: AuditKeys
}
const openedOf = perSystem((): Opened => ({ bySealed: new Map(), keys: new Map() }))

/**
 * Every key that the secrets of this process open, oldest first, as last read; `fresh` reads them again: another process
 * may have made one since.
 */
export async function openKeys(db: Db, config: Config, fresh = true): Promise<AuditKeys> {
  const opened = openedOf(config)
  if (opened.keys.size > 0 && !fresh) return opened.keys
  const { bySealed } = opened
  const keys = new Map<string, AuditKey>()
  for (const row of await store.listKeys(db)) {
    if (!bySealed.has(row.sealed)) bySealed.set(row.sealed, open(config, row))
    const key = bySealed.get(row.sealed)
    if (key) keys.set(key.id, key)
  }
  opened.keys = keys
  return keys
}

/** Step: the key to write with, made at first use. */
export async function currentKey(tx: Tx, config: Config, now: Date): Promise<AuditKey> {
  const last = [...(await openKeys(tx, config, false)).values()].at(-1)
  if (last) return last
  // Not kept: this transaction may yet be rolled back. The next one finds it.
  const seed = randomBytes(32)
  const key = makeKey(seed)
  const sealed = seal(config, PURPOSE, seed.toString('base64url'))
  await store.insertKey(tx, { id: key.id, sealed, created_at: now.toISOString() })
  return key
}

/** Encrypts the keys again where they still need a previous SECRET_KEY; returns how many. */
export const resealAuditKeys = (ctx: Ctx): Promise<number> =>
  ctx.upkeep(async ({ tx, config }) => {
    let count = 0
    for (const { id, sealed } of await store.listKeys(tx)) {
      if (isSealedWithCurrent(config, sealed)) continue
      await store.updateKey(tx, id, seal(config, PURPOSE, unseal(config, PURPOSE, sealed)))
      count++
    }
    return count
  })
