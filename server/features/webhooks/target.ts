import net from 'node:net'
import { invalid } from '../../base/invalid.ts'
import type { Config } from '../../config/config.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import { routeOf } from '../../outbound/guarded.ts'
import { allowedAddresses, hostOf } from '../../outbound/route.ts'

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80)

/** What is wrong with a receiver's URL as written; undefined if nothing is. */
function faultOf(config: Config, text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:\/\/[^/]/i.test(text) || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL'
  if (config.webhooks.httpsOnly && url.protocol !== 'https:') return 'must be an https URL'
  if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'must not contain credentials'
  if (text.includes('#')) return 'must not have a fragment'
  if (url.port === '0') return 'must not have port 0'
  const own = new URL(config.publicBaseUrl)
  // A host name of ours is this service on any port; at an address of ours, other ports may be other services.
  const sameHost = url.hostname.replace(/\.$/, '') === own.hostname
  if (sameHost && (net.isIP(hostOf(own.hostname)) === 0 || portOf(url) === portOf(own)))
    return 'must not point to this service'
  return undefined
}

/**
 * Throws invalid_request for a URL that no delivery would reach. Only a hint: a name's owner can change its address, so
 * every connection is checked again. A name that does not resolve now may do so later.
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
    return error.kind === 'blocked' ? 'resolves to an address that is not allowed' : undefined
  }
}
