/** A website's name in a Host header: whose it is, and how the visitor named it, in lower case, without a final dot. */
export interface Site {
  bucket: string
  /** With the port that was given, as `:9000`. */
  host: string
}

/**
 * The website that a Host header names: the bucket below one of these domains, or the one of a domain's own name. Null
 * for any other host.
 */
export function siteOf(host: string | undefined, domains: readonly string[]): Site | null {
  const { name, port } = readHost(host ?? '')
  const domain = domainOf(name, domains)
  // It becomes part of addresses.
  if (domain === undefined || !/^[\w.~-]+$/.test(name)) return null
  return { bucket: name === domain ? name : name.slice(0, -domain.length - 1), host: name + port }
}

/**
 * A Host header's name in lower case without a final dot, which absolute names have in DNS, and its port as `:9000`: none
 * of an empty one.
 */
export function readHost(host: string): { name: string; port: string } {
  const port = /:\d*$/.exec(host)?.[0] ?? ''
  const name = host.slice(0, host.length - port.length).toLowerCase()
  return { name: name.endsWith('.') ? name.slice(0, -1) : name, port: port === ':' ? '' : port }
}

/** The longest of these domains that a name is, or is below. */
export const domainOf = (name: string, domains: readonly string[]): string | undefined =>
  domains
    .filter((one) => name === one || name.endsWith(`.${one}`))
    .reduce<string | undefined>((longest, one) => (one.length > (longest?.length ?? 0) ? one : longest), undefined)
