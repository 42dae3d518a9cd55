// The identity providers whose tokens count: those that administrators have registered, and the service's own.
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { collect } from '../../http/collect.ts'
import { allowIam } from '../identity-policies/allow-iam.ts'
import { fullProviderArn, providerResource } from '../roles/arn.ts'
import type { Tag } from '../roles/service.ts'
import { holdSettings } from '../settings/administration.ts'
import { type EffectiveSettings, issuerKey, settingsInForce, settingsOf } from '../settings/effective.ts'
import { type Idp, idpInForce } from '../settings/idp.ts'
import { LIMITS, type Place, registeredPlace } from './keys.ts'
import { discover } from './oidc-client.ts'
import * as store from './store.ts'

/** An identity provider. */
export interface Provider {
  /** Without its scheme. */
  key: string
  issuer: string
  /** The clients whose tokens count; any where there are none. */
  audiences: readonly string[]
  thumbprints: readonly string[]
  tags: readonly Tag[]
  /** Null of the service's own, unless it is registered as well. */
  created_at: string | null
  /** Of the service's own provider: what is configured of it. */
  own: Idp | null
}

const MOST_PROVIDERS = 100
const MOST_AUDIENCES = 100

/** An issuer as ARNs and conditions name it. */
export const issuerKeyOf = (issuer: string): string => issuer.replace(/^https?:\/\//i, '')

const missing = (key: string) =>
  new ServiceError('not_found', `OpenIDConnect Provider not found for arn ${fullProviderArn(key)}`)

const describe = (row: store.ProviderRow): Provider => ({
  key: row.issuer_key,
  issuer: row.issuer,
  audiences: JSON.parse(row.audiences) as string[],
  thumbprints: JSON.parse(row.thumbprints) as string[],
  tags: JSON.parse(row.tags) as Tag[],
  created_at: row.created_at,
  own: null,
})

/** The service's own provider while people can log in with it; undefined otherwise. */
function ownProvider(settings: EffectiveSettings): Provider | undefined {
  const own = idpInForce(settings)
  return own
    ? {
        key: issuerKeyOf(own.issuer),
        issuer: own.issuer,
        audiences: [own.clientId],
        thumbprints: [],
        tags: [],
        created_at: null,
        own,
      }
    : undefined
}

/** The provider of an issuer, given without its scheme; undefined if there is none. */
export async function findProvider(ctx: Pick<Ctx, 'config' | 'db'>, key: string): Promise<Provider | undefined> {
  const row = await store.findProvider(ctx.db, key)
  return providerOf(key, row, ownProvider(await settingsInForce({ config: ctx.config, db: ctx.db })))
}

/** Step: the same, which stays as it is until the transaction ends. */
export async function holdProvider({ tx, config }: Step, key: string): Promise<Provider | undefined> {
  const own = ownProvider(settingsOf({ config }, await holdSettings(tx)))
  return providerOf(key, await store.holdProvider(tx, key), own)
}

function providerOf(key: string, row: store.ProviderRow | undefined, own: Provider | undefined): Provider | undefined {
  if (own?.key !== key) return row && describe(row)
  // Registered as well: with further clients.
  return row
    ? { ...describe(row), issuer: own.issuer, own: own.own, audiences: joined(own.audiences, describe(row).audiences) }
    : own
}

/** Whether a provider is registered, be it the service's own as well. */
export const isRegistered = async (tx: Tx, key: string): Promise<boolean> =>
  (await store.findProvider(tx, key)) !== undefined

const joined = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]

/** Where the keys of a provider are. */
export function placeOf(ctx: Ctx, { issuer, own }: Provider): Place {
  if (!own) return registeredPlace(ctx, issuer)
  // As for logins: whoever configured it has chosen its address.
  const read = async (url: URL): Promise<unknown> => {
    const response = await fetch(url.href, { redirect: 'error', signal: AbortSignal.timeout(LIMITS.timeoutMs) })
    if (!response.ok || !response.body) throw new Error(`The answer has the status ${response.status}`)
    const tooLarge = () => new Error(`The answer has more than ${LIMITS.mostBytes} bytes`)
    return JSON.parse((await collect(response.body, LIMITS.mostBytes, tooLarge)).toString('utf8'))
  }
  return { issuer, read, discover: async () => (await discover(ctx, own)) as { issuer?: unknown; jwks_uri?: unknown } }
}

/** What a new provider is to have. */
export interface NewProvider {
  issuer: string
  audiences: readonly string[]
  thumbprints: readonly string[]
  tags: readonly Tag[]
}

/**
 * Throws forbidden unless the actor may change a provider. That of the service opens sessions of people: only administrators say
 * for which clients its tokens count, too, whatever policies allow others.
 */
