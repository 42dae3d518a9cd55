import { createHash, type KeyObject } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { isExternal } from '../drivers/routing/ids.ts'
import type { Envelope } from '../encryption/envelope.ts'
import type { Sealing } from '../encryption/sealing.ts'
import { type Claim, renewIfDue } from './claim.ts'
import { BlobDamaged, chunksOf } from './copy.ts'
import { type Described, findHashes, newCutter } from './hashes.ts'
import { openBlob } from './open.ts'
import * as store from './store.ts'
import { discardBlobs, encryptionIn, keepBlob, writeBlob } from './write.ts'

/** A blob with the same bytes as another, encrypted otherwise. */
export interface Recoded {
  id: string
  /** As the rows that point at it have it. */
  encryption: string | null
  /** The same of the other. */
  before: string | null
  /** Of the bytes, in hex. */
  md5: string
}

interface Recoding {
  /** What encrypts the copy; undefined: it is not encrypted. */
  sealing: Sealing | undefined
  /** The key of the client for the original, if it is encrypted with one. */
  customerKey?: KeyObject | undefined
  /** Awaited after each chunk; may throw. */
  tick?: (() => Promise<void> | undefined) | undefined
}

/**
 * Copies the bytes of a blob to the storage of a claim, encrypted otherwise, or not at all; reads the copy again, and
 * compares both with what is known of the blob. Leaves nothing behind when it rejects, as `copyBlob` does, or as opening the
 * blob does.
 */
export async function recodeBlob(
  ctx: Ctx,
  claim: Claim,
  blob: Described & { encryption: string | null },
  { sealing, customerKey, tick = () => undefined }: Recoding,
): Promise<Recoded> {
  const { blob_id, size } = blob
  const facts = isExternal(blob_id) ? NOTHING : ((await store.findFacts(ctx.db, blob_id)) ?? NOTHING)
  const known = await findHashes(ctx.db, { ...blob, md5: facts.md5 })
  const original = newCutter(known)
  async function* measured() {
    const body = size === 0 ? new Uint8Array() : await openBlob(ctx, blob, undefined, { customerKey })
    for await (const chunk of chunksOf(body)) {
      original.update(chunk)
      await tick()
      yield chunk
    }
  }
  const written = await writeBlob(ctx, claim, measured(), { inspect: () => undefined, announced: size, sealing })
  const { id, md5, body, envelope } = written
  const { checksums } = facts
  try {
    if (!original.isAlike()) throw new BlobDamaged(`The bytes of blob ${blob_id} do not match their ${known.name}`)
    const checkAfter = new Date(ctx.now().getTime() + ctx.config.blobGraceSeconds * 1000)
    await ctx.upkeep((step) => keepBlob(step, { ...written, checksums }, checkAfter))
    await compare(ctx, claim, { id, size, md5, envelope, body, customerKeyOf: sealing?.customerKey }, tick)
    return { id, encryption: encryptionIn(envelope), before: blob.encryption, md5 }
  } catch (error) {
    await discardBlobs(ctx, [written])
    throw error
  }
}

const NOTHING = { md5: null, checksums: null }

interface Copy {
  id: string
  size: number
  md5: string
  envelope: Envelope | null
  body: Uint8Array | null
  /** What opens it, if a client's key encrypts it. */
  customerKeyOf: KeyObject | undefined
}

/** Throws unless the storage gives back of a copy what it was given. */
async function compare(
  ctx: Ctx,
  claim: Claim,
  { id, size, md5, envelope, body, customerKeyOf: customerKey }: Copy,
  tick: () => Promise<void> | undefined,
): Promise<void> {
  if (size === 0) return
  const found = createHash('md5')
  const sealed = envelope === null ? undefined : { envelope: JSON.stringify(envelope), bytes: body }
  const ref = { blob_id: id, size, encryption: encryptionIn(envelope) }
  for await (const chunk of chunksOf(await openBlob(ctx, ref, undefined, { customerKey, sealed }))) {
    found.update(chunk)
    await renewIfDue(ctx, claim)
    await tick()
  }
  if (found.digest('hex') !== md5) throw new Error(`The storage returned other bytes of blob ${id} than it was given`)
}
