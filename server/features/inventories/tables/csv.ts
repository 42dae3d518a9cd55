// Tables as S3's inventory writes them in CSV: without a header, every value quoted, compressed with gzip.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { formatMoment } from '../../../base/moment.ts'
import { type Cell, cellOf, type TableColumn, type TableWriter } from './table.ts'

/** Bytes of text that are compressed at once, as a member of the file (RFC 1952 section 2.2). */
const MEMBER_BYTES = 1024 * 1024
const compress = promisify(gzip)

/** How S3 names a column: `e_tag` is `ETag`. */
export const csvName = (column: string): string =>
  column
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** Writes rows as CSV. Keys are encoded as in URLs, as S3 does it, for they may have line breaks. */
export function csvWriter(columns: readonly TableColumn[]): TableWriter {
  const writers = columns.map(writerOf)
  let text = ''
  const flush = async (): Promise<Uint8Array> => {
    const bytes = await compress(text)
    text = ''
    return bytes
  }
  return {
    async add(page) {
      for (let row = 0; row < page.rows; row++) {
        for (const [i, write] of writers.entries()) {
          if (i > 0) text += ','
          text += write(cellOf(page.columns[i] ?? null, row))
        }
        text += '\n'
      }
      return text.length < MEMBER_BYTES ? new Uint8Array() : flush()
    },
    end: flush,
    drop() {
      text = ''
    },
  }
}

function writerOf({ name, kind }: TableColumn): (cell: Cell) => string {
  const format =
    name === 'key'
      ? (cell: Exclude<Cell, null>) => encodeKey(String(cell))
      : kind === 'moment'
        ? (cell: Exclude<Cell, null>) => formatMoment(Number(cell))
        : String
  return (cell) => (cell === null ? '""' : `"${format(cell).replaceAll('"', '""')}"`)
}

/** As S3 does it: a slash stays, a space is `+`. */
const encodeKey = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+')
