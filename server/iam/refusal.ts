import { ServiceError } from '../../contract/errors.ts'
import type { BucketAction } from '../../contract/names.ts'
import type { Ruling } from './decide.ts'
import type { Asked } from './names-of-rights.ts'

/** The error for a ruling that refuses. */
export function refusedBy(
  ruling: Extract<Ruling, { allowed: false }>,
  asked: BucketAction | Asked,
  bucket: string,
  key: string,
): ServiceError {
  const right = typeof asked === 'string' ? asked : asked.right
  const where = key === '' ? `bucket "${bucket}"` : `key "${key}" of bucket "${bucket}"`
  return new ServiceError(
    'forbidden',
    ruling.denied ? `A policy denies "${right}" on ${where}.` : `You need the "${right}" permission on ${where}.`,
  )
}
