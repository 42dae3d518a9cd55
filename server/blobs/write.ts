import { hash } from 'node:crypto'
import type { ChecksumAlgorithm } from '../../contract/shapes.ts'
import { newId } from '../base/id.ts'
import type { Ctx, Upkeep } from '../context.ts'
import { WrongLength } from '../drivers/driver.ts'
import { type Envelope, encryptionOf, packParts, readEnvelope } from '../encryption/envelope.ts'
import { holdKmsKey } from '../encryption/kms/hold.ts'
import type { Sealing } from '../encryption/sealing.ts'
import { type Stretch, storedSize, wholeOf } from '../segments/layout.ts'
import { SegmentSums, sumsOf } from '../segments/sums.ts'
import { writeSegment, writeSegments } from '../segments/write.ts'
import { type Claim, renewIfDue } from './claim.ts'
import { removeNow } from './collector.ts'
import { createDigest } from './digest.ts'
import { takeBlobId } from './id-pool.ts'
import { takeRoom } from './room.ts'
import * as store from './store.ts'
import { startSumming } from './summing.ts'
import { segmentOf, sumColumns, summed } from './sums.ts'

/** Received bytes that no object points at yet. */
export interface WrittenBlob {
  id: string
  size: number
  /** Hex. */
  md5: string
  /** Hex. */
  sha256: string | null
  /** JSON, as in its row. */
  checksums: string | null
  /** The bytes as they are to be stored, if inline; null if they are durably stored. */
  body: Uint8Array | null
  /** How they are encrypted; null if they are not. */
  envelope: Envelope | null
  /** The checksum of each segment that is stored; null if inline, of which it is computed when it is kept. */
  sums: Uint8Array | null
}

/** A SHA-256 that bytes have to have. */
export interface SignedSha256 {
  /** Hex. */
  sha256: string
  /** What bytes with another one are refused with. */
  refusal(computed: string): Error
}

/** Bytes that one request may hold in memory: a form may have hundreds of small files. */
const MOST_HELD = 1024 * 1024

/**
 * Receives a stream as a new blob of a claim. Up to INLINE_MAX_BYTES it is held in memory for `keepBlob`; anything larger
 * goes to the storage. There its row comes first, so that the collector finds whatever a crash leaves; the claim's rows are
 * renewed while bytes arrive. `inspect` is called with the byte count before each chunk is kept, and may throw, or return a
 * promise that rejects, to refuse it. `announced` is the source's declared size, `algorithm` that of a checksum to compute
 * besides, `signed` the SHA-256 that it has to have, `sealing` encrypts it. Leaves nothing behind when it rejects, as with
 * storage_full before the disk is.
 */
