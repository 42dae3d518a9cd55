import type { BucketAction } from '../../../contract/names.ts'
import { allow, allowSomewhere } from '../../context.ts'
import { mayBeLarge, takeTurn } from '../../http/large-documents.ts'
import { assertMayDelete } from './delete.ts'
import type { Exchange } from './exchange.ts'
import type { Operation } from './operations.ts'

/**
 * The right to the object, or anywhere in the bucket, without which an operation reads nothing of its document, by the
 * operation's name. Those that are not listed have none, or ask themselves before they read: for more than one right, or
 * for the upload that they are about.
 */
export const firstRights: { readonly [operation: string]: BucketAction } = {
  PutBucketCors: 'manage',
  PutBucketLifecycleConfiguration: 'policy',
  PutBucketOwnershipControls: 'manage',
  PutBucketPolicy: 'manage',
  PutBucketTagging: 'manage',
  PutBucketVersioning: 'manage',
  PutObjectLockConfiguration: 'manage',
  PutPublicAccessBlock: 'manage',
  PutObjectTagging: 'write',
  PutObjectRetention: 'write',
  PutObjectLegalHold: 'manage',
}

/**
 * Throws unless the caller may do so much that the request's document is worth reading. Resolves when it is their turn to
 * send a large one.
 */
export async function admit(exchange: Exchange, { name, method, streams }: Operation): Promise<void> {
  const { ctx, bucket, key, request, response, system } = exchange
  const right = Object.hasOwn(firstRights, name) ? firstRights[name] : undefined
  if (name === 'DeleteObjects') await assertMayDelete(exchange)
  if (right !== undefined && key === '') allowSomewhere(ctx.actor, right, bucket)
  else if (right !== undefined) allow(ctx.actor, right, bucket, key)
  if (streams || (method !== 'PUT' && method !== 'POST') || !mayBeLarge(request)) return
  exchange.endTurn = await takeTurn(system.config, ctx.actor.user_id ?? ctx.actor.origin.ip ?? '', response)
}
