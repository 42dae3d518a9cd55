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
  const [, name, port = ''] = /^([a-z0-9._-]+?)\.?(:\d{1,5})?$/.exec(host?.toLowerCase() ?? '') ?? []
  if (name === undefined) return null
  const domain = domains
    .filter((one) => name === one || name.endsWith(`.${one}`))
    .reduce((longest, one) => (one.length > longest.length ? one : longest), '')
  if (domain === '') return null
  return { bucket: name === domain ? name : name.slice(0, -domain.length - 1), host: name + port }
}
