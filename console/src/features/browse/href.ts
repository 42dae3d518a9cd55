import { BASE_PATH } from '../../base-path.ts'
import { atOf } from '../past/at.ts'
import type { Place, Row } from './listing.ts'

/** A row's address: a folder's contents, or an object's details in the folder that `prefix` is. */
export function hrefOf({ bucket, prefix, at }: Pick<Place, 'bucket' | 'prefix' | 'at'>, row: Row): string {
  const search = new URLSearchParams({
    ...(row.object ? { ...(prefix ? { prefix } : {}), sel: row.key } : { prefix: row.key }),
    ...atOf(at),
  })
  return `${BASE_PATH}/b/${bucket}?${search}`
}
