import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../contract/errors.ts'
import type { ShareInfo, ShareListing } from '../../contract/shares.ts'
import { noteRead } from '../audit/reads.ts'
import { findBucket } from '../buckets/store.ts'
import type { Ctx } from '../context.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { hasImageParameters, sendImage } from '../images/service.ts'
import { folderName, namedObjects, noting, rangedObjects, sendZip } from '../objects/archive.ts'
import { answerTo, sendContents } from '../objects/download.ts'
import { findKeys } from '../objects/search.ts'
import { findObject, findObjects, type ObjectRow } from '../objects/store.ts'
import { countDownload, noteBucket } from '../usage/traffic.ts'
import { findLink, forbidCaching, gone, isOpen, NO_STORE, type OpenLink, openRanges } from './open.ts'
import { checkPassword } from './password.ts'
import type { UploadLimits } from './service.ts'
import { assertLeft, spend } from './spend.ts'
import { isTicket } from './ticket.ts'

interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}
export interface OpenQuery {
  archive?: '1' | undefined
  cursor?: string | undefined
  limit?: number | undefined
  download?: '0' | '1' | undefined
  embed?: '1' | undefined
  info?: '1' | undefined
  key?: string | undefined
}

const objectGone = () => new ServiceError('not_found', 'What this link was of is not there any more.')

/** Answers GET and HEAD of a link: the object, or what a folder or selection holds. */
export async function openShare(ctx: Ctx, token: string, query: OpenQuery, raw: Raw): Promise<FastifyReply> {
  if (query.key !== undefined) return openEntry(ctx, token, query.key, query, raw)
  forbidCaching(raw.reply)
  const link = await findLink(ctx, token)
  noteBucket(raw.request, link.row.bucket)
  if (query.info === '1') return raw.reply.send(await describeLink(ctx, link, raw.request))
  await checkPassword(ctx, link, raw.request)
  const { kind, target } = link.row
  if (kind === 'object') return serve(ctx, link, target, query, raw)
  if (kind === 'upload') return raw.reply.send(await describeLink(ctx, link, raw.request))
  if (query.archive === '1') return serveArchive(ctx, link, raw)
  return raw.reply.send(await list(ctx, link, query))
}

/** Answers GET and HEAD of one object of a folder (by its name below it) or selection (by its key). */
export async function openEntry(ctx: Ctx, token: string, name: string, query: OpenQuery, raw: Raw) {
  forbidCaching(raw.reply)
  const link = await findLink(ctx, token)
  noteBucket(raw.request, link.row.bucket)
  await checkPassword(ctx, link, raw.request)
  const { kind, target } = link.row
  const key = kind === 'folder' ? target + name : name
  const inside = kind === 'folder' || (kind === 'selection' && (JSON.parse(target) as string[]).includes(key))
  if (!inside) throw objectGone()
  return serve(ctx, link, key, query, raw)
}

async function serve(ctx: Ctx, link: OpenLink, key: string, query: OpenQuery, { request, reply }: Raw) {
  const { row } = link
  if (!isOpen(openRanges(link, 'read', key), key)) throw gone()
  const object = await findObject(ctx.db, row.bucket, key)
  if (!object || object.bucket_id !== row.bucket_id) throw objectGone()
  const image = hasImageParameters(request)
  const via = image ? 'image' : 'download'
  noteRead(visitor(ctx), reply, { bucket: row.bucket, key, size: object.size, via, share_id: row.id })
  const naming = {
    download: query.download === '1',
    filename: row.kind === 'object' ? (row.filename ?? undefined) : undefined,
    // What the page of the link shows it does not save.
    disposition: query.embed === '1' ? undefined : (row.disposition ?? undefined),
    cacheControl: NO_STORE,
    embed: query.embed === '1',
  }
  if (image) {
    await assertLeft(ctx, link, { key }, { request, reply })
    const before = () => spend(ctx, link, { key }, { request, reply })
    return sendImage(ctx, object, request, reply, { ...naming, principal: row.id, link: true, before })
  }
  const { status, ranges } = answerTo(request, object)
  const given = { key, object, part: ranges.length === 1 ? ranges[0] : undefined }
  if (status === 200 || status === 206) await spend(ctx, link, given, { request, reply })
  else await assertLeft(ctx, link, given, { request, reply })
  return sendContents(ctx, object, naming, request, reply)
}

const visitor = (ctx: Ctx): Ctx => ctx.as({ ...ctx.actor, auth_method: 'share_link' })

