import net from 'node:net'
import { type AddressRules, isOwnAddress, mayConnect } from '../base/address.ts'
import { blocked } from './failure.ts'
import type { Resolve } from './resolve.ts'

/** How to reach receivers. */
export interface Route extends AddressRules {
  readonly resolve: Resolve
  /** All connections go through it, and it checks names; addresses in URLs are still checked here. */
  readonly proxy: URL | null
  /** Certificate authorities besides the public ones (PEM), or null. */
  readonly ca: string | null
  /** The port this process listens on; 0: unknown. */
  readonly ownPort: number
}

export const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/**
 * The addresses of a URL's host, all of them allowed. Rejects with an OutboundFailure: `blocked` if any of them is not
 * allowed, `dns` if there are none. An address in the URL is checked like any other.
 */
export async function allowedAddresses(route: Route, hostname: string, port: number): Promise<string[]> {
  const host = hostOf(hostname)
  const addresses = net.isIP(host) ? [host] : await route.resolve(host)
  const bad = addresses.find((one) => !mayConnect(one, route) || (port === route.ownPort && isOwnAddress(one)))
  if (bad !== undefined) throw blocked(bad)
  return addresses
}
