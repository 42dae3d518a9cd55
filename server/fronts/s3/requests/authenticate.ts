import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { ACCESS_KEY_ID } from '../../../../contract/names.ts'
import {
  type KeyFault,
  type KeySecret,
  recordRefusedKey,
  type UsableKey,
} from '../../../access/access-keys/authenticate.ts'
import { publicActor } from '../../../access/actors.ts'
import { settingsInForce } from '../../../access/settings/effective.ts'
import { setWithin } from '../../../base/bounded.ts'
import { perSystem } from '../../../base/per-system.ts'
import type { Config } from '../../../config/config.ts'
import type { Actor, Origin, System } from '../../../context.ts'
import { telemetryOf } from '../../../observe/telemetry.ts'
import { S3Error } from '../errors.ts'
import { findKey } from './find-key.ts'
import { limitFailures, limitRate } from './limits.ts'
import { refusal, unusable, wrongSignature } from './refused-key.ts'
import { joinHeaders, type Signable, valuesOf } from './signature/canonical.ts'
import type { ChunkSignatures } from './signature/chunks.ts'
import {
  assertCovered,
  assertCurrent,
  type Credential,
  MOST_REGION,
  mechanismOf,
  readCredential,
} from './signature/credential.ts'
import { type BodyMode, bodyModeOf, payloadHashOf } from './signature/payload.ts'
import { isFormSignature, readFormCredential } from './signature/post-policy.ts'
import { alternatives, isSame, type Mismatch, type Signed, sign, signingKey, textOf } from './signature/verify.ts'
import {
  assertNotExpired,
  assertOldCovers,
  isOldSignature,
  oldHeaders,
  oldTexts,
  readOldCredential,
} from './signature/version2.ts'
import { bucketOfHost, type Query, type Target } from './target.ts'

/** A request whose signature is right, or that has none. */
export interface Authenticated {
  /** Who makes the request, before what everyone may do is added. */
  actor: Actor
  /** Undefined without a credential. */
  accessKeyId: string | undefined
  /** Whether anything can be public. */
  publicAccess: boolean
  /** By which version of signatures, if it is a presigned URL. */
  presigned: 'v4' | 'old' | false
  mode: BodyMode
  /** For the signatures of its chunks. */
  signatures: ChunkSignatures
}

/** What the gate sees of a request. */
export interface Arrived extends Signable {
  decodedQuery: Query
  origin: Origin
  /** Host names that a trusted proxy passed on. */
  forwardedHost: string | undefined
  target: Target
}

/**
 * The only way into the S3 front: every request passes it before anything else is looked at, and before any of its body
 * is read. One that carries any sign of a credential is authenticated or refused, never anonymous; one that carries none
 * is refused too, unless public access is on. How the body is checked is decided here, not where it is read.
 */
