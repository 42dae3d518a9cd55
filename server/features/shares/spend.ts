import type { ByteRange } from '../../base/byte-range.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'
import { accessRow, gone, noteAccess, type OpenLink, useRow } from './open.ts'
import * as store from './store.ts'

/** How long an address may go on with what it was given. */
const GOING_ON_MS = DAY_MS

/** What an answer gives of a link. */
export interface Given {
  /** Null: all of it, as an archive. */
  key: string | null
  /** The object whose own bytes are given; not of what is made of it, an image or an archive. */
  object?: { blob_id: string; size: number }
  /** The one range that a partial answer has. */
  part?: ByteRange | undefined
}
/** To be told how the answer ended. */
type OnDelivered = ((delivery: Delivery) => void) | undefined

/**
 * Counts a download before the first byte is answered; under a limit it takes one, and throws gone when none is left. Free
 * is a part that goes on with contents that this link gave this address within a day: for each download of them as many
 * bytes as they have.
 */
export async function spend(ctx: Ctx, { row }: OpenLink, given: Given): Promise<OnDelivered> {
  const continued = await goesOn(ctx, row, given)
  if (continued) {
    noteAccess(ctx, row, 'continued', given.key)
    return continued.onDelivered
  }
  const write = async ({ tx }: Upkeep) => {
    await store.insertAccess(tx, accessRow(ctx, row, 'served', given.key))
    await store.addUse(tx, useRow(ctx, row))
    const serving = servingOf(ctx, row, given)
    if (serving && given.object) await store.addServing(tx, { ...serving, left_bytes: given.object.size }, ctx.now())
  }
  if (row.max_downloads === null) {
    ctx.background(ctx.upkeep(write, { relaxed: true }))
    return undefined
  }
  const taken = await ctx.upkeep(async (step) => {
    if (!(await store.spendDownload(step.tx, row.id))) return false
    await write(step)
    return true
  })
  if (!taken) throw spent(ctx, row, given)
  return undefined
}

/** For an answer that gives nothing of the contents: free, but a link that is used up says so to whoever begins. */
export async function assertLeft(ctx: Ctx, { row }: OpenLink, given: Given): Promise<void> {
  if (row.max_downloads === null || row.downloads < row.max_downloads) return
  const serving = servingOf(ctx, row, given)
  if (!serving || !(await store.findServing(ctx.db, serving, ctx.now()))) throw spent(ctx, row, given)
}

function spent(ctx: Ctx, row: store.ShareRow, { key }: Given) {
  noteAccess(ctx, row, 'limit_spent', key)
  return gone()
}

function servingOf(ctx: Ctx, row: store.ShareRow, { object }: Given): store.Serving | undefined {
  const { ip } = ctx.actor.origin
  if (ip === null || !object) return undefined
  const ends_at = new Date(ctx.now().getTime() + GOING_ON_MS).toISOString()
  return { share_id: row.id, ip, blob_id: object.blob_id, ends_at }
}

/**
 * Whether a part goes on with what this address was given, then with what is to be told of its delivery. Under a limit its
 * bytes are taken from those that are left.
 */
async function goesOn(ctx: Ctx, row: store.ShareRow, given: Given): Promise<{ onDelivered: OnDelivered } | undefined> {
  const { part } = given
  const serving = servingOf(ctx, row, given)
  if (!serving || !part || part.start === 0) return undefined
  if (row.max_downloads === null)
    return (await store.findServing(ctx.db, serving, ctx.now())) ? { onDelivered: undefined } : undefined
  const bytes = part.end - part.start + 1
  const taken = await ctx.upkeep(({ tx }) => store.takeRest(tx, serving, bytes, ctx.now()), { relaxed: true })
  if (!taken) return undefined
  // A client whose connection breaks again asks for what it did not get.
  return {
    onDelivered({ bytes: sent }) {
      if (sent < bytes)
        ctx.background(ctx.upkeep(({ tx }) => store.giveBack(tx, serving, bytes - sent), { relaxed: true }))
    },
  }
}
