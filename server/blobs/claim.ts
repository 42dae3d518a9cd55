import type { Ctx } from '../context.ts'
import type { StorageId } from '../drivers/blobs.ts'
import * as store from './store.ts'

/** The blobs of one request: none is collected while bytes of any of them are still arriving. */
export interface Claim {
  /** Where those go that are not inline. */
  storage: StorageId
  ids: string[]
  /** When their rows were last renewed, in ms; a row may be a third of the grace period older. */
  renewed: number
  /** Bytes held in memory until they are written with what points at them. */
  held: number
}
export const newClaim = (ctx: Ctx, storage: StorageId): Claim => ({
  storage,
  ids: [],
  renewed: ctx.now().getTime(),
  held: 0,
})

/** Puts off when the collector asks about a claim's blobs, if a third of the grace period has passed. */
export function renewIfDue(ctx: Ctx, claim: Claim): Promise<void> | undefined {
  const grace = ctx.config.blobGraceSeconds * 1000
  const now = ctx.now().getTime()
  if (claim.ids.length === 0 || now - claim.renewed <= grace / 3) return undefined
  claim.renewed = now
  return ctx.upkeep(({ tx }) => store.setCheckAfter(tx, claim.ids, new Date(now + grace)))
}
