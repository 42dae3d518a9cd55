import { type Api, api } from '../../../../contract/index.ts'
import type { Input } from '../../../../contract/route.ts'
import { exportRecords } from '../../../features/audit/export.ts'
import type { Filter } from '../../../features/audit/search.ts'
import { getRecord, listRecords } from '../../../features/audit/service.ts'
import { verifyThere } from '../../../features/audit/verify.ts'
import { handle } from '../handle.ts'
import { answerLines } from '../lines.ts'

/** The format in which times are stored: SQLite compares them as text. */
const inUtc = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

const filterOf = (query: Omit<Input<Api['listAudit']>['query'], 'page' | 'page_size' | 'cursor'>): Filter => ({
  actions: query.action ?? [],
  bucket: query.bucket,
  objectKeyPrefix: query.object_key_prefix,
  userId: query.user_id,
  email: query.email,
  result: query.result,
  authMethod: query.auth_method,
  tokenId: query.token_id,
  resourceId: query.resource_id,
  ip: query.ip,
  requestId: query.request_id,
  from: inUtc(query.from),
  to: inUtc(query.to),
})

export const auditRoutes = [
  handle(api.listAudit, (ctx, { query }) => listRecords(ctx, filterOf(query), query)),
  handle(api.getAuditRecord, (ctx, { params }) => getRecord(ctx, params.id)),
  handle(api.exportAudit, (ctx, { query: { format = 'ndjson', ...query }, ...raw }) =>
    answerLines({ name: 'audit', format, read: () => exportRecords(ctx, filterOf(query), format, query) }, raw),
  ),
  handle(api.verifyAudit, (ctx, { query }) => verifyThere(ctx, query.from, query.seconds ?? 20)),
]
