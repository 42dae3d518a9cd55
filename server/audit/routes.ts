import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { listRecords } from './service.ts'

/** As times are stored: SQLite compares them as texts. */
const inUtc = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

export const auditRoutes = [
  handle(api.listAudit, (ctx, { query }) =>
    listRecords(
      ctx,
      {
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
      },
      query.page ?? 1,
      query.page_size ?? 50,
    ),
  ),
]
