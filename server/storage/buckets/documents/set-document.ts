import type { Step } from '../../../context.ts'
import * as store from '../store.ts'

/** Step: configures something of a bucket, or with null takes it away. */
export async function setDocument(
  { tx, now, actor }: Step,
  bucket_id: string,
  kind: store.ConfigKind,
  value: unknown,
): Promise<void> {
  if (value === null) await store.deleteDocument(tx, bucket_id, kind)
  else
    await store.putDocument(tx, {
      bucket_id,
      kind,
      document: JSON.stringify(value),
      updated_at: now().toISOString(),
      updated_by: actor.user_id,
    })
}
