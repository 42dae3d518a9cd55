import type { listAudit } from '../../contract/audit.ts'
import { api } from '../../contract/index.ts'
import type { Input } from '../../contract/route.ts'
import { handle } from '../http/handle.ts'
import { sendExport } from './export.ts'
import type { Filter } from './search.ts'
import { getRecord, listRecords } from './service.ts'
import { verifyThere } from './verify.ts'

/** As times are stored: SQLite compares them as texts. */
const inUtc = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

const filterOf = (query: Omit<Input<typeof listAudit>['query'], 'page' | 'page_size' | 'cursor'>): Filter => ({
  actions: query.action ?? [],
  bucket: query.bucket,
  objectKeyPrefix: query.object_key_prefix,
  userId: query.user_id,
  email: query.email,
  result: query.result,
  authMethod: query.auth_method,
  tokenId: query.token_id,
  ip: query.ip,
  requestId: query.request_id,
  from: inUtc(query.from),
  to: inUtc(query.to),
})

export const auditRoutes = [
  handle(api.listAudit, (ctx, { query }) => listRecords(ctx, filterOf(query), query)),
  handle(api.getAuditRecord, (ctx, { params }) => getRecord(ctx, params.id)),
  handle(api.exportAudit, (ctx, { query: { format = 'ndjson', ...query }, reply }) =>
    sendExport(ctx, filterOf(query), format, query, reply),
  ),
  handle(api.verifyAudit, (ctx, { query }) => verifyThere(ctx, query.from, query.seconds ?? 20)),
]
