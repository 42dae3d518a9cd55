import { api } from '../../../../contract/index.ts'
import { createShare } from '../../../features/shares/create.ts'
import { getShareLink } from '../../../features/shares/link.ts'
import { revokeMany, shareMany } from '../../../features/shares/many.ts'
import * as parts from '../../../features/shares/parts.ts'
import { unlockShare } from '../../../features/shares/password.ts'
import * as service from '../../../features/shares/service.ts'
import { handle } from '../handle.ts'
import { forbidCaching, presentedBy, receiveShared, sendChosen, sendShare, sendShareEntry } from '../shares.ts'
import { bodyOf } from '../uploads.ts'

export const shareRoutes = [
  handle(api.shareObject, (ctx, { params, query, body, reply }) => {
    forbidCaching(reply)
    return createShare(ctx, { kind: 'object', ...params, ...query, ...body })
  }),
  handle(api.shareObjectByQuery, (ctx, { params, query, body, reply }) => {
    forbidCaching(reply)
    return createShare(ctx, { kind: 'object', ...params, ...query, ...body })
  }),
  handle(api.createShare, (ctx, { body, reply }) => {
    forbidCaching(reply)
    return createShare(ctx, body)
  }),
  handle(api.bulkShare, (ctx, { params, body, reply }) => {
    forbidCaching(reply)
    return shareMany(ctx, params.bucket, body)
  }),
  handle(api.bulkUnshare, (ctx, { params, body }) => revokeMany(ctx, params.bucket, body.ids)),
  handle(api.listShares, (ctx, { query }) => service.listShares(ctx, query)),
  handle(api.updateShare, (ctx, { params, body }) => service.updateShare(ctx, params.id, body)),
  handle(api.getShareLink, (ctx, { params, reply }) => {
    forbidCaching(reply)
    return getShareLink(ctx, params.id)
  }),
  handle(api.revokeShare, (ctx, { params }) => service.revokeShare(ctx, params.id)),
  handle(api.listShareAccesses, (ctx, { params, query }) =>
    service.listAccesses(ctx, params.id, query.page ?? 1, query.page_size ?? 50),
  ),
  handle(api.unlockShare, (ctx, { params, body, reply }) => {
    forbidCaching(reply)
    return unlockShare(ctx, params.token, body.password)
  }),
  ...[api.openShare, api.openShareAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => sendShare(ctx, params.token, query, raw)),
  ),
  ...[api.headShare, api.headShareAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => sendShare(ctx, params.token, query, raw)),
  ),
  ...[api.openShareEntry, api.openShareEntryAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => sendShareEntry(ctx, params, query, raw)),
  ),
  ...[api.headShareEntry, api.headShareEntryAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => sendShareEntry(ctx, params, query, raw)),
  ),
  ...[api.archiveShare, api.archiveShareAtRoot].map((route) =>
    handle(route, (ctx, { params, body, ...raw }) => sendChosen(ctx, params.token, [body.path].flat(), raw)),
  ),
  handle(api.beginSharedUpload, (ctx, { params, body, request, reply }) => {
    forbidCaching(reply)
    return parts.beginThroughShare(ctx, params.token, body, presentedBy(request))
  }),
  handle(api.getSharedUpload, (ctx, { params, reply }) => {
    forbidCaching(reply)
    return parts.getThroughShare(ctx, params.upload)
  }),
  handle(api.putSharedPart, (ctx, { params, ...raw }) =>
    parts.receivePartThroughShare(ctx, params.upload, params.part_number, bodyOf(raw)),
  ),
  handle(api.completeSharedUpload, (ctx, { params }) => parts.completeThroughShare(ctx, params.upload)),
  handle(api.abortSharedUpload, (ctx, { params }) => parts.abortThroughShare(ctx, params.upload)),
  ...[api.receiveThroughShare, api.receiveThroughShareAtRoot].map((route) =>
    handle(route, (ctx, { params, ...raw }) => receiveShared(ctx, params, raw)),
  ),
]
