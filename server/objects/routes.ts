import type { FastifyReply, FastifyRequest } from 'fastify'
import { api } from '../../contract/index.ts'
import type { Ctx } from '../context.ts'
import { handle } from '../http/handle.ts'
import { sendArchive } from './archive.ts'
import { browse, listObjects } from './browse.ts'
import * as bulk from './bulk.ts'
import { sendObject } from './download.ts'
import { receiveForm, receivePut } from './receive.ts'
import { searchObjects } from './search.ts'
import { deleteObject } from './service.ts'
import { presign, receiveSigned, sendSigned } from './signed.ts'

interface ByKey {
  bucket: string
  key: string
}
interface ReadQuery {
  download?: string | undefined
}
interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}
const put = (ctx: Ctx, { bucket, key }: ByKey, { request, reply }: Raw) => receivePut(ctx, bucket, key, request, reply)
const send = (ctx: Ctx, { bucket, key }: ByKey, { download }: ReadQuery, { request, reply }: Raw) =>
  sendObject(ctx, { bucket, key, download: download === '1' }, request, reply)
const remove = (ctx: Ctx, { bucket, key }: ByKey, { permanent = false }: { permanent?: boolean }, { request }: Raw) =>
  deleteObject(ctx, bucket, key, { permanent, ifMatch: request.headers['if-match'] })

export const objectRoutes = [
  handle(api.browse, (ctx, { params, query }) => browse(ctx, params.bucket, query)),
  handle(api.listObjects, (ctx, { params, query: { prefix = '', search, limit = 100, cursor } }) =>
    search === undefined
      ? listObjects(ctx, params.bucket, prefix, limit, cursor)
      : searchObjects(ctx, params.bucket, { prefix, search, limit, cursor }),
  ),
  handle(api.uploadForm, (ctx, { params, query, request, reply }) =>
    receiveForm(ctx, params.bucket, query.prefix ?? '', request, reply),
  ),
  handle(api.putObject, (ctx, { params, ...raw }) => put(ctx, params, raw)),
  handle(api.getObject, (ctx, { params, query, ...raw }) => send(ctx, params, query, raw)),
  handle(api.headObject, (ctx, { params, query, ...raw }) => send(ctx, params, query, raw)),
  handle(api.deleteObject, (ctx, { params, query, ...raw }) => remove(ctx, params, query, raw)),
  handle(api.putObjectByQuery, (ctx, { params, query, ...raw }) => put(ctx, { ...params, ...query }, raw)),
  handle(api.getObjectByQuery, (ctx, { params, query, ...raw }) => send(ctx, { ...params, ...query }, query, raw)),
  handle(api.headObjectByQuery, (ctx, { params, query, ...raw }) => send(ctx, { ...params, ...query }, query, raw)),
  handle(api.copyObject, (ctx, { params, body }) => bulk.transferOne(ctx, 'copy', params.bucket, body)),
  handle(api.moveObject, (ctx, { params, body }) => bulk.transferOne(ctx, 'move', params.bucket, body)),
  handle(api.bulkCopy, (ctx, { params, body }) => bulk.transferMany(ctx, 'copy', params.bucket, body)),
  handle(api.bulkMove, (ctx, { params, body }) => bulk.transferMany(ctx, 'move', params.bucket, body)),
  handle(api.bulkDelete, (ctx, { params, body }) => bulk.deleteMany(ctx, params.bucket, body.keys)),
  handle(api.objectsExist, (ctx, { params, body }) => bulk.findTaken(ctx, params.bucket, body.keys)),
  handle(api.updateObject, (ctx, { params, body, request }) =>
    bulk.describeAnew(ctx, params.bucket, params.key, body, request.headers['if-match']),
  ),
  handle(api.updateObjectByQuery, (ctx, { params, query, body, request }) =>
    bulk.describeAnew(ctx, params.bucket, query.key, body, request.headers['if-match']),
  ),
  handle(api.archiveObjects, (ctx, { params, query, ...raw }) =>
    query.prefix === undefined && query.keys === undefined
      ? send(ctx, { ...params, key: 'archive' }, query, raw)
      : sendArchive(ctx, params.bucket, query, raw.reply),
  ),
  handle(api.archiveSelection, (ctx, { params, body, reply }) => sendArchive(ctx, params.bucket, body, reply)),
  handle(api.presignObject, (ctx, { params, body }) => presign(ctx, params.bucket, body)),
  handle(api.getSigned, (ctx, { params, ...raw }) => sendSigned(ctx, params.token, raw)),
  handle(api.headSigned, (ctx, { params, ...raw }) => sendSigned(ctx, params.token, raw)),
  handle(api.putSigned, (ctx, { params, ...raw }) => receiveSigned(ctx, params.token, raw)),
  handle(api.deleteObjectByQuery, (ctx, { params, query, ...raw }) => remove(ctx, { ...params, ...query }, query, raw)),
]