export async function writeBlob(
  ctx: Ctx,
  claim: Claim,
  source: AsyncIterable<Uint8Array>,
  {
    inspect,
    announced,
    algorithm,
    signed,
    sealing,
  }: {
    inspect: (size: number) => Promise<void> | undefined
    announced?: number | undefined
    algorithm?: ChecksumAlgorithm | undefined
    signed?: SignedSha256 | undefined
    sealing?: Sealing | undefined
  },
): Promise<WrittenBlob> {
  await takeRoom(ctx.config, claim.storage, announced ?? 0, { ahead: true })
  let size = 0
  async function* measure() {
    for await (const chunk of source) {
      size += chunk.length
      const waits = inspect(size)
      if (waits) await waits
      const measuring = takeRoom(ctx.config, claim.storage, chunk.length)
      if (measuring) await measuring
      const renewal = renewIfDue(ctx, claim)
      if (renewal) await renewal
      yield chunk
    }
  }
  const measured = measure()
  const limit = Math.min(ctx.config.inlineMaxBytes, MOST_HELD - claim.held)
  const { head, ended } =
    limit > 0 && (announced ?? 0) <= limit ? await readHead(measured, limit) : { head: [], ended: false }
  if (ended) {
    if (announced !== undefined && size !== announced)
      throw new WrongLength(`The source gave ${size} bytes instead of ${announced}`)
    claim.held += size
    const [first, ...more] = head
    const body = first && more.length === 0 ? first : Buffer.concat(head)
    const sha256 = hash('sha256', body)
    assertSigned(signed, sha256)
    const checksum = algorithm && (await createDigest(algorithm))
    checksum?.update(body)
    const checksums = checksumsOf(algorithm, checksum?.digest())
    const id = newId()
    const sealed = sealing?.seal(id)
    const stored = sealed ? writeSegment(body, sealed.blob, wholeOf(size)) : body
    return {
      id,
      size,
      md5: hash('md5', body),
      sha256,
      checksums,
      body: stored,
      envelope: sealed?.envelope ?? null,
      sums: null,
    }
  }
  const id = await takeBlobId(ctx, claim.storage)
  claim.ids.push(id)
  // What a user approves of an agent is told by it: whoever makes contents can make others with the same MD5.
  const keepsSha256 = ctx.config.sha256 === 'always' || algorithm === 'sha256' || ctx.actor.agent !== undefined
  const algorithms = new Set<ChecksumAlgorithm>(['md5'])
  if (algorithm) algorithms.add(algorithm)
  if (keepsSha256 || signed) algorithms.add('sha256')
  const summing = await startSumming(ctx.config, [...algorithms], announced ?? Number.POSITIVE_INFINITY)
  const sealed = sealing?.seal(id)
  const segments = new SegmentSums(segmentOf(sealed !== undefined))
  try {
    const digested = resume(head, measured, (chunk) => {
      if (!sealed) segments.update(chunk)
      return summing.update(chunk)
    })
    if (sealed)
      await ctx.blobs.put(
        id,
        summed(writeSegments(digested, sealed.blob, wholeOf(0)), segments),
        announced === undefined ? undefined : storedSize(announced),
      )
    else await ctx.blobs.put(id, digested, announced)
    const digests = await summing.digests()
    const sums = new Map([...algorithms].map((one, i) => [one, digests[i]]))
    assertSigned(signed, sums.get('sha256')?.toString('hex'))
    return {
      id,
      size,
      md5: sums.get('md5')?.toString('hex') ?? '',
      sha256: keepsSha256 ? (sums.get('sha256')?.toString('hex') ?? null) : null,
      checksums: checksumsOf(algorithm, algorithm && sums.get(algorithm)),
      body: null,
      envelope: sealed?.envelope ?? null,
      sums: segments.end(),
    }
  } catch (error) {
    summing.drop()
    await discardBlobs(ctx, [{ id, body: null }])
    throw error
  }
}

/** Throws the refusal of bytes whose SHA-256 was signed, if theirs is another one. */
export function assertSigned(signed: SignedSha256 | undefined, computed: string | undefined): void {
  if (signed && signed.sha256 !== computed) throw signed.refusal(computed ?? '')
}

/** The checksum as in a blob's row; null without one. */
const checksumsOf = (algorithm: ChecksumAlgorithm | undefined, sum: Buffer | undefined): string | null =>
  algorithm && sum ? JSON.stringify([{ algorithm, type: 'full_object', value: sum.toString('base64') }]) : null

/** Reads until a stream has given more than `limit` bytes, or has ended. */
async function readHead(source: AsyncIterator<Uint8Array>, limit: number) {
  const head: Uint8Array[] = []
  for (let size = 0; size <= limit; ) {
    const { done, value } = await source.next()
    if (done) return { head, ended: true }
    head.push(value)
    size += value.length
  }
  return { head, ended: false }
}

/** A stream whose head was read, each of whose chunks goes to `note`, which may have it wait, before it is passed on. */
async function* resume(
  head: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
  note: (chunk: Uint8Array) => Promise<void> | undefined,
) {
  for (const chunk of head) {
    const waits = note(chunk)
    if (waits) await waits
    yield chunk
  }
  for await (const chunk of rest) {
    const waits = note(chunk)
    if (waits) await waits
    yield chunk
  }
}

/**
 * Step: notes what is known of a blob's bytes, and writes them into the database unless they are stored. What points at it
 * follows in the same step, or before the collector looks (`checkAfter`). Throws conflict if a key service's key that its
 * bytes need is not registered any more.
 */
