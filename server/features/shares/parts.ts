import { ServiceError } from '../../../contract/errors.ts'
import type { Sender, SharedUpload } from '../../../contract/shares.ts'
import type { Ctx } from '../../context.ts'
import { hashSecret, readClaims, signClaims } from '../../secrets/sign.ts'
import { beginUpload, partSizeFor, partsOf } from '../../storage/uploads/begin.ts'
import { completeOpened } from '../../storage/uploads/complete.ts'
import { assertOpen, type PartBody, storePart } from '../../storage/uploads/parts.ts'
import { isOver, receivedParts } from '../../storage/uploads/receive.ts'
import { dropUpload } from '../../storage/uploads/service.ts'
import { findAttempt, findUpload, type UploadRow } from '../../storage/uploads/store.ts'
import { tooMany } from '../../storage/usage/reservations/reserve.ts'
import { sumOfLink as sumArriving } from '../../storage/usage/reservations/store.ts'
import { noteBucket } from '../../storage/usage/traffic.ts'
import { acceptFile, countFile, freeNames, limitsOf, roomIn, tooMuch } from './accept.ts'
import * as accessStore from './accesses/store.ts'
import { noteOpened } from './notice.ts'
import { accessRow, gone, isOpen, type OpenLink, openLink, openRanges, useRow, visitorOf } from './open.ts'
import type { Presented } from './password.ts'
import { findUploadLink } from './receive.ts'
import { sentBy } from './sender.ts'
import * as store from './store.ts'
import { lockOf } from './ticket.ts'

const PURPOSE = 'share-upload'
/** Few enough to send again when a connection breaks, and enough for every storage. */
const PART_BYTES = 8 * 1024 ** 2
/** Unfinished uploads of a link. */
const MOST_OPEN = 100

/** What names an upload to its sender and to nobody else. It ends when the link's password is changed. */
interface Claims {
  share: string
  upload: string
  for: string
}

const uploadGone = () => new ServiceError('not_found', 'There is no such upload, or it has expired.')

/** A file that a visitor sends in parts. */
export interface NewSharedUpload {
  /** Relative to the link's folder. */
  name: string
  size: number
  content_type?: string | undefined
  sender?: Sender | undefined
  /** Chosen by the sender, at random: with the same one, the same upload is returned. */
  attempt?: string | undefined
}

/**
 * Begins an upload in parts through a link, if the link takes the file besides everything that is under way. It reserves its
 * size under the quota, as a user's does.
 */
export async function beginThroughShare(
  ctx: Ctx,
  token: string,
  { name, size, content_type: type, sender = { name: null, message: null }, attempt }: NewSharedUpload,
  presented: Presented,
): Promise<SharedUpload> {
  const link = await findUploadLink(ctx, token, presented)
  const { row } = link
  const { key, content_type } = acceptFile(link, name, type, 'body.name')
  const { max_file_bytes } = limitsOf(row)
  if (max_file_bytes !== undefined && size > max_file_bytes)
    throw new ServiceError('too_large', `The content must be at most ${max_file_bytes} bytes.`)
  const attempt_hash = attempt === undefined ? null : hashSecret(attempt)
  const known = attempt_hash && (await findAttempt(ctx.db, row.id, attempt_hash, ctx.now()))
  if (known && known.key === key && known.file_size === size) return describeArrived(ctx, row, known)
  const part_size = partSizeFor(undefined, size, PART_BYTES)
  const upload = await beginUpload(
    visitorOf(ctx, link),
    row.bucket,
    { key, content_type, file_size: size, part_size },
    {
      share_id: row.id,
      sender: JSON.stringify(sender),
      attempt_hash,
      async admit(tx) {
        const { row: latest, parts, bytes } = await roomIn(ctx, tx, row.id, () => sumArriving(tx, row.id, ''))
        await openLink({ ...ctx, db: tx }, latest)
        if (parts.open >= MOST_OPEN) throw tooMany(`This link has ${MOST_OPEN} unfinished uploads.`)
        if (size > bytes) throw tooMuch()
      },
    },
  )
  noteOpened(ctx, link)
  return describe(ctx, row, upload, [])
}

