import { ServiceError } from '../../../../contract/errors.ts'
import { newId } from '../../../base/id.ts'
import { MINUTE_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import type { Tx } from '../../../db/schema.ts'
import { source } from '../../../http/source.ts'
import { assertRoom, holdBucket, roomOf } from '../../buckets/service.ts'
import type { FoundBucket } from '../../buckets/store.ts'
import { underWayOf } from './in-transit.ts'
import * as store from './store.ts'

const MIB = 1024 * 1024
/** Bytes a request may bring without a reservation row, which would cost small uploads another transaction. */
const UNRESERVED = MIB
/** How much to reserve ahead if the length is unknown: a quarter of what has arrived, within these limits. */
const LEAST_AHEAD = MIB
const MOST_AHEAD = 16 * MIB
/** How long a reservation lasts, in milliseconds. It is renewed while bytes arrive. */
const LEASE_MS = 10 * MINUTE_MS

/** The share link that a file is uploaded through. */
export interface LinkRoom {
  id: string
  /** Step: locks the link and returns how many more bytes it accepts beside `others`; throws if it accepts no file. */
  room(tx: Tx, others: () => Promise<{ uploads: number; bytes: number }>): Promise<number>
}

/** The bytes of one request on their way into a bucket. */
export interface Arrival {
  /** Takes one of the link's file slots; called before the first byte, after the announced size was covered. */
  begin(): Promise<void>
  /**
   * Called with how much the bucket will have grown by what is announced, or has arrived and is not yet stored. Returns
   * a promise if the caller must wait; throws or rejects if there is no room. With an unknown length, more is reserved
   * than has arrived.
   */
  cover(growth: number, known: boolean): Promise<void> | undefined
  /** Step: releases what was reserved, in the transaction that counts it for good. */
  settle(tx: Tx): Promise<void>
  /** Call once that transaction has committed. */
  settled(): void
  /** Releases what was reserved for a request that failed. May be called twice. */
  end(): Promise<void>
}

/** Counts a sender's upload until the returned function is called; throws `rate_limited` above the limit. */
export function countSender({ actor, config }: Ctx): () => void {
  const { uploads } = underWayOf(config)
  const sender = actor.user_id ?? source(actor.origin.ip)
  const most = config.uploadsPerSender
  if (most > 0 && uploads.of(sender) >= most) throw tooMany(`You already have ${most} uploads in progress.`)
  uploads.add(sender, 1)
  let counted = true
  return () => {
    if (counted) uploads.add(sender, -1)
    counted = false
  }
}

export const tooMany = (detail: string) =>
  new ServiceError('rate_limited', `${detail} Wait until one finishes.`, { headers: { 'retry-after': '5' } })

/**
 * Starts receiving a request's bytes into a bucket with `free` bytes of room, null without a quota. What they need is
 * reserved while they arrive: in rows, which all processes see, or for small amounts only in this process's memory, so
 * that until they commit, the processes together may accept that much more per process than there is room for.
 */
export function beginArrival(ctx: Ctx, bucket: FoundBucket, free: number | null, link?: LinkRoom): Arrival {
  const underWay = underWayOf(ctx.config)
  const leave = countSender(ctx)
  const id = newId()
  /** In memory and in rows; one of the two is 0. */
  let inMemory = 0
  let reserved = 0
  let hasRow = false
  let renewAt = 0

  function remember(bytes: number): void {
    underWay.bytes.add(bucket.id, bytes - inMemory)
    inMemory = bytes
  }

  /** Reserves `growth` bytes in the row, and `ahead` more if there is room. */
  async function reserve(growth: number, ahead: number): Promise<void> {
    const now = ctx.now().getTime()
    const expires_at = new Date(now + LEASE_MS).toISOString()
    reserved = await ctx.upkeep(
      async ({ tx }) => {
        const mine = (await store.lockIncoming(tx, id))?.bytes ?? 0
        const ofLink = link ? await link.room(tx, () => store.sumOfLink(tx, link.id, id)) : Number.POSITIVE_INFINITY
        const needed = Math.max(0, growth - mine)
        if (growth > ofLink) throw new ServiceError('too_large', 'This link does not accept that many more bytes.')
        const held = free === null ? null : await holdBucket(tx, bucket.name)
        const ofBucket = held ? roomOf(held) : null
        if (needed > 0) assertRoom(bucket.name, ofBucket, needed)
        const room = Math.min(ofLink - mine, ofBucket ?? Number.POSITIVE_INFINITY)
        const bytes = mine + Math.max(needed, Math.min(ahead, room))
        await store.putIncoming(tx, { id, bucket_id: bucket.id, share_id: link?.id ?? null, bytes, expires_at })
        return bytes
      },
      { relaxed: true },
    )
    hasRow = true
    renewAt = now + LEASE_MS / 3
    remember(0)
  }

  return {
    async begin() {
      if (link && !hasRow) await reserve(0, 0)
    },
    cover(growth, known) {
      if (!link && free === null) return undefined
      if (hasRow && growth <= reserved) return ctx.now().getTime() < renewAt ? undefined : reserve(reserved, 0)
      if (growth <= inMemory) return undefined
      if (link || hasRow || growth > UNRESERVED)
        return reserve(growth, known ? 0 : Math.min(MOST_AHEAD, Math.max(LEAST_AHEAD, Math.floor(growth / 4))))
      const others = underWay.bytes.of(bucket.id) - inMemory
      assertRoom(bucket.name, free === null ? null : free - others, growth)
      remember(growth)
      return undefined
    },
    async settle(tx) {
      remember(0)
      if (hasRow) await store.deleteIncoming(tx, id)
    },
    settled() {
      leave()
      hasRow = false
    },
    async end() {
      leave()
      remember(0)
      if (!hasRow) return
      hasRow = false
      await ctx
        .upkeep(({ tx }) => store.deleteIncoming(tx, id), { relaxed: true })
        .catch((error: unknown) =>
          ctx.log.warn({ err: error }, "could not release an upload's reservation; it stays until it expires"),
        )
    },
  }
}
