import { Readable } from 'node:stream'
import type { Raw } from './cookies.ts'

/** What is exported: a file, as it is read; `read` throws what the export would, before anything is sent. */
interface Lines {
  /** Of the file, without its ending. */
  name: string
  format: 'csv' | 'ndjson'
  read(): Promise<AsyncIterable<Buffer>>
}

/** Responds with the lines of an export as a file that is never cached, streamed. A HEAD request reads nothing. */
export async function answerLines({ name, format, read }: Lines, { request, reply }: Raw) {
  const lines = request.method === 'HEAD' ? [] : await read()
  reply
    .header('content-type', format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson')
    .header('content-disposition', `attachment; filename="${name}.${format}"`)
    .header('cache-control', 'no-store')
  return reply.send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }))
}
