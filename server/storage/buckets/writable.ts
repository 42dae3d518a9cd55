import { ServiceError } from '../../../contract/errors.ts'
import type { BucketRow } from './store.ts'

/** Whether a bucket shows what others keep. */
export const isReadOnly = ({ mode }: Pick<BucketRow, 'mode'>): boolean => mode === 'read_only'

/** Throws read_only for a bucket whose contents cannot be changed: others keep them, or they are being released. */
export function assertWritable({ mode, name }: Pick<BucketRow, 'mode' | 'name'>): void {
  if (mode === 'read_only')
    throw new ServiceError(
      'read_only',
      `The bucket "${name}" shows what others keep on its storage, and nothing there is changed from here. Change it there, or copy its objects to another bucket first.`,
    )
  if (mode === 'filling')
    throw new ServiceError(
      'read_only',
      `The bucket "${name}" is being filled, and cannot be changed until that is over. To do without it, cancel the job that fills it.`,
    )
  if (mode === 'releasing')
    throw new ServiceError(
      'read_only',
      `The bucket "${name}" is being released, and cannot be changed until that is over. To change it, cancel the job that releases it.`,
    )
}
