import { createHash } from 'node:crypto'
import { type Fault, ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { DAY_MS } from '../../base/time.ts'
import { BlobMissing } from '../../blobs/drivers/driver.ts'
import { keepJoined } from '../../blobs/write.ts'
import { allow, type Ctx, currentActor } from '../../context.ts'
import { holdBucket } from '../buckets/service.ts'
import { findObject } from '../objects/store.ts'
import { writeFromBlob } from '../objects/write.ts'
import { countUpload } from '../traffic/traffic.ts'
import { forgetLostParts } from './parts.ts'
import { isOver, receivedParts } from './received.ts'
import { openUpload, uploadMissing } from './service.ts'
import * as store from './store.ts'

/** How long a completed upload is remembered for clients that did not receive the response. */
const REMEMBERED_MS = DAY_MS

export interface CompleteUpload {
  upload_id: string
  key?: string | undefined
  parts: readonly { part_number: number; etag: string }[]
  if_none_match?: '*' | undefined
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
  if (row.result !== null) return completedAs(row.result, body.parts)
  if (row.blob_id === null) throw uploadMissing()
  const parts = chooseParts(row, await receivedParts(ctx, row), body.parts)
  // Checked again with the object, but also here, because once the parts are joined none can be sent again.
  if (body.if_none_match && (await findObject(ctx.db, name, row.key))) throw taken(row.key)
  const stored = parts.map(({ part_number, size, ref }) => ({ number: part_number, size, ref }))
  await writeDownDirect(ctx, row, parts)
  try {
    await ctx.blobs.completeParts(row.blob_id, row.handle, stored)
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
  return makeVisible(ctx, row, parts, { name, ifNoneMatch: body.if_none_match })
}

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

const taken = (key: string) => new ServiceError('precondition_failed', `The key "${key}" is taken.`)

/**
 * The parts named; throws conflict listing every one that is missing, different, or of the wrong size for its place.
 */
function chooseParts(
  row: store.UploadRow,
  received: readonly store.PartRow[],
  named: CompleteUpload['parts'],
): store.PartRow[] {
  const there = new Map(received.map((part) => [part.part_number, part]))
  const faults: Fault[] = []
  const chosen: store.PartRow[] = []
  for (const [i, { part_number, etag }] of named.entries()) {
    const part = there.get(part_number)
    const fault = (message: string) =>
      void faults.push({ path: `body.parts.${i}`, message: `part ${part_number} ${message}` })
    const previous = named[i - 1]
    if (previous && previous.part_number >= part_number) fault('is out of order')
    else if (!part) fault('was not uploaded')
    else if (part.etag !== bareEtag(etag)) fault(`has the ETag ${part.etag}`)
    else if (i < named.length - 1 && part.size !== row.part_size)
      fault(`has ${part.size} bytes but is not the last part`)
    else chosen.push(part)
  }
  const wanted = new Set(named.map(({ part_number }) => part_number))
  for (const { part_number } of received)
    if (!wanted.has(part_number))
      faults.push({ path: 'body.parts', message: `part ${part_number} was uploaded but is not listed` })
  const count = row.file_size === null ? 0 : Math.max(1, Math.ceil(row.file_size / row.part_size))
  for (let number = 1; number <= count; number++)
    if (!wanted.has(number) && !there.has(number))
      faults.push({ path: 'body.parts', message: `part ${number} is missing` })
  const size = chosen.reduce((sum, part) => sum + part.size, 0)
  if (faults.length === 0 && row.file_size !== null && size !== row.file_size)
    faults.push({ path: 'body.parts', message: `have ${size} bytes in total, not ${row.file_size}` })
  if (faults.length === 0) return chosen
  throw new ServiceError(
    'conflict',
    faults
      .map(({ message }) => message)
      .slice(0, 20)
      .join('; '),
    {
      faults: faults.slice(0, 100),
    },
  )
}

const bareEtag = (etag: string): string => etag.replace(/^"(.*)"$/, '$1').toLowerCase()

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

async function makeVisible(
  ctx: Ctx,
  { id }: store.UploadRow,
  parts: readonly store.PartRow[],
  { name, ifNoneMatch }: { name: string; ifNoneMatch: '*' | undefined },
): Promise<StoredObject> {
  const outcome = await ctx.act(async (step) => {
    const { tx } = step
    const bucket = await holdBucket(tx, name)
    const row = await store.lockUpload(tx, id)
    if (!row || isOver(row, ctx.now())) throw uploadMissing()
    // Another request completed the upload first.
    if (row.result !== null) return step.nothing({ known: row.result })
    if (row.blob_id === null) throw new Error('An upload has neither a blob nor a result')
    allow(await currentActor(step), 'write', name, row.key)
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    await keepJoined(
      step,
      { id: row.blob_id, size },
      parts.map(({ part_number, size, etag }) => ({ part_number, size, md5: etag })),
    )
    const object = await writeFromBlob(
      step,
      bucket,
      {
        key: row.key,
        blob_id: row.blob_id,
        size,
        etag: etagOf(parts),
        sha256: null,
        checksums: null,
        content_type: row.content_type,
        headers: row.headers,
        metadata: row.metadata,
        tags: row.tags,
        storage_class: row.storage_class,
      },
      { ifNoneMatch, released: row.reserved, parts: parts.length },
    )
    const now = ctx.now()
    await store.updateUpload(tx, id, {
      blob_id: null,
      reserved: 0,
      completed_at: now.toISOString(),
      expires_at: new Date(now.getTime() + REMEMBERED_MS).toISOString(),
      result: JSON.stringify(object),
    })
    return { object }
  })
  return 'object' in outcome ? outcome.object : completedAs(outcome.known, parts)
}
