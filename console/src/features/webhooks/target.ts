/** The host of a URL with its port; the whole text where it is none. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

const PRIVATE = /^(localhost|.*\.(local|internal|lan)|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[)/

/** What is to be said of a URL while it is written. The service decides when it sends. */
export function adviceOn(url: string): 'http' | 'private' | undefined {
  try {
    const { protocol, hostname } = new URL(url)
    if (PRIVATE.test(hostname)) return 'private'
    return protocol === 'http:' ? 'http' : undefined
  } catch {
    return undefined
  }
}
