import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { StoredObject } from '../../../../contract/objects.ts'
import { encryptionOf } from '../../../encryption/envelope.ts'
import type { WantedEncryption } from '../../../encryption/sealing.ts'
import { kindOf } from '../../../encryption/sealing.ts'
import { defaultEncryption } from '../../../storage/buckets/encryption.ts'
import { findBucket } from '../../../storage/buckets/store.ts'
import type { AnswerHeaders } from '../answers/answer.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { type Exchange, header } from './exchange.ts'

const ALGORITHM = 'x-amz-server-side-encryption'
const KMS_KEY = `${ALGORITHM}-aws-kms-key-id`
const CONTEXT = `${ALGORITHM}-context`
const CUSTOMER = `${ALGORITHM}-customer-`
const SOURCE_CUSTOMER = `x-amz-copy-source-server-side-encryption-customer-`

const KEY_BYTES = 32

/** The key of the client in the three headers for that; undefined without any of them. Throws InvalidArgument or InvalidRequest. */
function keyIn(exchange: Exchange, start: string): KeyObject | undefined {
  const [algorithm, key, md5] = ['algorithm', 'key', 'key-md5'].map((name) => header(exchange, start + name))
  if (algorithm === undefined && key === undefined && md5 === undefined) return undefined
  assertConfidential(exchange)
  const lacking = (what: string) =>
    new S3Error(
      'InvalidArgument',
      `Requests specifying Server Side Encryption with Customer provided keys must provide ${what}.`,
    )
  if (algorithm === undefined) throw lacking('a valid encryption algorithm')
  if (algorithm !== 'AES256')
    throw new S3Error(
      'InvalidEncryptionAlgorithmError',
      'The encryption request that you specified is not valid. The valid value is AES256.',
    )
  if (key === undefined) throw lacking('an appropriate secret key')
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== key)
    throw new S3Error('InvalidArgument', 'The secret key was invalid for the specified algorithm.')
  if (md5 === undefined) throw lacking('the client calculated MD5 of the secret key')
  if (md5 !== md5Of(bytes))
    throw new S3Error('InvalidArgument', 'The calculated MD5 hash of the key did not match the hash that was provided.')
  return createSecretKey(bytes)
}

const md5Of = (key: Uint8Array): string => hash('md5', key, 'base64')

const LOOPBACK = /^(127(\.\d+){3}|localhost|::1)$/

/** Throws InvalidRequest where others may have read a key on its way to us. */
function assertConfidential({ scheme, system: { config } }: Exchange): void {
  if (scheme === 'https' || config.s3.keysWithoutTls || LOOPBACK.test(config.s3.host)) return
  throw new S3Error(
    'InvalidRequest',
    'Requests specifying Server Side Encryption with Customer provided keys must be made over a secure connection.',
  )
}

/** The key of the client with which the object of a request is encrypted. */
export const customerKeyIn = (exchange: Exchange): KeyObject | undefined => keyIn(exchange, CUSTOMER)

/** The key of the client with which the source of a copy is encrypted. */
export const sourceKeyIn = (exchange: Exchange): KeyObject | undefined => keyIn(exchange, SOURCE_CUSTOMER)

/** How a request wants a new object to be encrypted; undefined: as the bucket says. Throws InvalidArgument or InvalidRequest. */
export async function encryptionIn(exchange: Exchange): Promise<WantedEncryption | undefined> {
  const algorithm = header(exchange, ALGORITHM)
  const kmsKey = header(exchange, KMS_KEY)
  const customerKey = customerKeyIn(exchange)
  if (customerKey !== undefined) {
    if (algorithm !== undefined || kmsKey !== undefined)
      throw invalidArgument(
        ALGORITHM,
        algorithm ?? '',
        'Server Side Encryption with Customer provided key is incompatible with the encryption method specified',
      )
    return { kind: 'SSE-C', customerKey }
  }
  if (kmsKey !== undefined && algorithm !== 'aws:kms')
    throw invalidArgument(
      KMS_KEY,
      kmsKey,
      'Server Side Encryption with AWS KMS managed key requires HTTP header x-amz-server-side-encryption : aws:kms',
    )
  const context = contextIn(exchange, algorithm)
  if (algorithm === undefined) return undefined
  if (algorithm === 'AES256') return { kind: 'AES256' }
  if (algorithm === 'aws:kms') return { kind: 'aws:kms', key: kmsKey ?? (await keyOfBucket(exchange)), context }
  throw invalidArgument(ALGORITHM, algorithm, 'The encryption method specified is not supported')
}

/** The key that the bucket's contents are encrypted with anyway. Throws InvalidArgument where there is none. */
async function keyOfBucket({ ctx, bucket }: Exchange): Promise<string> {
  const row = await findBucket(ctx.db, bucket)
  const key = row && defaultEncryption(row)?.key
  if (key !== undefined) return key
  throw invalidArgument(KMS_KEY, '', 'The bucket has no key of its own: name a registered one.')
}

/** Most bytes of what a key is bound to. */
const MOST_CONTEXT = 8192

/** What the key is to be bound to, as JSON in the order of names: a header with a JSON object of texts in Base64. */
function contextIn(exchange: Exchange, algorithm: string | undefined): string | undefined {
  const text = header(exchange, CONTEXT)
  if (text === undefined) return undefined
  const wrong = (message: string) => invalidArgument(CONTEXT, text, message)
  if (algorithm !== 'aws:kms') throw wrong('An encryption context is only for aws:kms.')
  if (text.length > MOST_CONTEXT) throw wrong('The encryption context is too long.')
  let given: unknown
  try {
    given = JSON.parse(Buffer.from(text, 'base64').toString())
  } catch {
    throw wrong('The encryption context is not JSON in Base64.')
  }
  const entries =
    typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.entries(given) : undefined
  if (!entries?.every(([, value]) => typeof value === 'string'))
    throw wrong('The encryption context is not a JSON object of texts.')
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Throws InvalidArgument for a request to read that says how to encrypt: what is stored is encrypted as it is. */
export function refuseEncryptionOfRead(exchange: Exchange): void {
  for (const name of [ALGORITHM, KMS_KEY, CONTEXT]) {
    const value = header(exchange, name)
    if (value !== undefined) throw invalidArgument(name, value, `${name} is not a valid header for this request.`)
  }
}

/** How an answer says how an object is encrypted. `customerKey`: the client's, of what is encrypted with it. */
export function encryptionHeaders(encryption: string | null, customerKey: KeyObject | undefined): AnswerHeaders {
  const kind = kindOf(encryption)
  if (kind === null || encryption === null) return {}
  if (kind === 'AES256') return { [ALGORITHM]: kind }
  if (kind === 'aws:kms') return { [ALGORITHM]: kind, [KMS_KEY]: encryption.slice(kind.length + 1) }
  return {
    [`${CUSTOMER}algorithm`]: 'AES256',
    [`${CUSTOMER}key-md5`]: customerKey && md5Of(customerKey.export()),
  }
}

/** The same of an object that was written. `wanted`: what the request asked for. */
export const writtenEncryption = ({ encryption }: StoredObject, wanted: WantedEncryption | undefined): AnswerHeaders =>
  encryptionHeaders(
    encryption ? encryptionOf({ kind: encryption.algorithm, key: encryption.key }) : null,
    wanted?.kind === 'SSE-C' ? wanted.customerKey : undefined,
  )
