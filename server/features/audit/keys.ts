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

/** Keys for record MACs and checkpoint signatures. Database access alone cannot forge or alter a record undetected. */
export interface AuditKey {
  id: string
  /** MAC of a record's hash or of the head: `<key id>.<HMAC-SHA-256>`. */
  mac(text: string): string
  /** Signs a checkpoint with Ed25519, so that an auditor can verify it with the public key alone. */
  sign(text: string): string
  isSignature(text: string, signature: string): boolean
  /** Base64url of the 32-byte public key. */
  publicKey: string
}
export type AuditKeys = ReadonlyMap<string, AuditKey>

function makeKey(seed: Buffer): AuditKey {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', seed, '', label, 32))
  // Raw bytes would be turned into a key object at every use, which takes five times as long as the MAC.
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

/** Whether `mac` is the MAC of this text by one of our keys. */
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
    // Its SECRET_KEY is gone, so nothing it signed can be shown to be ours any more. Verification reports that.
    return undefined
  }
}

interface Opened {
  /** Includes keys that none of our secrets can decrypt. */
  bySealed: Map<string, AuditKey | undefined>
  keys: AuditKeys
}
const openedOf = perSystem((): Opened => ({ bySealed: new Map(), keys: new Map() }))

/**
 * Every key that this process's secrets can decrypt, oldest first, as last read. `fresh` reads them again, because
 * another process may have created one since.
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

/** Step: returns the key to write with, created at first use. */
export async function currentKey(tx: Tx, config: Config, now: Date): Promise<AuditKey> {
  const last = [...(await openKeys(tx, config, false)).values()].at(-1)
  if (last) return last
  // Not cached: this transaction may still roll back. The next one reads the key.
  const seed = randomBytes(32)
  const key = makeKey(seed)
  const sealed = seal(config, PURPOSE, seed.toString('base64url'))
  await store.insertKey(tx, { id: key.id, sealed, created_at: now.toISOString() })
  return key
}

/** Step: re-encrypts keys that still use a previous SECRET_KEY, so that it can be retired. Returns how many. */
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
