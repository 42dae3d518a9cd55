import { allowPerhaps, allowSomewhere } from '../../context.ts'
import { mayBeLarge, takeTurn } from '../../http/large-documents.ts'
import { source } from '../../http/source.ts'
import type { Operation } from './operations/operation.ts'
import type { Exchange } from './requests/exchange.ts'

/**
 * Throws unless the caller may do so much that the request's document is worth reading. Resolves when it is their turn to
 * send a large one.
 */
export async function admit(exchange: Exchange, { method, streams, needs }: Operation): Promise<void> {
  const { ctx, bucket, key, request, response, system } = exchange
  if (typeof needs === 'function') await needs(exchange)
  else if (needs !== undefined && key === '') allowSomewhere(ctx.actor, needs, bucket)
  // What depends on the object, or on the document, is decided once that is known.
  else if (needs !== undefined) allowPerhaps(ctx.actor, needs, bucket, key)
  if (streams || (method !== 'PUT' && method !== 'POST') || !mayBeLarge(request)) return
  exchange.endTurn = await takeTurn(system.config, ctx.actor.user_id ?? source(ctx.actor.origin.ip), response)
}
