import { ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { source } from '../../http/source.ts'
import { assertRoom, holdBucket, roomOf } from '../buckets/service.ts'
import type { FoundBucket } from '../buckets/store.ts'
import * as store from './store.ts'
import { underWayOf } from './under-way.ts'

const MIB = 1024 * 1024
/** As many bytes as a request may bring without a row that reserves them: small uploads would pay a transaction more. */
const UNRESERVED = MIB
/** How much is reserved ahead where the length is not known: a quarter of what is there, within these. */
const LEAST_AHEAD = MIB
const MOST_AHEAD = 16 * MIB
/** How long a reservation lasts that nobody renews: while bytes come it is renewed. Milliseconds. */
const LEASE_MS = 10 * MINUTE_MS

/** The link through which a file comes. */
export interface LinkRoom {
  id: string
  /** Step: locks the link and gives how many bytes it takes yet beside `others`; throws where it takes no file. */
  room(tx: Tx, others: () => Promise<{ uploads: number; bytes: number }>): Promise<number>
}

/** The bytes of one request that are on their way into a bucket. */
export interface Arrival {
  /** Takes the place of a file of the link; before the first byte, after what is announced was covered. */
  begin(): Promise<void>
  /**
   * Told by how much the bucket will have grown with what is announced, or has just come and is not kept yet. Gives a
   * promise where it has to be waited for; throws, or rejects, where there is no room. Of an unknown length, more is
   * reserved than has come.
   */
  cover(growth: number, known: boolean): Promise<void> | undefined
  /** Step: what was reserved is free again, for the transaction that counts it for good. */
  settle(tx: Tx): Promise<void>
  /** That transaction was committed. */
  settled(): void
  /** Nothing comes of this request: gives back what was reserved. May be called twice. */
  end(): Promise<void>
}

/** Counts an upload of whoever sends it until the function it gives is called; throws `rate_limited` above the limit. */
export function countSender({ actor, config }: Ctx): () => void {
  const { uploads } = underWayOf(config)
  const sender = actor.user_id ?? source(actor.origin.ip)
  const most = config.uploadsPerSender
  if (most > 0 && uploads.of(sender) >= most) throw tooMany(`You have ${most} uploads under way already.`)
  uploads.add(sender, 1)
  let counted = true
  return () => {
    if (counted) uploads.add(sender, -1)
    counted = false
  }
}

export const tooMany = (detail: string) =>
  new ServiceError('rate_limited', `${detail} Wait until one is done.`, { headers: { 'retry-after': '5' } })

/**
 * Begins to receive a request's bytes into a bucket that has `free` bytes of room, null without a quota. What they will
 * take is reserved while they are on their way: in rows, so that all processes agree; of what is small, in this one's
 * memory alone, so that so many processes may together take in that much more than there is room for until they commit.
 */
export function beginArrival(ctx: Ctx, bucket: FoundBucket, free: number | null, link?: LinkRoom): Arrival {
  const underWay = underWayOf(ctx.config)
  const leave = countSender(ctx)
  const id = newId()
  /** In memory, in rows; one of them is 0. */
  let inMemory = 0
  let reserved = 0
  let hasRow = false
  let renewAt = 0

  function remember(bytes: number): void {
    underWay.bytes.add(bucket.id, bytes - inMemory)
    inMemory = bytes
  }

  /** Has `growth` bytes reserved in the row, and `ahead` more where there is room for them. */
  async function reserve(growth: number, ahead: number): Promise<void> {
    const now = ctx.now().getTime()
    const expires_at = new Date(now + LEASE_MS).toISOString()
    reserved = await ctx.upkeep(
      async ({ tx }) => {
        const mine = (await store.lockIncoming(tx, id))?.bytes ?? 0
        const ofLink = link ? await link.room(tx, () => store.sumOfLink(tx, link.id, id)) : Number.POSITIVE_INFINITY
        const needed = Math.max(0, growth - mine)
        if (growth > ofLink) throw new ServiceError('too_large', 'This link does not take as many bytes any more.')
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
        .catch((error: unknown) => ctx.log.warn({ err: error }, 'the reservation of an upload stays until it expires'))
    },
  }
}