const describe = (ctx: Ctx, row: store.ShareRow, upload: UploadRow, parts: readonly number[]): SharedUpload => {
  const claims: Claims = { share: row.id, upload: upload.id, for: lockOf(row) }
  return {
    upload: signClaims(ctx.config, PURPOSE, claims),
    name: upload.key.slice(row.target.length),
    size: upload.file_size ?? 0,
    part_size: upload.part_size,
    num_parts: partsOf(upload) ?? 0,
    parts: [...parts],
    expires_at: upload.expires_at,
  }
}

/** The upload that a text names. Throws gone if its link takes nothing any more, else not_found. */
async function find(ctx: Ctx, named: string): Promise<OpenLink & { upload: UploadRow }> {
  const claims = readClaims<Claims>(ctx.config, PURPOSE, named)
  const row = claims ? await store.findShare(ctx.db, claims.share) : undefined
  if (!claims || !row) throw uploadGone()
  noteBucket(ctx, row.bucket)
  const upload = await findUpload(ctx.db, claims.upload)
  const link = await assertTakes(ctx, row, upload?.key ?? row.target)
  if (lockOf(row) !== claims.for || upload?.share_id !== row.id || isOver(upload, ctx.now())) throw uploadGone()
  return { ...link, upload }
}

/** Throws gone unless a link still takes files under a key; in a transaction pass its `tx` as `db`. */
async function assertTakes(ctx: Parameters<typeof openLink>[0], row: store.ShareRow, key: string): Promise<OpenLink> {
  const link = await openLink(ctx, row)
  if (!isOpen(openRanges(link, 'write', key), key)) throw gone()
  return link
}

/** Which parts have arrived. */
export async function getThroughShare(ctx: Ctx, named: string): Promise<SharedUpload> {
  const { row, upload } = await find(ctx, named)
  return describeArrived(ctx, row, upload)
}

async function describeArrived(ctx: Ctx, row: store.ShareRow, upload: UploadRow): Promise<SharedUpload> {
  const parts = await receivedParts(ctx, upload)
  return describe(
    ctx,
    row,
    upload,
    parts.map(({ part_number }) => part_number),
  )
}

/** Stores a part, replacing an earlier one of the same number. */
export async function receivePartThroughShare(
  ctx: Ctx,
  named: string,
  part_number: number,
  body: Pick<PartBody, 'source' | 'announced' | 'md5'>,
) {
  const { upload, ...link } = await find(ctx, named)
  const { row } = link
  const part = await storePart(visitorOf(ctx, link), assertOpen(ctx, upload), part_number, {
    ...body,
    async permit({ tx }) {
      const latest = await store.findShare(tx, row.id)
      if (!latest || lockOf(latest) !== lockOf(row)) throw uploadGone()
      await assertTakes({ ...ctx, db: tx }, latest, upload.key)
    },
  })
  return { part_number, size: part.size }
}

/**
 * Makes the parts a file, under a free name, if the link still takes it; returns the name that was sent. Repeating it returns the
 * same for a day.
 */
export async function completeThroughShare(ctx: Ctx, named: string): Promise<{ name: string; size: number }> {
  const { upload, ...link } = await find(ctx, named)
  const { row } = link
  const sender: Sender = JSON.parse(upload.sender ?? '')
  const parts = await receivedParts(ctx, upload)
  const object = await completeOpened(visitorOf(ctx, link), row.bucket, upload, {
    parts: parts.map(({ part_number, etag }) => ({ part_number, etag })),
    link: {
      sent: sentBy(row.id, sender),
      names: freeNames,
      hold: (tx) => store.lockShare(tx, row.id),
      async accept(tx, stored) {
        await countFile(ctx, tx, row, stored)
        await accessStore.insertAccess(tx, accessRow(ctx, row, 'uploaded', { key: stored.key, sender }))
        await accessStore.addUse(tx, useRow(ctx, row))
      },
    },
  })
  return { name: upload.key.slice(row.target.length), size: object.size }
}

/** Ends an upload and deletes its parts. */
export async function abortThroughShare(ctx: Ctx, named: string): Promise<undefined> {
  const { upload } = await find(ctx, named)
  if (upload.completed_at !== null || !(await dropUpload(ctx, upload.id))) throw uploadGone()
}