/** The bucket the link was made in; one made again under the name is another. */
async function bucketIdOf(ctx: Ctx, { row }: OpenLink): Promise<string> {
  const bucket = await findBucket(ctx.db, row.bucket)
  if (!bucket || bucket.id !== row.bucket_id) throw objectGone()
  return bucket.id
}

const keysOf = ({ row }: OpenLink) => (JSON.parse(row.target) as string[]).toSorted()

/** A page of what is in a folder or selection that its maker may still read. */
async function list(ctx: Ctx, link: OpenLink, { cursor, limit = 100 }: OpenQuery): Promise<ShareListing> {
  const bucketId = await bucketIdOf(ctx, link)
  const { target } = link.row
  const kind = link.row.kind === 'folder' ? 'folder' : 'selection'
  const prefix = kind === 'folder' ? target : ''
  const ranges = openRanges(link, 'read', prefix)
  if (ranges.length === 0) throw gone()
  const [after] = decodeCursor(cursor, 1) ?? []
  let keys: string[]
  let next: string | null = null
  if (kind === 'folder') {
    const found = await findKeys(ctx.db, bucketId, ranges, { prefix, search: null, after, limit })
    keys = found.keys
    next = found.next
  } else {
    const left = keysOf(link).filter((key) => isOpen(ranges, key) && (after === undefined || key > after))
    keys = left.slice(0, limit)
    next = left.length > limit ? (keys.at(-1) ?? null) : null
  }
  const rows = new Map((await findObjects(ctx.db, bucketId, keys)).map((row) => [row.key, row]))
  return {
    kind,
    name: nameOf(link),
    items: keys.flatMap((key) => {
      const row = rows.get(key)
      if (!row) return []
      const { size, content_type, last_modified } = row
      return [{ name: key.slice(prefix.length), size, content_type, last_modified }]
    }),
    next_cursor: next === null ? null : encodeCursor([next]),
  }
}

async function serveArchive(ctx: Ctx, link: OpenLink, { request, reply }: Raw): Promise<FastifyReply> {
  const bucketId = await bucketIdOf(ctx, link)
  const { kind, target } = link.row
  const prefix = kind === 'folder' ? target : ''
  const ranges = openRanges(link, 'read', prefix)
  if (ranges.length === 0) throw gone()
  await spend(ctx, link, { key: null }, { request, reply })
  if (request.method === 'HEAD') return reply.header('content-type', 'application/zip').send()
  const rows: AsyncIterable<ObjectRow> =
    kind === 'folder'
      ? rangedObjects(ctx, bucketId, ranges)
      : namedObjects(
          ctx,
          bucketId,
          keysOf(link).filter((key) => isOpen(ranges, key)),
        )
  const base = prefix.lastIndexOf('/', prefix.length - 2) + 1
  const noted = noting(visitor(ctx), link.row.bucket, rows, link.row.id)
  countDownload(ctx, bucketId, reply)
  return sendZip(ctx, noted, nameOf(link), base, reply, NO_STORE)
}

function nameOf({ row }: OpenLink): string {
  if (row.filename !== null) return row.filename
  return (row.kind === 'selection' ? undefined : folderName(row.target)) ?? row.bucket
}

/** Whether the link opens anything at all: not once it is used up, or its maker may not reach what it is of any more. */
function opensAnything(link: OpenLink): boolean {
  const { kind, target, max_downloads, downloads } = link.row
  if (max_downloads !== null && downloads >= max_downloads) return false
  if (kind === 'object') return isOpen(openRanges(link, 'read', target), target)
  return openRanges(link, kind === 'upload' ? 'write' : 'read', kind === 'selection' ? '' : target).length > 0
}

/** What the page of a link shows before it is opened; of one with a password no name without a ticket. */
async function describeLink(ctx: Ctx, link: OpenLink, request: FastifyRequest): Promise<ShareInfo> {
  if (!opensAnything(link)) throw gone()
  const { row } = link
  const limits = JSON.parse(row.limits) as UploadLimits
  const needs_password = row.password_hash !== null
  const hidden = needs_password && !isTicket(ctx, row, request)
  const object = hidden || row.kind !== 'object' ? undefined : await findObject(ctx.db, row.bucket, row.target)
  const same = object?.bucket_id === row.bucket_id
  return {
    kind: row.kind,
    needs_password,
    name: hidden ? null : nameOf(link),
    size: (same ? object?.size : null) ?? null,
    content_type: (same ? object?.content_type : null) ?? null,
    expires_at: row.expires_at,
    limited: row.max_downloads !== null,
    max_file_bytes: limits.max_file_bytes ?? null,
    max_total_bytes: limits.max_total_bytes ?? null,
    max_files: limits.max_files ?? null,
    content_types: limits.content_types ?? null,
  }
}
