import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ServiceError } from '../../contract/errors.ts'
import type { Ctx } from '../context.ts'
import * as store from './store.ts'

const MINUTE = 60_000
/** Failures within a window, per account and network, per network, per account (P4). */
const PAIR = { free: 5, window: 15 * MINUTE, longestBlock: 15 * MINUTE }
const NETWORK = { limit: 50, window: 15 * MINUTE }
const ACCOUNT = { limit: 100, window: 60 * MINUTE }

/** The /24 or /64 an address is in: what an attacker cannot change at will. */
function network(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  const bytes = address.toByteArray().slice(0, isIPv6(address.toString()) ? 8 : 3)
  return Buffer.from(bytes).toString('hex')
}
const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url')

function keysOf(account: string, ip: string | null) {
  const net = network(ip)
  return { account: `account:${hashed(account)}`, network: `network:${net}`, pair: `pair:${hashed(account)}:${net}` }
}

const refusal = (until: number, now: number): ServiceError =>
  new ServiceError('rate_limited', 'Too many failed logins. Wait, then try again.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil((until - now) / 1000))) },
  })

/**
 * Counts this attempt as failed before the password is looked at, so that parallel guesses cannot outrun the count.
 * Throws `rate_limited` with Retry-After when the account, the network or the pair has had too many. A refused attempt
 * does not count. Unknown accounts are treated alike.
 */
export async function beginAttempt(ctx: Ctx, account: string): Promise<void> {
  const keys = keysOf(account, ctx.actor.origin.ip)
  await ctx.upkeep(async (tx) => {
    const now = ctx.now().getTime()
    for (const [key, { limit, window }] of [
      [keys.account, ACCOUNT],
      [keys.network, NETWORK],
    ] as const) {
      const row = await store.countFailure(tx, key, new Date(now), window)
      if (row.failures > limit) throw refusal(Date.parse(row.window_started_at) + window, now)
    }
    const pair = await store.countFailure(tx, keys.pair, new Date(now), PAIR.window)
    if (pair.blocked_until !== null && Date.parse(pair.blocked_until) > now)
      throw refusal(Date.parse(pair.blocked_until), now)
    if (pair.failures >= PAIR.free) {
      const block = Math.min(2 ** (pair.failures - PAIR.free + 1) * 1000, PAIR.longestBlock)
      await store.blockUntil(tx, keys.pair, new Date(now + block))
    }
  })
}

/** The attempt was not made: its password was never looked at. */
export async function retractAttempt(ctx: Ctx, account: string): Promise<void> {
  const keys = keysOf(account, ctx.actor.origin.ip)
  await ctx.upkeep(async (tx) => {
    for (const key of [keys.account, keys.network, keys.pair]) await store.uncountFailure(tx, key)
  })
}

/** The attempt was no failure after all: the pair is cleared, the other counts take it back. */
export async function forgiveAttempt(ctx: Ctx, account: string): Promise<void> {
  const keys = keysOf(account, ctx.actor.origin.ip)
  await ctx.upkeep(async (tx) => {
    await store.uncountFailure(tx, keys.account)
    await store.uncountFailure(tx, keys.network)
    await store.clearFailures(tx, keys.pair)
  })
}
