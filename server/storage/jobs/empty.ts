import type { Step } from '../../context.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { namedVersion } from '../history/retire.ts'
import { nameOf } from '../history/store.ts'
import type { ItemError } from '../objects/item-error.ts'
import { removeVersions } from '../versions/remove.ts'
import type * as itemStore from './items/store.ts'
import type { Outcome } from './undo.ts'

/** Step: removes versions that were listed. */
export async function emptyStep(
  step: Step,
  bucket: HeldBucket,
  items: readonly itemStore.Item[],
  job_id: string,
): Promise<Outcome> {
  const names = items.map(({ key, version_id }) => ({ key, version_id: namedVersion(version_id ?? 'null') }))
  const { removed, errors } = await removeVersions(step, bucket, names, { job_id })
  const settled = new Set([...removed, ...errors].map(nameOf))
  const gone = names
    .filter((one) => !settled.has(nameOf(one)))
    .map(({ key }): ItemError => ({ key, code: 'not_found', detail: `A version of "${key}" is no longer there.` }))
  return {
    done: removed.length,
    errors: [...errors.map(({ key, code, detail }) => ({ key, code, detail })), ...gone],
    progress: { position: items.at(-1)?.position ?? 0 },
  }
}