async function assertMayChange({ actor, config, db }: Ctx, action: string, key: string): Promise<void> {
  const resource = providerResource(key)
  allowIam(actor, action, resource)
  const { issuer_url } = (await settingsInForce({ config, db })).idp
  if (issuer_url !== null && issuerKey(issuerKeyOf(issuer_url)) === issuerKey(key) && !isAdmin(actor.groups))
    throw new ServiceError(
      'forbidden',
      `Only administrators may perform ${action} on the service's own identity provider.`,
    )
}

/** Registers an identity provider. Throws forbidden, already_exists or limit_reached. */
export async function createProvider(ctx: Ctx, provider: NewProvider): Promise<Provider> {
  const issuer_key = issuerKeyOf(provider.issuer)
  await assertMayChange(ctx, 'iam:CreateOpenIDConnectProvider', issuer_key)
  return ctx.act(async (step) => {
    const { tx, record, now } = step
    if ((await store.listProviders(tx)).length >= MOST_PROVIDERS)
      throw new ServiceError('limit_reached', `There are ${MOST_PROVIDERS} identity providers, the maximum.`)
    const row: store.ProviderRow = {
      issuer_key,
      issuer: provider.issuer,
      audiences: JSON.stringify(provider.audiences),
      thumbprints: JSON.stringify(provider.thumbprints),
      tags: JSON.stringify(provider.tags),
      created_at: now().toISOString(),
    }
    if (!(await store.insertProvider(tx, row)))
      throw new ServiceError('already_exists', `Provider with url ${issuer_key} already exists.`)
    const { issuer, audiences } = provider
    record({
      name: 'oidc_provider_create',
      resource: { type: 'oidc_provider', id: resourceId(issuer_key) },
      details: { issuer, audiences },
    })
    return describe(row)
  })
}

/** Audit records have the issuer as the id of what they are about, in full where it fits. */
const resourceId = (key: string): string => key.slice(0, 128)

/** All providers, the service's own with them. */
export async function listProviders(ctx: Ctx): Promise<Provider[]> {
  allowIam(ctx.actor, 'iam:ListOpenIDConnectProviders', { arns: ['*'] })
  const registered = (await store.listProviders(ctx.db)).map(describe)
  const own = ownProvider(await settingsInForce({ config: ctx.config, db: ctx.db }))
  return own && !registered.some(({ key }) => key === own.key) ? [...registered, own] : registered
}

/** A provider. Throws not_found. */
export async function getProvider(ctx: Ctx, key: string, action = 'iam:GetOpenIDConnectProvider'): Promise<Provider> {
  allowIam(ctx.actor, action, providerResource(key))
  const found = await findProvider(ctx, key)
  if (!found) throw missing(key)
  return found
}

/** What can be changed of a provider, from what it is; the same list for nothing. */
export interface ProviderChange {
  audiences?(now: readonly string[]): readonly string[]
  thumbprints?: readonly string[]
}

/**
 * Changes a registered provider; `actions` are what the caller has to be allowed. Throws not_found, and limit_reached for too
 * many audiences.
 */
export async function updateProvider(
  ctx: Ctx,
  key: string,
  change: ProviderChange,
  ...actions: readonly string[]
): Promise<void> {
  for (const action of actions) await assertMayChange(ctx, action, key)
  await ctx.act(async (step) => {
    const row = await lockProvider(step, key)
    const before = describe(row)
    const audiences = change.audiences?.(before.audiences) ?? before.audiences
    const thumbprints = change.thumbprints ?? before.thumbprints
    if (audiences.length > MOST_AUDIENCES)
      throw new ServiceError('limit_reached', `An identity provider has ${MOST_AUDIENCES} client ids at most.`)
    const next = { audiences: JSON.stringify(audiences), thumbprints: JSON.stringify(thumbprints) }
    if (next.audiences === row.audiences && next.thumbprints === row.thumbprints) return step.nothing(undefined)
    await store.updateProvider(step.tx, key, next)
    step.record({
      name: 'oidc_provider_update',
      resource: { type: 'oidc_provider', id: resourceId(key) },
      details: {
        issuer: row.issuer,
        before: { audiences: before.audiences, thumbprints: before.thumbprints },
        after: { audiences, thumbprints },
      },
    })
    return undefined
  })
}

async function lockProvider({ tx }: Step, key: string): Promise<store.ProviderRow> {
  const row = await store.lockProvider(tx, key)
  if (!row) throw missing(key)
  return row
}

/** Removes a registered provider, and ends the sessions that its tokens have opened. Throws not_found. */
export async function deleteProvider(
  ctx: Ctx,
  key: string,
  endSessions: (step: Step) => Promise<number>,
): Promise<void> {
  await assertMayChange(ctx, 'iam:DeleteOpenIDConnectProvider', key)
  await ctx.act(async (step) => {
    const row = await lockProvider(step, key)
    const sessions = await endSessions(step)
    await store.deleteProvider(step.tx, key)
    step.record({
      name: 'oidc_provider_delete',
      resource: { type: 'oidc_provider', id: resourceId(key) },
      details: { issuer: row.issuer, audiences: JSON.parse(row.audiences) as string[], sessions },
    })
  })
}
