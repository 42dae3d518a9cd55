import { api } from '../../../../contract/index.ts'
import type { Ctx } from '../../../context.ts'
import { noteArchived } from '../../../features/audit/reads.ts'
import { readEntityTags } from '../../../http/conditions.ts'
import { listForkChanges } from '../../../storage/forks/changes.ts'
import { listChanges } from '../../../storage/history/former/changes.ts'
import { asAsked } from '../../../storage/history/former/past.ts'
import { namedVersion } from '../../../storage/history/retire.ts'
import { archive } from '../../../storage/objects/archive/archive.ts'
import { browse, listObjects } from '../../../storage/objects/lists/browse.ts'
import { countObjects, sizeFolders } from '../../../storage/objects/lists/count.ts'
import { searchEverywhere } from '../../../storage/objects/lists/everywhere.ts'
import { exportList } from '../../../storage/objects/lists/export.ts'
import { searchByQuery } from '../../../storage/objects/lists/query-page.ts'
import { listMatching } from '../../../storage/objects/lists/search.ts'
import { searchObjects } from '../../../storage/objects/lists/search-page.ts'
import { suggest } from '../../../storage/objects/lists/suggest.ts'
import { presign } from '../../../storage/objects/presign.ts'
import { deleteObject } from '../../../storage/objects/service.ts'
import type { ObjectRow } from '../../../storage/objects/store.ts'
import * as bulk from '../../../storage/objects/transfers/bulk.ts'
import { updateMetadata } from '../../../storage/objects/update.ts'
import { deleteVersion } from '../../../storage/versions/delete.ts'
import { sendArchive } from '../archive.ts'
import { sendObject } from '../contents.ts'
import { handle, type Raw } from '../handle.ts'
import { answerLines } from '../lines.ts'
import { receiveSigned, sendSigned } from '../signed-urls.ts'
import { receiveForm, receivePut } from '../uploads.ts'

interface ByKey {
  bucket: string
  key: string
}
const put = (ctx: Ctx, { bucket, key }: ByKey, raw: Raw) => receivePut(ctx, { bucket, key }, raw)
interface Versioned {
  version_id?: string | undefined
}
const versionIn = ({ version_id }: Versioned) => (version_id === undefined ? undefined : namedVersion(version_id))
const send = async (
  ctx: Ctx,
  { bucket, key }: ByKey,
  { download, at, ...query }: { download?: string | undefined; at?: string | undefined } & Versioned,
  raw: Raw,
) =>
  sendObject(
    await asAsked(ctx, bucket, at),
    { bucket, key, version: versionIn(query), download: download === '1' },
    raw,
  )
async function remove(
  ctx: Ctx,
  { bucket, key }: ByKey,
  {
    permanent = false,
    bypass_lock: bypass = false,
    ...query
  }: { permanent?: boolean; bypass_lock?: boolean } & Versioned,
  { request }: Raw,
): Promise<undefined> {
  const [version_id, conditions] = [versionIn(query), { ifMatch: ifMatchOf(request) }]
  if (version_id === undefined) await deleteObject(ctx, bucket, key, { permanent, ...conditions })
  else await deleteVersion(ctx, bucket, { key, version_id, conditions: [conditions] }, { permanent, bypass })
}
const ifMatchOf = ({ headers }: Raw['request']) => readEntityTags(headers['if-match'])

async function zip(
  asking: Ctx,
  bucket: string,
  { at, ...what }: Parameters<typeof archive>[2] & { at?: string | undefined },
  raw: Raw,
) {
  const ctx = await asAsked(asking, bucket, at)
  const onRead = ({ key, size }: ObjectRow) => noteArchived(ctx, { bucket, key, size })
  return sendArchive(ctx, await archive(ctx, bucket, what), { onRead }, raw)
}

export const objectRoutes = [
  handle(api.browse, async (ctx, { params, query: { at, ...query } }) =>
    browse(await asAsked(ctx, params.bucket, at), params.bucket, query),
  ),
  handle(api.listObjects, async (ctx, { params, query: { at, prefix = '', search, limit = 100, cursor } }) =>
    search === undefined
      ? listObjects(await asAsked(ctx, params.bucket, at), params.bucket, { prefix, limit, cursor })
      : listMatching(await asAsked(ctx, params.bucket, at), params.bucket, { prefix, search, limit, cursor }),
  ),
  handle(api.searchObjects, async (asking, { params, query: { q, at, ...query } }) => {
    const ctx = await asAsked(asking, params.bucket, at)
    return q === undefined
      ? searchObjects(ctx, params.bucket, query)
      : searchByQuery(ctx, params.bucket, { q, ...query })
  }),
  handle(api.searchEverywhere, (ctx, { query }) => searchEverywhere(ctx, query)),
  handle(api.exportSearch, (ctx, { query, ...raw }) =>
    answerLines({ name: 'objects', format: query.format ?? 'csv', read: () => exportList(ctx, query) }, raw),
  ),
  handle(api.suggestSearch, (ctx, { query }) => suggest(ctx, query)),
  handle(api.countObjects, async (ctx, { params, query: { at, ...query } }) =>
    countObjects(await asAsked(ctx, params.bucket, at), params.bucket, query),
  ),
  handle(api.sizeFolders, async (ctx, { params, query: { at }, body }) =>
    sizeFolders(await asAsked(ctx, params.bucket, at), params.bucket, body.prefixes),
  ),
  handle(api.listChanges, (ctx, { params, query }) => listChanges(ctx, params.bucket, query)),
  handle(api.listForkChanges, (ctx, { params, query }) => listForkChanges(ctx, params.bucket, query)),
  handle(api.uploadForm, (ctx, { params, query, request, reply }) =>
    receiveForm(ctx, params.bucket, query.prefix ?? '', { request, reply }),
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
    updateMetadata(ctx, { bucket: params.bucket, key: params.key }, body, { ifMatch: ifMatchOf(request) }),
  ),
  handle(api.updateObjectByQuery, (ctx, { params, query, body, request }) =>
    updateMetadata(ctx, { bucket: params.bucket, key: query.key }, body, { ifMatch: ifMatchOf(request) }),
  ),
  handle(api.archiveObjects, (ctx, { params, query, ...raw }) =>
    query.prefix === undefined && query.keys === undefined
      ? send(ctx, { ...params, key: 'archive' }, query, raw)
      : zip(ctx, params.bucket, query, raw),
  ),
  handle(api.archiveSelection, (ctx, { params, body, ...raw }) => zip(ctx, params.bucket, body, raw)),
  handle(api.presignObject, (ctx, { params, body }) => presign(ctx, params.bucket, body)),
  handle(api.getSigned, (ctx, { params, ...raw }) => sendSigned(ctx, params.token, raw)),
  handle(api.getSignedFile, (ctx, { params, ...raw }) => sendSigned(ctx, params.token, raw)),
  handle(api.headSigned, (ctx, { params, ...raw }) => sendSigned(ctx, params.token, raw)),
  handle(api.putSigned, (ctx, { params, ...raw }) => receiveSigned(ctx, params.token, raw)),
  handle(api.deleteObjectByQuery, (ctx, { params, query, ...raw }) => remove(ctx, { ...params, ...query }, query, raw)),
]
