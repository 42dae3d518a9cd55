import { BASE_PATH } from '../../navigation.ts'
import type { Row } from './listing.ts'

/** A row's address: a folder's contents, or an object's details in the folder that `prefix` is. */
export function hrefOf(bucket: string, prefix: string, row: Row): string {
  const search = new URLSearchParams(row.object ? { ...(prefix ? { prefix } : {}), sel: row.key } : { prefix: row.key })
  return `${BASE_PATH}/b/${bucket}?${search}`
}
