import type { FastifyReply, FastifyRequest } from 'fastify'
import { api } from '../../contract/index.ts'
import type { Ctx } from '../context.ts'
import { handle } from '../http/handle.ts'
import { browse, listObjects } from './browse.ts'
import { sendObject } from './download.ts'
import { receiveForm, receivePut } from './receive.ts'
import { deleteObject } from './service.ts'

interface ByKey {
  name: string
  key: string
}
interface ReadQuery {
  download?: string | undefined
}
interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}
const put = (ctx: Ctx, { name, key }: ByKey, { request, reply }: Raw) => receivePut(ctx, name, key, request, reply)
const send = (ctx: Ctx, { name, key }: ByKey, { download }: ReadQuery, { request, reply }: Raw) =>
  sendObject(ctx, { bucket: name, key, download: download === '1' }, request, reply)
const remove = (ctx: Ctx, { name, key }: ByKey, { permanent = false }: { permanent?: boolean }, { request }: Raw) =>
  deleteObject(ctx, name, key, { permanent, ifMatch: request.headers['if-match'] })

export const objectRoutes = [
  handle(api.browse, (ctx, { params, query }) => browse(ctx, params.name, query)),
  handle(api.listObjects, (ctx, { params, query }) =>
    listObjects(ctx, params.name, query.prefix ?? '', query.limit ?? 100, query.cursor),
  ),
  handle(api.uploadForm, (ctx, { params, query, request, reply }) =>
    receiveForm(ctx, params.name, query.prefix ?? '', request, reply),
  ),
  handle(api.putObject, (ctx, { params, ...raw }) => put(ctx, params, raw)),
  handle(api.getObject, (ctx, { params, query, ...raw }) => send(ctx, params, query, raw)),
  handle(api.headObject, (ctx, { params, query, ...raw }) => send(ctx, params, query, raw)),
  handle(api.deleteObject, (ctx, { params, query, ...raw }) => remove(ctx, params, query, raw)),
  handle(api.putObjectByQuery, (ctx, { params, query, ...raw }) => put(ctx, { ...params, ...query }, raw)),
  handle(api.getObjectByQuery, (ctx, { params, query, ...raw }) => send(ctx, { ...params, ...query }, query, raw)),
  handle(api.headObjectByQuery, (ctx, { params, query, ...raw }) => send(ctx, { ...params, ...query }, query, raw)),
  handle(api.deleteObjectByQuery, (ctx, { params, query, ...raw }) => remove(ctx, { ...params, ...query }, query, raw)),
]
