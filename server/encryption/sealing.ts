import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../contract/errors.ts'
import { setWithin } from '../base/bounded.ts'
import { perSystem } from '../base/per-system.ts'
import { type BlobKey, KeyUnavailable } from '../segments/cipher.ts'
import { type EncryptionKind, type Envelope, encryptionOf, readEnvelope, wrapPurpose } from './envelope.ts'
import { kmsWrapping, openKmsWrapping } from './kms/keys.ts'
import { currentServiceKey, findServiceKey, type KeyAccess, type ServiceKey } from './service-keys.ts'
import { newKey, unwrapKey, wrapKey } from './wrap.ts'

/** How new contents are to be encrypted; null: not at all. */
export type WantedEncryption =
  | { kind: 'AES256' }
  /** With a registered key; `context` is JSON. */
  | { kind: 'aws:kms'; key: string; context?: string | undefined }
  | { kind: 'SSE-C'; customerKey: KeyObject }
  | null

/** How the rows that point at a blob say that it is encrypted as wanted. */
export const encryptionText = (wanted: WantedEncryption): string | null =>
  wanted && encryptionOf({ kind: wanted.kind, key: wanted.kind === 'aws:kms' ? wanted.key : undefined })

/** Encrypts the keys of new blobs, all in the same way. */
export interface Sealing {
  /** As the rows that point at such a blob have it. */
  encryption: string
  /** The client's key, if that is what encrypts. */
  customerKey?: KeyObject
  /** Makes the key of a blob with this id. */
  seal(id: string): { blob: BlobKey; envelope: Envelope }
}

/** What is needed to encrypt as wanted; undefined if that is not at all. */
export async function sealingFor(access: KeyAccess, wanted: WantedEncryption): Promise<Sealing | undefined> {
  if (wanted === null) return undefined
  if (wanted.kind === 'SSE-C') return customerSealing(wanted.customerKey)
  if (wanted.kind === 'aws:kms') {
    const { key: name, context } = wanted
    const { key, sealed } = await kmsWrapping(access, name, context)
    return newSealing(key, { kind: 'aws:kms', key: name, sealed, ...(context === undefined ? {} : { context }) })
  }
  const { version, key } = await currentServiceKey(access)
  return newSealing(key, { kind: 'AES256', version })
}

function newSealing(by: KeyObject, terms: Omit<Envelope, 'wrapped'>): Sealing {
  return {
    encryption: encryptionOf(terms),
    seal(id) {
      const key = newKey()
      return { blob: { id, key }, envelope: { ...terms, wrapped: wrapKey(by, key, wrapPurpose(id, terms)) } }
    },
  }
}

function customerSealing(customerKey: KeyObject): Sealing {
  const salt = randomBytes(16)
  const check = checkOf(customerKey, salt).toString('base64url')
  const terms = { kind: 'SSE-C', salt: salt.toString('base64url'), check } as const
  return { ...newSealing(wrappingKey(customerKey, salt), terms), customerKey }
}

/** By which a client's key is known again. */
const checkOf = (key: KeyObject, salt: Uint8Array): Buffer => createHmac('sha256', salt).update(key.export()).digest()
const wrappingKey = (key: KeyObject, salt: Uint8Array): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, 'strongroom customer key', 32)))

/** The kind of encryption that the row of an object says; null if it is not encrypted. */
export const kindOf = (encryption: string | null): EncryptionKind | null =>
  encryption === null ? null : (encryption.split(' ', 1)[0] as EncryptionKind)

/** Throws unless the client gave a key exactly if one is needed. */
export function assertCustomerKey(encryption: string | null, customerKey: KeyObject | undefined): void {
  const isNeeded = kindOf(encryption) === 'SSE-C'
  if (isNeeded && !customerKey)
    throw new ServiceError(
      'encryption_key_required',
      'The object is encrypted with a key of its client, which has to be sent with the request.',
    )
  if (!isNeeded && customerKey)
    throw new ServiceError('malformed', 'The object is not encrypted with a key of its client, but one was sent.')
}

/** An envelope, and the key that it keeps. */
export interface Opened {
  envelope: Envelope
  key: BlobKey
}
/** How many envelopes are kept that a service key has opened: it is in memory as well. */
const MOST_OPENED = 4096
/** By the text of the envelope, the oldest first. */
const openedOf = perSystem(() => new Map<string, Opened>())

/** Opens an envelope that is the text of a blob's row. Throws as `openEnvelope` does. */
export async function openRow(
  access: KeyAccess,
  text: string,
  of: { id: string; customerKey?: KeyObject | undefined },
): Promise<Opened> {
  const kept = openedOf(access.config)
  const known = kept.get(text)
  if (known && known.key.id === (known.envelope.id ?? of.id)) return known
  const envelope = readEnvelope(text)
  const opened = { envelope, key: await openEnvelope(access, envelope, of) }
  if (envelope.kind === 'AES256') setWithin(kept, text, opened, MOST_OPENED)
  return opened
}

/** The key of a blob's bytes. `id`: the blob's. Throws KeyUnavailable, or encryption_key_required for a wrong key of a client. */
export async function openEnvelope(
  access: KeyAccess,
  envelope: Envelope,
  { id, customerKey }: { id: string; customerKey?: KeyObject | undefined },
): Promise<BlobKey> {
  const sealedAs = envelope.id ?? id
  const by =
    envelope.kind === 'SSE-C' ? customerWrapping(envelope, customerKey) : await serviceWrapping(access, envelope)
  try {
    return { id: sealedAs, key: unwrapKey(by, envelope.wrapped, wrapPurpose(sealedAs, envelope)) }
  } catch (error) {
    throw new KeyUnavailable(`The key of blob ${id} is not what was written`, { cause: error })
  }
}

async function serviceWrapping(access: KeyAccess, envelope: Envelope): Promise<KeyObject> {
  if (envelope.kind === 'aws:kms') return openKmsWrapping(access, envelope)
  const { version = 0 } = envelope
  const key = await findServiceKey(access, version)
  if (!key) throw new KeyUnavailable(`There is no service key ${version}`)
  return key
}

function customerWrapping({ salt = '', check = '' }: Envelope, customerKey: KeyObject | undefined): KeyObject {
  assertCustomerKey('SSE-C', customerKey)
  const key = customerKey as KeyObject
  const bytes = Buffer.from(salt, 'base64url')
  const expected = Buffer.from(check, 'base64url')
  const found = checkOf(key, bytes)
  if (found.length !== expected.length || !timingSafeEqual(found, expected))
    throw new ServiceError('encryption_key_required', 'This is not the key with which the object is encrypted.')
  return wrappingKey(key, bytes)
}

/** The envelope of a blob with its key wrapped by another service key. Throws KeyUnavailable. */
export async function rewrapEnvelope(
  access: KeyAccess,
  envelope: Envelope,
  { id, current }: { id: string; current: ServiceKey },
): Promise<Envelope> {
  const blob = await openEnvelope(access, envelope, { id })
  const terms = { ...envelope, version: current.version }
  return { ...terms, wrapped: wrapKey(current.key, blob.key, wrapPurpose(blob.id, terms)) }
}
