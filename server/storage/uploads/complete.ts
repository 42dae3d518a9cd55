import { createHash } from 'node:crypto'
import type { Sent } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import type { Checksum } from '../../../contract/shapes.ts'
import { releaseBlobs } from '../../blobs/collector.ts'
import { partSums } from '../../blobs/sums.ts'
import { copiedEnvelope, discardBlobs, joinedEnvelope, keepJoined } from '../../blobs/write.ts'
import { type Ctx, currentActor, type Step } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { BlobMissing } from '../../drivers/driver.ts'
import { holdBucket } from '../buckets/service.ts'
import type { WantedLock } from '../locks/lock.ts'
import { allowLocked } from '../objects/lock-rights.ts'
import { findObject } from '../objects/store.ts'
import { type Copies, placedOn, withCopies } from '../objects/transfers/copies.ts'
import { assertConditions, underFreeName, type WriteConditions, writeFromBlob } from '../objects/write.ts'
import { countUpload } from '../usage/traffic.ts'
import { checksumOfParts } from './checksum.ts'
import { bareEtag, chooseParts, type NamedPart } from './choose.ts'
import { joinParts } from './join.ts'
import { forgetLostParts } from './parts.ts'
import { isOver, receivedParts } from './receive.ts'
import { openUpload, REMEMBERED_MS, uploadMissing } from './service.ts'
import * as store from './store.ts'

export interface CompleteUpload extends Completion {
  upload_id: string
  key?: string | undefined
}

/** What an upload is to become. */
export interface Completion {
  parts: readonly NamedPart[]
  /** What the checksum of the object is to be, as the response will have it. */
  checksum?: string | undefined
  if_none_match?: '*' | undefined
  /** The same and more, from protocols that have more. */
  conditions?: WriteConditions | undefined
  /** Fewest bytes of a part that is not the last, where a protocol asks for more than the storage does. */
  leastPart?: number | undefined
  /** What the parts are to have in total, in bytes. */
  size?: number | undefined
  /** The share link that it comes through. */
  link?: CompletionLink | undefined
}

/** How an upload through a share link becomes an object, under a name that is free. */
export interface CompletionLink {
  sent: Sent
  names(key: string): Iterable<string>
  /** Step: locks the link, before anything else is locked. */
  hold(tx: Tx): Promise<unknown>
  /** Step: throws unless the link takes the file, which it counts. */
  accept(tx: Tx, stored: { key: string; size: number }): Promise<void>
}

/**
 * Makes an upload's parts its key's object, in order of their numbers. The storage joins them without copying; then one
 * transaction makes the object visible, releases what was reserved and records `upload`. A crash in between leaves the
 * upload open, and completing it again continues from there.
 */
export async function completeUpload(ctx: Ctx, name: string, body: CompleteUpload): Promise<StoredObject> {
  const row = await openUpload(ctx, name, body.upload_id)
  if (body.key !== undefined && body.key !== row.key)
    throw new ServiceError('conflict', `The upload is for the key "${row.key}".`, {
      faults: [{ path: 'body.key', message: 'is not the key of the upload' }],
    })
  return completeOpened(ctx, name, row, body)
}

/** Like `completeUpload`, of an upload that the caller may complete. */
export async function completeOpened(
  ctx: Ctx,
  name: string,
  row: store.UploadRow,
  body: Completion,
): Promise<StoredObject> {
  if (row.result !== null) return completedAs(row.result, body.parts)
  if (row.blob_id === null) throw uploadMissing()
  const { leastPart } = await ctx.blobs.traitsOf(row.blob_id)
  const parts = chooseParts(row, await receivedParts(ctx, row), {
    named: body.parts,
    leastPart: Math.max(leastPart, body.leastPart ?? 0),
    size: body.size,
  })
  const checksum = await checksumOfParts(row, parts)
  if (body.checksum !== undefined && !isTotal(body.checksum, checksum))
    throw new ServiceError('conflict', `The checksum of the parts is ${checksum?.value ?? 'not known'}.`, {
      faults: [{ path: 'body.checksum', message: 'is not that of the parts' }],
    })
  // Checked again with the object, but also here, because once the parts are joined none can be sent again.
  const conditions = body.conditions ?? { ifNoneMatch: body.if_none_match }
  if (conditions.ifNoneMatch !== undefined || conditions.ifMatch !== undefined)
    assertConditions(await findObject(ctx.db, name, row.key), conditions)
  await writeDownDirect(ctx, row, parts)
  let blob_id: string
  try {
    blob_id = await joinParts(ctx, { ...row, blob_id: row.blob_id }, parts)
  } catch (error) {
    const done = await store.findUpload(ctx.db, row.id)
    if (done?.result) return completedAs(done.result, body.parts)
    if (!done || isOver(done, ctx.now())) throw uploadMissing()
    if (!(error instanceof BlobMissing)) throw error
    const lost = await forgetLostParts(ctx, row)
    throw new ServiceError(
      'conflict',
      'Some parts were replaced or lost. Fetch the upload to see which parts to send again.',
      {
        faults: lost
          .slice(0, 100)
          .map((number) => ({ path: 'body.parts', message: `part ${number} must be sent again` })),
        cause: error,
      },
    )
  }
  const copies = blob_id === row.blob_id ? [] : [{ id: blob_id, body: null }]
  const joined = { blob_id, parts, checksums: checksum && JSON.stringify([checksum]) }
  const outcome = await makeVisible(ctx, row, joined, { name, conditions, link: body.link }).catch(
    async (error: unknown) => {
      await discardBlobs(ctx, copies)
      throw error
    },
  )
  if ('object' in outcome) return outcome.object
  await discardBlobs(ctx, copies)
  return completedAs(outcome.known, parts)
}

