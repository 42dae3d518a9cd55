import type { Step } from '../../../context.ts'
import * as documentStore from './store.ts'

/** Step: configures something of a bucket, or with null takes it away. */
export async function setDocument(
  { tx, now, actor }: Step,
  bucket_id: string,
  kind: documentStore.ConfigKind,
  value: unknown,
): Promise<void> {
  if (value === null) await documentStore.deleteDocument(tx, bucket_id, kind)
  else
    await documentStore.putDocument(tx, {
      bucket_id,
      kind,
      document: JSON.stringify(value),
      updated_at: now().toISOString(),
      updated_by: actor.user_id,
    })
}
