import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { listRecords } from './service.ts'

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
        from: query.from,
        to: query.to,
      },
      query.page ?? 1,
      query.page_size ?? 50,
    ),
  ),
]
