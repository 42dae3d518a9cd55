// The headers that say when the rules of a bucket will delete an object or end an upload.
import type { StoredObject } from '../../../../../contract/objects.ts'
import { findConfig } from '../../../../storage/buckets/documents/config.ts'
import {
  abortionOf,
  expiryOf,
  type LifecycleRule,
  type LifecycleSubject,
} from '../../../../storage/buckets/documents/lifecycle.ts'
import { textUnlessEmpty } from '../../../../storage/objects/describe.ts'
import type { AnswerHeaders } from '../../answers/answer.ts'
import type { Exchange } from '../../requests/exchange.ts'

/** What answers say of an object's expiry by the rules of its bucket. */
function expirationHeader(rules: readonly LifecycleRule[] | undefined, object: LifecycleSubject): string | undefined {
  const found = rules && expiryOf(rules, object)
  return found && `expiry-date="${found.at.toUTCString()}", rule-id="${encodeURIComponent(found.rule)}"`
}

/** The same, of a bucket's document. */
export const expirationIn = (document: string | null, object: LifecycleSubject): string | undefined =>
  document === null ? undefined : expirationHeader(JSON.parse(document) as LifecycleRule[], object)

/** What the core says of an object, as rules judge it. */
export const lifecycleSubject = (object: StoredObject) => ({ ...object, tags: textUnlessEmpty(object.tags) })

/** The same of an object that was just made, by what is configured now. */
export const currentExpiration = async ({ ctx, bucket }: Exchange, object: StoredObject): Promise<string | undefined> =>
  expirationHeader(await findConfig(ctx.db, bucket, 'lifecycle'), lifecycleSubject(object))

/** What answers about an upload in parts say of its end by the rules of its bucket. */
export async function abortHeaders(
  { ctx, bucket }: Exchange,
  upload: Parameters<typeof abortionOf>[1],
): Promise<AnswerHeaders> {
  const rules = await findConfig(ctx.db, bucket, 'lifecycle')
  const found = rules && abortionOf(rules, upload)
  return found
    ? { 'x-amz-abort-date': found.at.toUTCString(), 'x-amz-abort-rule-id': encodeURIComponent(found.rule) }
    : {}
}
