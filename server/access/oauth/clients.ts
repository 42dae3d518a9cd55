import { ServiceError } from '../../../contract/errors.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { source } from '../../http/source.ts'
import { BASE62, randomText } from '../../secrets/random.ts'
import { readClientDocument } from './document.ts'
import { faultOfRedirect } from './redirects.ts'
import { oauthRefusal } from './refusal.ts'
import * as store from './store.ts'

/** How long a registration waits for a user to make an agent for it. */
const WAITS_MS = DAY_MS
/** How many of them wait at most: the oldest give way, so that nobody can keep others from registering. */
const MOST_WAITING = 1000
const REGISTRATIONS_PER_MINUTE = 10
const registrationsOf = perSystem(() => countPerMinute(REGISTRATIONS_PER_MINUTE))

/** A client, as it describes itself. */
export interface Client {
  id: string
  name: string
  redirectUris: readonly string[]
  /** The host of its document; null if it registered itself. */
  host: string | null
}

/** What a client may say of itself that is looked at. */
interface Registration {
  redirect_uris: readonly string[]
  client_name?: string | undefined
  grant_types?: readonly string[] | undefined
  response_types?: readonly string[] | undefined
}

/** Throws for redirect URIs that answers may not be sent to, and for what clients cannot do here. */
function assertPossible({ redirect_uris, grant_types, response_types }: Registration): void {
  for (const uri of redirect_uris) {
    const fault = faultOfRedirect(uri)
    if (fault !== null) throw oauthRefusal('invalid_redirect_uri', `The redirect URI ${uri} ${fault}.`)
  }
  if (grant_types && !grant_types.includes('authorization_code'))
    throw oauthRefusal('invalid_client_metadata', 'grant_types must include "authorization_code".')
  if (response_types && !response_types.includes('code'))
    throw oauthRefusal('invalid_client_metadata', 'response_types must include "code".')
}

/** Registers a client (RFC 7591). Throws rate_limited after ten a minute from one address. */
export async function registerClient(ctx: Ctx, given: Registration) {
  assertPossible(given)
  const wait = registrationsOf(ctx.config)(source(ctx.actor.origin.ip), ctx.now())
  if (wait > 0)
    throw new ServiceError('rate_limited', 'Too many clients were registered. Try again later.', {
      headers: { 'retry-after': String(wait) },
    })
  const redirect_uris = [...given.redirect_uris]
  const id = randomText(BASE62, 22)
  const name = given.client_name?.trim() ?? 'MCP client'
  const at = await ctx.act(async ({ tx, now, record }) => {
    const at = now()
    await store.insertClient(tx, {
      id,
      name,
      redirect_uris: JSON.stringify(redirect_uris),
      created_at: at.toISOString(),
      expires_at: new Date(at.getTime() + WAITS_MS).toISOString(),
    })
    await store.dropOldest(tx, MOST_WAITING)
    record({
      name: 'client_register',
      details: { client_id: id, client_name: name, redirect_uri: redirect_uris.join(' ') },
    })
    return at
  })
  return {
    client_id: id,
    client_id_issued_at: Math.floor(at.getTime() / 1000),
    client_name: name,
    redirect_uris,
    token_endpoint_auth_method: 'none' as const,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** The client of an id: of a registration, or the URL of its document, which is read. Throws `invalid_client`. */
export async function findClient(ctx: Ctx, id: string): Promise<Client> {
  if (id.startsWith('https:')) {
    const { host, client_name, redirect_uris, ...rest } = await readClientDocument(ctx, id)
    assertPossible({ redirect_uris, ...rest })
    return { id, name: client_name, redirectUris: redirect_uris, host }
  }
  const row = await store.findClient(ctx.db, id, ctx.now())
  if (!row) throw oauthRefusal('invalid_client', 'No such client is registered: it may have expired.')
  return { id, name: row.name, redirectUris: JSON.parse(row.redirect_uris) as string[], host: null }
}
