import { setImmediate as nextTurn } from 'node:timers/promises'
import { csvLine } from '../../../contract/csv.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { sealAll } from './seal.ts'
import * as search from './search.ts'
import { toRecord } from './service.ts'

const SLICE = 200

const columns = [
  'id',
  'time',
  'action',
  'result',
  'status_code',
  'error_code',
  'actor_user_id',
  'actor_email',
  'actor_type',
  'auth_method',
  'token_id',
  'session_id',
  'actor_ip',
  'user_agent',
  'request_id',
  'method',
  'route',
  'bucket',
  'object_key',
  'resource_type',
  'resource_id',
  'details',
] satisfies (keyof Row<'audit'>)[]

/**
 * Records the export and yields its lines as they are read. Throws `busy` while the latest records are being sealed.
 */
export async function exportRecords(
  ctx: Ctx,
  filter: search.Filter,
  format: 'ndjson' | 'csv',
  asked: object,
): Promise<AsyncGenerator<Buffer>> {
  // Only sealed records can be read in order at a constant cost per record.
  if (!(await sealAll(ctx)))
    throw new ServiceError('busy', 'The latest records are being sealed. Try again.', {
      headers: { 'retry-after': '1' },
    })
  await ctx.act(async ({ record }) => record({ name: 'audit_export', details: { format, filter: asked } }))
  return linesOf(ctx, filter, format)
}

/** Yields one buffer per slice that has records, so memory use is one slice. */
async function* linesOf(ctx: Ctx, filter: search.Filter, format: 'ndjson' | 'csv'): AsyncGenerator<Buffer> {
  if (format === 'csv') yield Buffer.from(csvLine(columns))
  const line =
    format === 'csv'
      ? (row: Row<'audit'>) => csvLine(columns.map((column) => row[column]))
      : (row: Row<'audit'>) => `${JSON.stringify(toRecord(row))}\n`
  let after: search.Position | undefined
  let records = 0
  try {
    do {
      const { rows, last } = await search.findSealedSlice(ctx.db, filter, after, SLICE)
      records += rows.length
      after = last
      if (rows.length > 0) yield Buffer.from(rows.map(line).join(''))
      // SQLite answers synchronously, so this gives other requests a turn.
      else await nextTurn()
    } while (after && !ctx.stopping.aborted)
    if (after) throw new Error('The service is stopping; the export is incomplete')
  } finally {
    if (after) ctx.log.info({ records }, 'an audit export was cut short')
  }
}