/** Whether a checksum is the object's; of the parts' checksums, also without their number after it. */
const isTotal = (claimed: string, checksum: Checksum | null): boolean =>
  claimed === checksum?.value || (checksum?.type === 'composite' && claimed === checksum.value.replace(/-\d+$/, ''))

/**
 * Stores rows for parts that only the storage knows: it forgets them when joining, and a retry after a crash needs
 * them.
 */
async function writeDownDirect(
  ctx: Ctx,
  { id, bucket_id }: store.UploadRow,
  parts: readonly store.PartRow[],
): Promise<void> {
  const known = new Map((await store.listParts(ctx.db, id)).map((part) => [part.part_number, part.ref]))
  const unknown = parts.filter(({ part_number, ref }) => known.get(part_number) !== ref)
  if (unknown.length === 0) return
  await ctx.upkeep(async ({ tx }) => {
    for (const part of unknown) await store.upsertPart(tx, part)
  })
  // These bytes did not pass through the service, so they are counted now.
  countUpload(
    ctx,
    bucket_id,
    unknown.reduce((sum, { size }) => sum + size, 0),
  )
}

/** What an upload was completed as, for a repeated request; throws conflict if other parts were named. */
function completedAs(result: string, named: readonly { etag: string }[]): StoredObject {
  const object = JSON.parse(result) as StoredObject
  if (object.etag === etagOf(named)) return object
  throw new ServiceError(
    'conflict',
    `The upload was already completed with other parts. The object has the ETag ${object.etag}.`,
  )
}

/** MD5 of the parts' MD5s, and their count: the multipart ETag that S3 clients expect. */
function etagOf(parts: readonly { etag: string }[]): string {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(Buffer.from(bareEtag(etag), 'hex'))
  return `${hash.digest('hex')}-${parts.length}`
}

/** The blob that parts were joined to. */
interface Joined {
  blob_id: string
  parts: readonly store.PartRow[]
  /** JSON, as in its row. */
  checksums: string | null
}

/** Where and how an object becomes visible. */
interface VisibleTerms {
  /** The bucket's. */
  name: string
  conditions: WriteConditions
  link: CompletionLink | undefined
}

/** Makes joined parts the upload's object; `known` is the object's JSON if another request was faster. */
function makeVisible(
  ctx: Ctx,
  { id }: store.UploadRow,
  joined: Joined,
  terms: VisibleTerms,
): Promise<{ object: StoredObject } | { known: string }> {
  return withCopies(ctx, (copies) => ctx.act((step) => makeVisibleIn(step, id, { joined, copies, ...terms })))
}

/** Step of `makeVisible`. Throws Elsewhere where the bucket has moved to another storage since the upload was begun. */
async function makeVisibleIn(
  step: Step,
  id: string,
  { joined, name, conditions, copies, link }: VisibleTerms & { joined: Joined; copies: Copies },
) {
  const { tx } = step
  await link?.hold(tx)
  const bucket = await holdBucket(tx, name)
  const row = await store.lockUpload(tx, id)
  if (!row || isOver(row, step.now())) throw uploadMissing()
  if (row.result !== null) return step.nothing({ known: row.result })
  if (row.blob_id === null) throw new Error('An upload has neither a blob nor a result')
  const { parts, checksums } = joined
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  const etag = etagOf(parts)
  const asSent = joinedEnvelope(row.envelope, parts)
  const asJoined = asSent && joined.blob_id !== row.blob_id ? copiedEnvelope(asSent, row.blob_id) : asSent
  const sealed = asJoined && JSON.stringify(asJoined)
  const { encryption } = row
  const blob = { blob_id: joined.blob_id, size, etag, sha256: null, md5: null, encryption, envelope: sealed }
  const blob_id = placedOn(bucket, blob, copies)
  const envelope = asJoined && blob_id !== joined.blob_id ? copiedEnvelope(asJoined, joined.blob_id) : asJoined
  const lock = row.lock === null ? undefined : (JSON.parse(row.lock) as WantedLock)
  if (!link) {
    await allowLocked({ ...step, actor: await currentActor(step) }, name, row.key, lock)
  }
  await keepJoined(
    step,
    { id: blob_id, size, checksums, envelope },
    parts.map((part) => {
      const { part_number, size, etag, checksum, salt } = part
      return { part_number, size, md5: etag, checksum, salt, sums: partSums(part) }
    }),
  )
  const contents = {
    blob_id,
    size,
    etag,
    sha256: null,
    checksums,
    content_type: row.content_type,
    headers: row.headers,
    metadata: row.metadata,
    tags: row.tags,
    storage_class: row.storage_class,
    acl: row.acl,
    encryption,
  }
  const terms = { lock, released: row.reserved, parts: parts.length }
  const object = link
    ? await underFreeName(link.names(row.key), (key) =>
        writeFromBlob(
          step,
          bucket,
          { key, ...contents },
          { ...terms, conditions: { ifNoneMatch: '*' }, sent: link.sent },
        ),
      )
    : await writeFromBlob(step, bucket, { key: row.key, ...contents }, { ...terms, conditions })
  await link?.accept(tx, object)
  const now = step.now()
  await store.updateUpload(tx, id, {
    blob_id: null,
    reserved: 0,
    completed_at: now.toISOString(),
    expires_at: new Date(now.getTime() + REMEMBERED_MS).toISOString(),
    envelope: null,
    result: JSON.stringify(object),
  })
  if (row.blob_id !== blob_id) await releaseBlobs(step, [row.blob_id])
  return { object }
}
