import { createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { Row } from '../../db/schema.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'

const SECRET_PURPOSE = 'webhook-secret'
const PREFIX = 'whsec_'

/** A new signing secret, in the form shown to receivers. */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

export const sealSecret = (config: Config, secret: string): string => seal(config, SECRET_PURPOSE, secret)

/** The same secret encrypted under the current SECRET_KEY, so that previous ones can be retired. */
export const reseal = (config: Config, sealed: string): string =>
  isSealedWithCurrent(config, sealed) ? sealed : sealSecret(config, unseal(config, SECRET_PURPOSE, sealed))

/** The secrets that sign: the current one and, during a rotation's grace period, the next. */
export interface Secrets {
  current: string
  next: string | null
}

/** Throws if the secrets were encrypted with a SECRET_KEY that is no longer known. */
export function secretsAt(
  config: Config,
  { secret, next_secret, promotes_at }: Pick<Row<'webhooks'>, 'secret' | 'next_secret' | 'promotes_at'>,
  now: Date,
): Secrets {
  const open = (sealed: string) => unseal(config, SECRET_PURPOSE, sealed)
  if (next_secret === null || promotes_at === null) return { current: open(secret), next: null }
  if (Date.parse(promotes_at) <= now.getTime()) return { current: open(next_secret), next: null }
  return { current: open(secret), next: open(next_secret) }
}

const hexOf = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Standard Webhooks 1.0.0: the key is the decoded base64 after `whsec_`; X-Strongroom-Signature uses the text itself. */
const standardOf = (secret: string, signed: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(signed)
    .digest('base64')}`

/** How the names of our own headers begin: now, and in the contract's first version, which receivers rely on. */
const starts = ['X-Strongroom-', 'X-Svc-'] as const

/** The headers that identify a delivery and prove that it is ours. */
export function deliveryHeaders(
  { id, event, body, attempt }: { id: string; event: string; body: string; attempt: number },
  { current, next }: Secrets,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signed = `${id}.${timestamp}.${body}`
  const own = {
    Event: event,
    Delivery: id,
    Signature: hexOf(current, body),
    ...(next === null ? {} : { 'Signature-Next': hexOf(next, body) }),
    Attempt: String(attempt),
    Timestamp: timestamp,
  }
  return {
    'Content-Type': 'application/json',
    ...Object.fromEntries(starts.flatMap((start) => Object.entries(own).map(([name, value]) => [start + name, value]))),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [...(next === null ? [] : [next]), current].map((one) => standardOf(one, signed)).join(' '),
  }
}
