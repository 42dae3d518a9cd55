import type { ByteRange } from '../../base/byte-range.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'
import * as accessStore from './accesses/store.ts'
import { noteOpened } from './notice.ts'
import { accessRow, gone, noteAccess, type OpenLink, useRow } from './open.ts'
import * as store from './store.ts'

/** How long an address may continue a download. */
const GOING_ON_MS = DAY_MS

/** What a response sends through a link. */
export interface Given {
  /** Null: everything, as an archive. */
  key: string | null
  /** The object whose own bytes are sent; absent for an image or archive. */
  object?: { blob_id: string; size: number }
  /** The single range of a partial response. */
  part?: ByteRange | undefined
  /** Shown on the link's page: recorded, but not counted, where downloads are not limited. */
  preview?: boolean
}
/** Called when the response has ended. */
type OnDelivered = ((delivery: Delivery) => void) | undefined

/**
 * Counts a download before the first byte is sent; under a limit it spends one, and throws gone if none is left. A
 * range that continues contents which this link sent to this address within a day is free: each download allows as many
 * further bytes as the contents have.
 */
export async function spend(ctx: Ctx, link: OpenLink, given: Given): Promise<OnDelivered> {
  const { row } = link
  const continued = await goesOn(ctx, row, given)
  if (continued) {
    noteAccess(ctx, row, 'continued', given)
    return continued.onDelivered
  }
  const isPreview = given.preview === true && row.max_downloads === null
  const write = async ({ tx }: Upkeep) => {
    await accessStore.insertAccess(tx, accessRow(ctx, row, isPreview ? 'previewed' : 'served', given))
    if (!isPreview) await accessStore.addUse(tx, useRow(ctx, row))
    const serving = servingOf(ctx, row, given)
    if (serving && given.object)
      await accessStore.addServing(tx, { ...serving, left_bytes: given.object.size }, ctx.now())
  }
  if (row.max_downloads === null) {
    ctx.background(ctx.upkeep(write, { relaxed: true }))
    noteOpened(ctx, link)
    return undefined
  }
  const taken = await ctx.upkeep(async (step) => {
    if (!(await store.spendDownload(step.tx, row.id))) return false
    await write(step)
    return true
  })
  if (!taken) throw spent(ctx, row, given)
  noteOpened(ctx, link)
  return undefined
}

/** For a response without contents: free, but throws gone if the link is used up, unless the address may continue. */
export async function assertLeft(ctx: Ctx, { row }: OpenLink, given: Given): Promise<void> {
  if (row.max_downloads === null || row.downloads < row.max_downloads) return
  const serving = servingOf(ctx, row, given)
  if (!serving || !(await accessStore.findServing(ctx.db, serving, ctx.now()))) throw spent(ctx, row, given)
}

function spent(ctx: Ctx, row: store.ShareRow, given: Given) {
  noteAccess(ctx, row, 'limit_spent', given)
  return gone()
}

function servingOf(ctx: Ctx, row: store.ShareRow, { object }: Given): accessStore.Serving | undefined {
  const { ip } = ctx.actor.origin
  if (ip === null || !object) return undefined
  const ends_at = new Date(ctx.now().getTime() + GOING_ON_MS).toISOString()
  return { share_id: row.id, ip, blob_id: object.blob_id, ends_at }
}

/**
 * Returns the delivery callback if a range continues an earlier download to this address, otherwise undefined. Under a
 * limit its bytes are taken from those left.
 */
async function goesOn(ctx: Ctx, row: store.ShareRow, given: Given): Promise<{ onDelivered: OnDelivered } | undefined> {
  const { part } = given
  const serving = servingOf(ctx, row, given)
  if (!serving || !part || part.start === 0) return undefined
  if (row.max_downloads === null)
    return (await accessStore.findServing(ctx.db, serving, ctx.now())) ? { onDelivered: undefined } : undefined
  const bytes = part.end - part.start + 1
  const taken = await ctx.upkeep(({ tx }) => accessStore.takeRest(tx, serving, bytes, ctx.now()), { relaxed: true })
  if (!taken) return undefined
  // A client whose connection breaks again may request what it did not receive.
  return {
    onDelivered({ bytes: sent }) {
      if (sent < bytes)
        ctx.background(ctx.upkeep(({ tx }) => accessStore.giveBack(tx, serving, bytes - sent), { relaxed: true }))
    },
  }
}
