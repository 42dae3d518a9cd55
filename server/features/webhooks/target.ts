import net from 'node:net'
import { invalid } from '../../base/invalid.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'
import { allowedAddresses, hostOf, type Route } from '../../outbound/dial.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import { createResolve } from '../../outbound/resolve.ts'

/** How this process reaches receivers. */
export const routeOf = perSystem(({ webhooks, port }: Config): Route => {
  const { allowed, denied, ca, proxy, dnsServers, systemNames } = webhooks
  const resolve = createResolve({ servers: dnsServers, systemNames })
  return { allowed, denied, ca, proxy, resolve, ownPort: port }
})

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80)

/** What is wrong with a receiver's URL as it is written; undefined when nothing is (W38). */
function faultOf(config: Config, text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:\/\/[^/]/i.test(text) || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL'
  if (config.webhooks.httpsOnly && url.protocol !== 'https:') return 'must be an https URL'
  if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'must not hold credentials'
  if (text.includes('#')) return 'must not have a fragment'
  if (url.port === '0') return 'must not have port 0'
  const own = new URL(config.publicBaseUrl)
  // Behind a name there is this service, whatever the port; behind an address there may be others.
  const sameHost = url.hostname.replace(/\.$/, '') === own.hostname
  if (sameHost && (net.isIP(hostOf(own.hostname)) === 0 || portOf(url) === portOf(own)))
    return 'must not be this service itself'
  return undefined
}

/**
 * Throws invalid_request for a URL that no delivery would reach. Only advice: whoever owns a name can change what it
 * stands for, so every connection is checked anew. A name that cannot be resolved now may be later.
 */
export async function checkTarget(config: Config, text: string): Promise<void> {
  const message = faultOf(config, text) ?? (await addressFault(config, new URL(text)))
  if (message !== undefined) throw invalid('body.url', message)
}

async function addressFault(config: Config, url: URL): Promise<string | undefined> {
  const route = routeOf(config)
  if (route.proxy && net.isIP(hostOf(url.hostname)) === 0) return undefined
  try {
    await allowedAddresses(route, url.hostname, portOf(url))
    return undefined
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return error.kind === 'blocked' ? 'has an address that is not allowed' : undefined
  }
}
