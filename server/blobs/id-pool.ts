import { perSystem } from '../base/per-system.ts'
import type { Ctx } from '../context.ts'
import type { StorageId } from '../drivers/blobs.ts'
import { newBlobId } from '../drivers/routing/ids.ts'
import * as store from './store.ts'

const BATCH = 64

interface Pool {
  ids: string[]
  /** When the rows were created: if the clock was set back since, they may have been collected meanwhile. */
  from: number
  /** Until when the ids may be used: bytes may still be arriving when their rows come due. */
  until: number
  filling: Promise<void> | undefined
}
const poolsOf = perSystem(() => new Map<StorageId, Pool>())

/**
 * Returns an id on a storage whose blob row already exists, so that the collector finds whatever a crash leaves under it. Rows are
 * created 64 at a time: one by one they cost every small upload a transaction of its own. Unused ids are collected like
 * any other.
 */
export async function takeBlobId(ctx: Ctx, storage: StorageId): Promise<string> {
  const pools = poolsOf(ctx.config)
  const pool = pools.get(storage) ?? { ids: [], from: 0, until: 0, filling: undefined }
  pools.set(storage, pool)
  for (;;) {
    const now = ctx.now().getTime()
    if (now < pool.from || pool.until <= now) pool.ids = []
    const id = pool.ids.pop()
    if (id !== undefined) return id
    pool.filling ??= fill(ctx, storage, pool).finally(() => {
      pool.filling = undefined
    })
    await pool.filling
  }
}

async function fill(ctx: Ctx, storage: StorageId, pool: Pool): Promise<void> {
  const ids = Array.from({ length: BATCH }, () => newBlobId(storage))
  const now = ctx.now().getTime()
  const grace = ctx.config.blobGraceSeconds * 1000
  await ctx.upkeep(({ tx }) => store.insertBlobs(tx, ids, { storage_id: storage, checkAfter: new Date(now + grace) }), {
    relaxed: true,
  })
  pool.ids = ids
  pool.from = now
  pool.until = now + grace / 3
}
