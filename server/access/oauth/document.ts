// Documents of clients, whose URLs are their ids (draft-ietf-oauth-client-id-metadata-document).
import Type from 'typebox'
import { Value } from 'typebox/value'
import { ServiceError } from '../../../contract/errors.ts'
import { Legible, Opaque, Plain } from '../../../contract/texts.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'
import { source } from '../../http/source.ts'
import { getJson } from '../../outbound/get.ts'
import { routeOf } from '../../outbound/guarded.ts'
import { oauthRefusal } from './refusal.ts'

const LIMITS = { mostBytes: 10_240, timeoutMs: 5000 }
/** Anyone can have a document read; the limit keeps them from having us call others all the time. */
const READS_PER_MINUTE = 30
const readsOf = perSystem(() => countPerMinute(READS_PER_MINUTE))

/** What a document has to say; other members are ignored. */
const Document = Type.Object({
  client_id: Type.String(),
  client_name: Legible(100),
  redirect_uris: Type.Array(Opaque(512), { minItems: 1, maxItems: 20 }),
  token_endpoint_auth_method: Type.Optional(Plain(100)),
  grant_types: Type.Optional(Type.Array(Plain(100), { maxItems: 10 })),
  response_types: Type.Optional(Type.Array(Plain(100), { maxItems: 10 })),
})

/** An https URL with a path, and without anything that two readers could understand differently. */
function readId(id: string): URL {
  const url = URL.canParse(id) ? new URL(id) : null
  const isPlain =
    url?.protocol === 'https:' && url.href === id && url.pathname !== '/' && !url.hash && !url.username && !url.password
  if (!isPlain) throw oauthRefusal('invalid_client', 'client_id is no https URL with a path, in its normal form.')
  return url
}

/**
 * Reads a client's document over a connection that is checked like those of webhooks. Throws `invalid_client` if there is none
 * or it is another's, and rate_limited after 30 a minute for one address.
 */
export async function readClientDocument(ctx: Ctx, id: string) {
  const url = readId(id)
  const wait = readsOf(ctx.config)(source(ctx.actor.origin.ip), ctx.now())
  if (wait > 0)
    throw new ServiceError('rate_limited', 'Too many documents of clients were asked for. Try again later.', {
      headers: { 'retry-after': String(wait) },
    })
  const document = await getJson(routeOf(ctx.config), url, LIMITS).catch((error: unknown) => {
    ctx.log.info({ err: error, client_id: id }, 'the document of a client of the MCP server cannot be read')
    throw oauthRefusal('invalid_client', 'The document of the client cannot be read.', error)
  })
  if (!Value.Check(Document, document))
    throw oauthRefusal('invalid_client', 'The document of the client lacks its name or redirect URIs, or has too many.')
  if (document.client_id !== id)
    throw oauthRefusal('invalid_client', 'The document of the client is about another one.')
  if (document.token_endpoint_auth_method !== undefined && document.token_endpoint_auth_method !== 'none')
    throw oauthRefusal('invalid_client', 'The client wants to authenticate, and can only be a public one here.')
  return { ...document, host: url.host }
}
