import { isIP } from 'node:net'
import {
  findAccessKey,
  type KeyFault,
  type KeySecret,
  recordRefusedKey,
  type UsableKey,
} from '../../access/access-keys/authenticate.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'
import type { Actor, Origin, System } from '../../context.ts'
import { source } from '../../http/source.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { S3Error } from './errors.ts'
import { joinHeaders, type Signable } from './signature/canonical.ts'
import type { ChunkSignatures } from './signature/chunks.ts'
import { assertCovered, assertCurrent, type Credential, readCredential } from './signature/credential.ts'
import { type BodyMode, bodyModeOf, payloadHashOf } from './signature/payload.ts'
import { alternatives, isSame, type Mismatch, sign, signingKey, textOf } from './signature/verify.ts'
import type { Query } from './target.ts'

/** A request whose signature is right. */
export interface Authenticated {
  actor: Actor
  accessKeyId: string
  presigned: boolean
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
}

/**
 * The only way into the S3 front: every request passes it before anything else is looked at, and before any of its body
 * is read. One that carries any sign of a credential is authenticated or refused, never anonymous; and as nothing is
 * public, one that carries none is refused too. How the body is checked is decided here, not where it is read.
 */
export async function authenticateS3(system: System, request: Arrived): Promise<Authenticated> {
  const headers = joinHeaders(request.rawHeaders)
  const credential = readCredential(headers, request.decodedQuery)
  if (!credential) throw new S3Error('AccessDenied', 'Access Denied')
  assertCurrent(credential, system.now())
  assertCovered(credential, headers)
  const presigned = credential.in === 'query'
  const payloadHash = payloadHashOf(headers, request.decodedQuery, presigned)
  const mode = bodyModeOf(payloadHash, headers)

  const found = await findAccessKey(system, credential.accessKeyId, request.origin)
  const usable = typeof found === 'string' ? undecided : found
  const { key, mismatch } = verify(system.config, usable, request, { ...credential, payloadHash })
  const fault = typeof found === 'string' ? found : key ? undefined : 'wrong signature'
  if (fault) {
    limitFailures(system, request.origin)
    telemetryOf(system.config).metrics.strongroom_s3_refused_signatures_total.inc({ reason: fault })
    await recordRefusedKey(system, credential.accessKeyId, fault, request.origin)
    throw refusal(fault, credential, mismatch)
  }
  const { date, scope, signature: seed } = credential
  return {
    actor: (found as UsableKey).actor,
    accessKeyId: credential.accessKeyId,
    presigned,
    mode,
    signatures: { key: key as Buffer, date, scope, seed },
  }
}

/** What a key that does not exist is compared with, so that it takes as long. */
const undecided: Pick<UsableKey, 'secrets'> = { secrets: [{ sealed: '', open: () => 'none' }] }

/** The signing key with which the signature is right, also as a proxy may have changed the request; else the mismatch. */
function verify(
  config: Config,
  { secrets }: Pick<UsableKey, 'secrets'>,
  request: Arrived,
  credential: Credential & { payloadHash: string },
): { key?: Buffer; mismatch: Mismatch } {
  const headers = joinHeaders(request.rawHeaders)
  const keys = secrets.map((secret) => signingKeyOf(config, secret, credential))
  const sent = textOf(request, headers, credential)
  const keyFor = (text: string) => keys.find((key) => isSame(credential.signature, sign(key, text)))
  const key = keyFor(sent.text)
  if (key) return { key, mismatch: sent }
  const names = { hosts: config.s3.hosts, forwarded: request.forwardedHost }
  for (const variation of alternatives(headers, request, credential, names)) {
    const other = keyFor(textOf(request, headers, credential, variation).text)
    if (!other) continue
    telemetryOf(config).metrics.strongroom_s3_second_chances_total.inc()
    return { key: other, mismatch: sent }
  }
  return { mismatch: sent }
}

const MOST_KEYS = 10_000
/** Signing keys by secret, day and region, the most recently used last: making one takes longer than using it. */
const keysOf = perSystem(() => new Map<string, Buffer>())

function signingKeyOf(config: Config, secret: KeySecret, { day, region }: Credential): Buffer {
  const keys = keysOf(config)
  const name = `${secret.sealed} ${day} ${region}`
  const known = keys.get(name)
  const key = known ?? signingKey(secret.open(), day, region)
  if (known) keys.delete(name)
  else if (keys.size >= MOST_KEYS) keys.delete(keys.keys().next().value as string)
  keys.set(name, key)
  return key
}

function refusal(fault: KeyFault, { accessKeyId, signature }: Credential, { canonical, text }: Mismatch): S3Error {
  if (fault !== 'wrong signature')
    return new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.', {
      fields: { AWSAccessKeyId: accessKeyId },
    })
  return new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      fields: {
        AWSAccessKeyId: accessKeyId,
        StringToSign: text,
        SignatureProvided: signature,
        CanonicalRequest: canonical,
      },
    },
  )
}

const failuresOf = perSystem(({ ratePublic }: Config) => countPerMinute(ratePublic))

/** Limits how many wrong credentials one address may present in a minute; right ones never wait. */
function limitFailures({ config, now }: System, { ip }: Origin): void {
  const wait = config.ratePublic === 0 ? 0 : failuresOf(config)(source(ip), now())
  if (wait > 0)
    throw new S3Error('SlowDown', 'Please reduce your request rate.', { headers: { 'retry-after': String(wait) } })
}

/** The first of several forwarded hosts, if it is one. */
export const hostOf = (forwarded: string | undefined): string | undefined => {
  const host = forwarded?.split(',', 1)[0]?.trim()
  return host && (isIP(host) || /^[\w.-]+(:\d+)?$/.test(host)) ? host : undefined
}
