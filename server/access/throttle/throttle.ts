import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ServiceError } from '../../../contract/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import * as store from './store.ts'

/**
 * Failures within a window, per account and network and per account; for a network, the number of accounts it failed
 * at, so that repeated attempts at a few accounts do not lock out the network's other users.
 */
const PAIR = { free: 5, window: 15 * MINUTE_MS, longestBlock: 15 * MINUTE_MS }
const NETWORK = { limit: 50, window: 15 * MINUTE_MS }
const ACCOUNT = { limit: 100, window: 60 * MINUTE_MS }
/** Links by mail, that anyone can have sent: for a network, and to an address. */
const MAIL = { network: { limit: 20, window: 60 * MINUTE_MS }, address: { limit: 3, window: 60 * MINUTE_MS } }

/** An address's /24 or /64: what an attacker cannot change at will. */
function network(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  const bytes = address.toByteArray().slice(0, isIPv6(address.toString()) ? 8 : 3)
  return Buffer.from(bytes).toString('hex')
}
const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** A password or similar secret about to be checked. */
export interface Attempt {
  /** What is being guessed: guesses at links do not lock a network out of logging in. */
  kind: 'login' | 'link' | 'setup'
  account: string
  /** A browser or session that logged in to this account before: counted by itself, whatever others do. */
  device?: string | null | undefined
}

interface Keys {
  /** Key of the fine count: an account from a network, or a device. */
  pair: string
  /** Keys of the coarse counts; a known device has none. */
  wide: { account: string; network: string } | null
}
function keysOf({ kind, account, device }: Attempt, ip: string | null): Keys {
  if (device) return { pair: `device:${hashed(`${device} ${account}`)}`, wide: null }
  const net = network(ip)
  const places = { login: 'network', link: 'links', setup: 'setup' }
  const wide = { account: `account:${hashed(account)}`, network: `${places[kind]}:${net}` }
  return { pair: `pair:${hashed(account)}:${net}`, wide }
}

const refusal = (until: number, now: number, detail = 'Too many failed logins. Try again later.'): ServiceError =>
  new ServiceError('rate_limited', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil((until - now) / 1000))) },
  })

/**
 * Counts this attempt as failed before the password is checked, so that parallel guesses cannot outrun the count.
 * Throws `rate_limited` with Retry-After if the account, the network or the pair has had too many. A refused attempt
 * does not count. Unknown accounts are treated alike.
 */
export async function beginAttempt(ctx: Ctx, attempt: Attempt): Promise<void> {
  const { pair, wide } = keysOf(attempt, ctx.actor.origin.ip)
  await ctx.upkeep(async ({ tx }) => {
    const now = ctx.now().getTime()
    const count = async (key: string, { limit, window }: typeof NETWORK) => {
      const row = await store.countFailure(tx, key, new Date(now), window)
      if (row.failures > limit) throw refusal(Date.parse(row.window_started_at) + window, now)
    }
    if (wide) await count(wide.account, ACCOUNT)
    const own = await store.countFailure(tx, pair, new Date(now), PAIR.window)
    if (wide && own.failures === 1) await count(wide.network, NETWORK)
    if (own.blocked_until !== null && Date.parse(own.blocked_until) > now)
      throw refusal(Date.parse(own.blocked_until), now)
    if (own.failures >= PAIR.free) {
      const block = Math.min(2 ** (own.failures - PAIR.free + 1) * 1000, PAIR.longestBlock)
      await store.blockUntil(tx, pair, new Date(now + block))
    }
  })
}

/**
 * Takes back an attempt whose password is right but that needs a second factor. Earlier failures stay counted; the delay
 * that this attempt has begun ends, so that the second factor can be given.
 */
export const setAside = (ctx: Ctx, attempt: Attempt): Promise<void> => retractAttempt(ctx, attempt, { unblock: true })

/** Takes back an attempt whose password was never checked. */
export async function retractAttempt(ctx: Ctx, attempt: Attempt, { unblock = false } = {}): Promise<void> {
  const { pair, wide } = keysOf(attempt, ctx.actor.origin.ip)
  await ctx.upkeep(async ({ tx }) => {
    if (wide) await store.uncountFailure(tx, wide.account)
    if ((await store.uncountFailure(tx, pair)) === 0 && wide) await store.uncountFailure(tx, wide.network)
    if (unblock) await store.unblock(tx, pair)
  })
}

/** Takes back a successful attempt: clears the pair, and subtracts it from the other counts. */
export async function forgiveAttempt(ctx: Ctx, attempt: Attempt): Promise<void> {
  const { pair, wide } = keysOf(attempt, ctx.actor.origin.ip)
  await ctx.upkeep(async ({ tx }) => {
    if (wide) await store.uncountFailure(tx, wide.account)
    if ((await store.clearFailures(tx, pair)) && wide) await store.uncountFailure(tx, wide.network)
  })
}

/**
 * Step: counts a request for a link by mail. False if the address has had enough, which is not the caller's to know. Throws
 * `rate_limited` with Retry-After if the network has asked for too many.
 */
export async function countMailRequest(
  { tx, now, actor }: Pick<Upkeep, 'tx' | 'now' | 'actor'>,
  account: string,
): Promise<boolean> {
  const at = now()
  const { network: most, address } = MAIL
  const sender = await store.countFailure(tx, `mail-network:${network(actor.origin.ip)}`, at, most.window)
  if (sender.failures > most.limit)
    throw refusal(
      Date.parse(sender.window_started_at) + most.window,
      at.getTime(),
      'Too many links were asked for from your network. Try again later.',
    )
  const recipient = await store.countFailure(tx, `mail-address:${hashed(account)}`, at, address.window)
  return recipient.failures <= address.limit
}
