// Where answers may be sent. RFC 8252 says it for applications, RFC 9700 section 4.1 for all.

/** This machine, by a scheme that needs no certificate there. Its port is whatever was free (RFC 8252 section 7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?][!-~]*)?$/
/** Schemes of applications are names in reverse (RFC 8252 section 7.1); what has no dot may be anything, `javascript` too. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/
/** Editors whose schemes are none. */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(['cursor', 'vscode', 'vscode-insiders'])

/** Why an answer may not be sent there; null if it may. */
export function faultOfRedirect(uri: string): string | null {
  if (!URL.canParse(uri)) return 'is not an absolute URI'
  const { protocol, username, password, hostname } = new URL(uri)
  if (uri.includes('#')) return 'has a fragment'
  // Browsers read a backslash as a slash, other readers do not.
  if (uri.includes('\\')) return 'has a backslash'
  if (username !== '' || password !== '') return 'has credentials'
  const scheme = protocol.slice(0, -1)
  // In another spelling it is an address too, but what reads only its start takes it for something else.
  if (scheme === 'https') return uri.startsWith('https://') && hostname !== '' ? null : 'does not start with https://'
  if (scheme === 'http') return LOOPBACK.test(uri) ? null : 'is not encrypted: http is for this machine only'
  return PRIVATE_SCHEME.test(scheme) || KNOWN_SCHEMES.has(scheme) ? null : `has the scheme "${scheme}"`
}

/** Whether a redirect URI is the one registered: letter by letter, but for the port on this machine. */
export function isSameRedirect(registered: string, asked: string): boolean {
  if (registered === asked) return true
  const [one, other] = [LOOPBACK.exec(registered), LOOPBACK.exec(asked)]
  return one !== null && other !== null && one[1] === other[1] && (one[3] ?? '') === (other[3] ?? '')
}
