import type { ItemError } from '../objects/item-error.ts'
import * as store from './store.ts'

/** The columns of a job with what could not be done. */
export function noted(job: Pick<store.JobRow, 'failed' | 'changed' | 'errors'>, errors: readonly ItemError[]) {
  if (errors.length === 0) return {}
  const known = JSON.parse(job.errors) as ItemError[]
  return {
    failed: job.failed + errors.length,
    changed: job.changed + errors.filter(({ code }) => code === 'changed').length,
    errors: JSON.stringify([...known, ...errors].slice(0, store.MOST_ERRORS)),
  }
}

/** The error for an object that is left alone because it is not what was listed any more. */
export const changedSince = ({ key }: { key: string }): ItemError => ({
  key,
  code: 'changed',
  detail: `The object "${key}" has changed since it was listed.`,
})