export async function authenticateS3(system: System, request: Arrived): Promise<Authenticated> {
  const headers = joinHeaders(request.rawHeaders)
  const mechanism = mechanismOf(headers, request.decodedQuery)
  if (mechanism === 'old query') return authenticateOld(system, request, headers)
  const credential = readCredential(headers, request.decodedQuery, mechanism)
  if (!credential) {
    const mode = bodyModeOf(headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD', headers)
    if (mode.kind === 'chunks' && mode.signed) throw accessDenied()
    return anonymous(system, request.origin, mode)
  }
  assertCurrent(credential, system.now())
  const payloadHash = payloadHashOf(headers, request.decodedQuery, credential)
  assertCovered(credential, headers, payloadHash)
  const mode = bodyModeOf(payloadHash, headers)
  return { ...(await authenticateSigned(system, request, { headers, credential, payloadHash })), mode }
}

/** Who signed a request by Version 4. Throws unless the signature is right. */
export async function authenticateSigned(
  system: System,
  request: Arrived,
  signed: Signed,
): Promise<Omit<Authenticated, 'mode'>> {
  const { credential, headers } = signed
  const { accessKeyId, time } = credential
  const token = tokenIn(request, headers, credential)
  const signedAt = credential.in === 'header' ? time : undefined
  const found = await findKey(system, { accessKeyId, token, signedAt }, request.origin)
  const usable = typeof found === 'string' ? undecided : found
  const { key, mismatch } = verify(system.config, usable, request, signed)
  const fault = typeof found === 'string' ? found : key ? undefined : 'wrong signature'
  if (fault) {
    await refuse(system, accessKeyId, fault, request.origin)
    throw refusal(fault, credential, mismatch)
  }
  const { date, scope, signature: seed } = credential
  return {
    ...admit(system, found as UsableKey, credential.in === 'query'),
    accessKeyId,
    presigned: credential.in === 'query' && 'v4',
    signatures: { key: key as KeyObject, date, scope, seed },
  }
}

/** The session token that a request brings; undefined without one. */
const tokenIn = (
  { decodedQuery }: Arrived,
  headers: ReadonlyMap<string, string>,
  { in: place }: Credential,
): string | undefined =>
  place === 'query' ? valuesOf(decodedQuery, 'X-Amz-Security-Token')[0] : headers.get('x-amz-security-token')

const accessDenied = () => new S3Error('AccessDenied', 'Access Denied')

/** A caller without a credential. Throws AccessDenied unless anything can be public. */
async function anonymous(system: System, origin: Origin, mode: BodyMode): Promise<Authenticated> {
  const settings = await settingsInForce({ ...system, db: system.database.db })
  if (!settings.s3.public_access) throw accessDenied()
  return {
    actor: publicActor(origin),
    publicAccess: true,
    accessKeyId: undefined,
    presigned: false,
    mode,
    signatures: NO_CHUNKS,
  }
}

/** Whoever visits a website: no credential counts there. Throws AccessDenied unless anything can be public. */
export const visitor = (system: System, origin: Origin): Promise<Authenticated> =>
  anonymous(system, origin, { kind: 'unsigned' })

/**
 * Who acts with a key. Throws SlowDown where it makes too many requests, and AccessDenied for a URL that an agent signed which
 * shares only what a user has approved.
 */
function admit(
  system: System,
  { actor, settings }: UsableKey,
  isPresigned: boolean,
): { actor: Actor; publicAccess: boolean } {
  if (isPresigned && actor.agent?.approval.actions.includes('share')) throw accessDenied()
  limitRate(system, actor, settings.rate_per_key)
  return { actor, publicAccess: settings.public_access }
}

/**
 * The same for an upload by a form, whose credential and policy are among its fields. What the policy allows is for the
 * operation to check, the only one that a form can ask for.
 */
export async function authenticateForm(
  system: System,
  fields: ReadonlyMap<string, string>,
  origin: Origin,
): Promise<Authenticated> {
  const credential = readFormCredential(fields)
  if (!credential) {
    if (fields.has('policy')) throw accessDenied()
    return anonymous(system, origin, { kind: 'unsigned' })
  }
  const isRight = (secret: KeySecret) =>
    isFormSignature(credential, {
      text: () => secret.open(),
      key: credential.version === 4 ? signingKeyOf(system.config, secret, credential) : null,
    })
  const { accessKeyId, policy } = credential
  const token = fields.get('x-amz-security-token')
  const usable = await usableKey(system, { accessKeyId, token, origin, isUrl: false }, isRight, {
    StringToSign: policy,
  })
  return { ...usable, accessKeyId, presigned: false, mode: { kind: 'unsigned' }, signatures: NO_CHUNKS }
}

/** The same for a presigned URL of Version 2. Throws InvalidRequest where they are not accepted. */
async function authenticateOld(
  system: System,
  request: Arrived,
  headers: ReadonlyMap<string, string>,
): Promise<Authenticated> {
  const { config } = system
  const { decodedQuery: query, origin } = request
  if (config.s3.signatureV2 !== 'presigned')
    throw new S3Error(
      'InvalidRequest',
      'This service does not accept presigned URLs of Signature Version 2: have the client make them with Version 4 (signature_version s3v4 in boto3 and the AWS CLI), or set S3_SIGNATURE_V2=presigned here.',
    )
  const credential = readOldCredential(query)
  const signed = { ...request, query, hostBucket: bucketOfHost(headers.get('host') ?? '', config.s3.domains) }
  assertNotExpired(credential, system.now())
  assertOldCovers(signed)
  const mode = bodyModeOf(headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD', headers)
  if (mode.kind === 'chunks' && mode.signed) throw accessDenied()
  const signedHeaders = oldHeaders(headers, query)
  const texts = oldTexts(signed, credential, signedHeaders)
  const { accessKeyId, signature } = credential
  const token = signedHeaders.get('x-amz-security-token')
  const isRight = (secret: KeySecret) => isOldSignature(signature, texts, secret.open())
  const fields = { StringToSign: texts[0] ?? '', SignatureProvided: signature }
  const usable = await usableKey(system, { accessKeyId, token, origin, isUrl: true }, isRight, fields)
  return { ...usable, accessKeyId, presigned: 'old', mode, signatures: NO_CHUNKS }
}

/** Who acts with a key, if one of its secrets is right; else throws what the form or URL is refused with. */
async function usableKey(
  system: System,
  {
    accessKeyId,
    token,
    origin,
    isUrl,
  }: { accessKeyId: string; token: string | undefined; origin: Origin; isUrl: boolean },
  isRight: (secret: KeySecret) => boolean,
  mismatch: Record<string, string>,
): Promise<{ actor: Actor; publicAccess: boolean }> {
  if (!new RegExp(ACCESS_KEY_ID).test(accessKeyId)) throw unusable('unknown', accessKeyId)
  const found = await findKey(system, { accessKeyId, token }, origin)
  const right = (typeof found === 'string' ? undecided : found).secrets.some(isRight)
  const fault = typeof found === 'string' ? found : right ? undefined : 'wrong signature'
  if (fault) await refuse(system, accessKeyId, fault, origin)
  if (fault && fault !== 'wrong signature') throw unusable(fault, accessKeyId)
  if (fault) throw wrongSignature({ AWSAccessKeyId: accessKeyId, ...mismatch })
  return admit(system, found as UsableKey, isUrl)
}

/** Of a body that is not in chunks: no signature is right. */
const NO_CHUNKS: ChunkSignatures = { key: createSecretKey(randomBytes(32)), date: '', scope: '', seed: '' }

/** Counts and records a refusal. Throws SlowDown for an address with too many. */
async function refuse(system: System, accessKeyId: string, fault: KeyFault, origin: Origin): Promise<void> {
  limitFailures(system, origin)
  telemetryOf(system.config).metrics.strongroom_s3_refused_signatures_total.inc({ reason: fault })
  await recordRefusedKey(system, accessKeyId, fault, origin)
}

/** What a key that does not exist is compared with, so that it takes as long. */
const undecided: Pick<UsableKey, 'secrets'> = { secrets: [{ sealed: '', open: () => 'none' }] }

/** The signing key with which the signature is right, also as a proxy may have changed the request; else the mismatch. */
function verify(
  config: Config,
  { secrets }: Pick<UsableKey, 'secrets'>,
  request: Arrived,
  signed: Signed,
): { key?: KeyObject; mismatch: Mismatch } {
  const { headers, credential } = signed
  const keys = secrets.map((secret) => signingKeyOf(config, secret, credential))
  const sent = textOf(request, signed)
  const keyFor = (text: string) => keys.find((key) => isSame(credential.signature, sign(key, text)))
  const key = keyFor(sent.text)
  if (key) return { key, mismatch: sent }
  const { hosts, domains } = config.s3
  const names = { hosts, domains, forwarded: request.forwardedHost }
  for (const variation of alternatives(headers, request, credential, names)) {
    const other = keyFor(textOf(request, signed, variation).text)
    if (!other) continue
    telemetryOf(config).metrics.strongroom_s3_second_chances_total.inc()
    return { key: other, mismatch: sent }
  }
  return { mismatch: sent }
}

const MOST_KEYS = 10_000
/** Signing keys by secret, day, region and service, the oldest first: making one takes longer than using it. */
const keysOf = perSystem(() => new Map<string, KeyObject>())

function signingKeyOf(
  config: Config,
  secret: KeySecret,
  { day, region, service = 's3' }: Pick<Credential, 'day' | 'region'> & Partial<Pick<Credential, 'service'>>,
): KeyObject {
  // A form's may be long.
  if (region.length > MOST_REGION) return signingKey(secret.open(), day, region)
  const keys = keysOf(config)
  const name = `${secret.sealed} ${day} ${region} ${service}`
  const known = keys.get(name)
  if (known) return known
  const key = signingKey(secret.open(), day, region, service)
  setWithin(keys, name, key, MOST_KEYS)
  return key
}
