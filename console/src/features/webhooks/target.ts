/** A URL's host with its port; the whole text if it is no URL. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

const PRIVATE = /^(localhost|.*\.(local|internal|lan)|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[)/

/** The warning for a URL while it is typed. The server decides when it sends. */
export function adviceOn(url: string): 'http' | 'private' | undefined {
  try {
    const { protocol, hostname } = new URL(url)
    if (PRIVATE.test(hostname)) return 'private'
    return protocol === 'http:' ? 'http' : undefined
  } catch {
    return undefined
  }
}
