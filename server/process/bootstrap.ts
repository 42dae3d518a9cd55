import { ServiceError } from '../../contract/errors.ts'
import { ensureAccessKey } from '../access/access-keys/service.ts'
import { systemActor } from '../access/actors.ts'
import { emailKey } from '../access/users/service.ts'
import { findFirstAdmin } from '../access/users/store.ts'
import type { BootstrapBucket } from '../config/variables/bootstrap.ts'
import type { Actor, Ctx } from '../context.ts'
import { createBucket } from '../storage/buckets/create.ts'
import { findBucket } from '../storage/buckets/store.ts'

/** Whoever configures the service may create any bucket. */
const operator: Actor = {
  ...systemActor,
  groups: [{ id: 'bootstrap', name: 'Bootstrap', global: ['admin'], grants: [] }],
}

/**
 * Creates the access key and the buckets of `BOOTSTRAP_…` that do not exist. What exists stays: a difference is logged.
 * Safe when several replicas start at once.
 */
export async function bootstrap(ctx: Ctx): Promise<void> {
  const { accessKey, buckets } = ctx.config.bootstrap
  for (const bucket of buckets) {
    const differences = await ifLost(() => ensureBucket(ctx, bucket))
    if (differences.length > 0)
      ctx.log.warn({ bucket: bucket.name, differences }, 'a bucket of BOOTSTRAP_BUCKETS exists and differs')
  }
  if (!accessKey) return
  const { accessKeyId } = accessKey
  const owner = await findFirstAdmin(ctx.db, emailKey(ctx.config.bootstrap.adminEmail))
  if (!owner) {
    ctx.log.warn({ access_key_id: accessKeyId }, 'the key of BOOTSTRAP_ACCESS_KEY_ID needs an administrator')
    return
  }
  const differences = await ifLost(() => ensureAccessKey(ctx, owner.id, { name: 'Bootstrap', ...accessKey }))
  if (differences.length > 0)
    ctx.log.warn({ access_key_id: accessKeyId, differences }, 'the key of BOOTSTRAP_ACCESS_KEY_ID exists and differs')
}

/** Runs it again if another replica creates the same thing meanwhile, to compare with that. */
const ifLost = (ensure: () => Promise<string[]>): Promise<string[]> =>
  ensure().catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'already_exists') return ensure()
    throw error
  })

/** Creates a bucket unless there is one with its name. Returns how an existing one differs. */
async function ensureBucket(ctx: Ctx, { name, quotaGb, versioned }: BootstrapBucket): Promise<string[]> {
  const existing = await findBucket(ctx.db, name)
  if (!existing) {
    await createBucket(ctx.as(operator), {
      name,
      ...(quotaGb === undefined ? {} : { quota_gb: quotaGb }),
      ...(versioned ? { versioning: 'enabled' } : {}),
    })
    return []
  }
  const { quota_gb, versioning } = existing
  return [
    ...(quotaGb === undefined || quota_gb === quotaGb
      ? []
      : [`its quota is ${quota_gb === null ? 'none' : `${quota_gb} GB`} instead of ${quotaGb} GB`]),
    ...(versioned && versioning !== 'enabled' ? ['it does not keep versions'] : []),
  ]
}
