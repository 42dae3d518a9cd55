import { ServiceError } from '../../../../contract/errors.ts'
import { isAdmin } from '../../../../contract/permissions.ts'
import { allow, type Ctx, currentActor } from '../../../context.ts'
import { encryptionText, kindOf, type WantedEncryption } from '../../../encryption/sealing.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { defaultEncryption, wantedBy } from '../../buckets/encryption.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import type { ItemError } from '../../objects/item-error.ts'
import { copyAll, copyError, type MadeCopies } from '../../objects/transfers/copies.ts'
import { countContents } from '../contents.ts'
import { keepAlive } from '../keep-alive.ts'
import { lease } from '../lease.ts'
import { noteWalked, progressOf } from '../progress.ts'
import type { CreateJob } from '../request.ts'
import * as store from '../store.ts'
import { enough, pointAtCopies, walk } from '../walk.ts'

/** Throws forbidden unless the caller may have a bucket encrypted, or, which only administrators may, decrypted. */
export function assertMayRecode({ groups }: Ctx['actor'], { kind }: Pick<CreateJob, 'kind'>): void {
  if (kind === 'decrypt' && !isAdmin(groups))
    throw new ServiceError('forbidden', 'Only administrators may decrypt a bucket.')
}

/** Counts what is there; all of it is looked at step by step. */
export async function beginRecoding(ctx: Ctx, claim: Claim, request: CreateJob): Promise<void> {
  await ctx.upkeep(async (step) => {
    const { id } = await lease.hold(step.tx, claim)
    const actor = await currentActor(step)
    assertMayRecode(actor, request)
    allow(actor, 'manage', request.source_bucket)
    const bucket = await findBucket(step.tx, request.source_bucket)
    if (!bucket) throw bucketMissing(request.source_bucket)
    const total = Math.max(1, await countContents(step.tx, bucket.id))
    await store.updateJob(step.tx, id, { total, listed_at: step.now().toISOString(), ...renewed(step) })
  })
}

const customersOwn = (key: string): ItemError => ({
  key,
  code: 'encryption_key_required',
  detail: 'It is encrypted with a key of its client, which only the client has.',
})

/**
 * Encrypts the next objects, versions and items of the trash of a bucket that are not encrypted as wanted, or decrypts them.
 * Each is copied and compared before anything points at the copy. What cannot be read stays as it is, as an error.
 */
export async function recodeStep(
  ctx: Ctx,
  claim: Claim,
  { job, request, size }: { job: store.JobRow; request: CreateJob; size: number },
): Promise<void> {
  assertMayRecode(ctx.actor, request)
  allow(ctx.actor, 'manage', request.source_bucket)
  const bucket = await findBucket(ctx.db, request.source_bucket)
  if (!bucket) throw bucketMissing(request.source_bucket)
  const wanted: WantedEncryption =
    request.kind === 'decrypt'
      ? null
      : wantedBy(request.encryption ?? defaultEncryption(bucket) ?? { algorithm: 'AES256' })
  const text = encryptionText(wanted)
  const at = progressOf(job)
  const { id: bucketId, storage_id: storage } = bucket
  const found = await walk(ctx.db, at, { bucketId, storage, limit: size })
  const isOwn = ({ encryption }: { encryption: string | null }) => kindOf(encryption) === 'SSE-C'
  const marked = found.rows.map((row) => ({ ...row, elsewhere: row.kept && row.encryption !== text && !isOwn(row) }))
  const { rows, whole } = enough(marked)
  const blobs = [...new Map(rows.filter((row) => row.elsewhere).map((row) => [row.blob_id, row])).values()]
  const copies: MadeCopies = { ids: new Map(), recoded: new Map(), faults: new Map() }
  await copyAll(ctx, { blobs, storage, recoding: { wanted } }, { copies, tick: keepAlive(ctx, claim) })
  const errors = rows.flatMap((row): ItemError[] => {
    if (!row.kept) return []
    if (isOwn(row)) return [customersOwn(row.key)]
    const fault = copies.faults.get(row.blob_id)
    return fault ? [copyError(row.key, fault)] : []
  })
  const { recoded } = copies
  await noteWalked(ctx, claim, { at, found, rows, whole, changed: recoded.size, errors }, async (step) => {
    if (recoded.size > 0) await pointAtCopies(step, bucketId, recoded)
  })
}
