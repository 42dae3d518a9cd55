import { ServiceError } from '../../../contract/errors.ts'
import { decide } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'
import { getObject } from '../../storage/objects/service.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { S3Error } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Target } from './target.ts'

/** Whether a key exists is told to those who may list it; to others its absence is a refusal. */
export function asUnseen({ actor }: Ctx, { bucket, key }: Target, error: unknown): unknown {
  const isMissing = error instanceof ServiceError && error.missing === 'object'
  if (!isMissing || decide(actor.groups, 'list', bucket, key).allowed) return error
  return new S3Error('AccessDenied', 'Access Denied')
}

/** The object that a request is about. */
export const getSeen = ({ ctx, bucket, key }: Exchange): Promise<ObjectRow> =>
  getObject(ctx, bucket, key).catch((error: unknown) => {
    throw asUnseen(ctx, { bucket, key }, error)
  })