export async function keepBlob(step: Upkeep, blob: WrittenBlob, checkAfter?: Date): Promise<void> {
  // At once: what points at the blob may be written before this is awaited.
  const kept = keepBytes(step, blob, checkAfter)
  const { envelope } = blob
  await (envelope?.kind === 'aws:kms' ? Promise.all([kept, holdKmsKey(step.tx, encryptionOf(envelope))]) : kept)
}

function keepBytes(
  { tx }: Upkeep,
  { id, body, envelope, sums, ...known }: WrittenBlob,
  checkAfter?: Date,
): Promise<void> {
  const facts = { ...known, ...envelopeColumns(envelope) }
  if (body)
    return store.insertInline(
      tx,
      { id, bytes: body, ...(checkAfter && { checkAfter }) },
      { ...facts, sums: sumsOf(body) },
    )
  const size = envelope ? storedSize(known.size) : known.size
  const placed = sumColumns([{ size, sums }], envelope !== null)
  return store.noteFacts(tx, id, { ...facts, sums: placed.sums }, placed.runs)
}

/** An envelope as a blob's row has it. */
export const envelopeColumns = (envelope: Envelope | null) => ({
  envelope: envelope && JSON.stringify(envelope),
  service_key: envelope?.version ?? null,
})

/** The same envelope for stored bytes that were copied as they are from a blob with this id. */
export const copiedEnvelope = (envelope: Envelope, from: string): Envelope => ({ ...envelope, id: envelope.id ?? from })

/** How the rows that point at a blob say that it is encrypted. */
export const encryptionIn = (envelope: Envelope | null): string | null => envelope && encryptionOf(envelope)

/** A part that was joined to others. */
export interface JoinedPart {
  part_number: number
  size: number
  md5: string
  checksum: string | null
  /** Of what is encrypted, in hex. */
  salt: string | null
  /** The checksums of its segments. */
  sums: Uint8Array | null
}

/** Step: like `keepBlob`, for bytes that the storage has joined; see `joinedEnvelope`. */
export async function keepJoined(
  { tx }: Upkeep,
  { id, size, checksums, envelope }: Pick<WrittenBlob, 'id' | 'size' | 'checksums' | 'envelope'>,
  parts: readonly JoinedPart[],
): Promise<void> {
  const isEncrypted = envelope !== null
  const stored = parts.map((part) => ({ size: isEncrypted ? storedSize(part.size) : part.size, sums: part.sums }))
  const { sums, runs } = sumColumns(stored, isEncrypted)
  const facts = { size, md5: null, sha256: null, checksums, ...envelopeColumns(envelope), sums }
  await store.noteFacts(tx, id, facts, runs)
  await store.insertParts(
    tx,
    parts.map(({ part_number, size, md5, checksum }) => ({ blob_id: id, part_number, size, md5, checksum })),
  )
}

/** The envelope, as JSON, of a blob that was joined of these parts, from that of their upload; null without one. */
export const joinedEnvelope = (
  envelope: string | null,
  parts: readonly Pick<JoinedPart, 'part_number' | 'size' | 'salt'>[],
): Envelope | null => (envelope === null ? null : { ...readEnvelope(envelope), parts: packParts(parts.map(asStretch)) })

/** A part as a stretch of segments. */
const asStretch = ({ part_number, size, salt }: Pick<JoinedPart, 'part_number' | 'size' | 'salt'>): Stretch => ({
  part: part_number,
  size,
  salt: Buffer.from(salt ?? '', 'hex'),
})

/** Deletes blobs that nothing points at. A failure is only logged: the collector will find them. */
export async function discardBlobs(ctx: Ctx, blobs: readonly Pick<WrittenBlob, 'id' | 'body'>[]): Promise<void> {
  const ids = blobs.flatMap(({ id, body }) => (body ? [] : id))
  if (ids.length === 0) return
  try {
    await removeNow(ctx, ids)
  } catch (error) {
    ctx.log.warn({ err: error, blobs: ids }, 'could not remove leftovers of an upload; the collector will')
  }
}
