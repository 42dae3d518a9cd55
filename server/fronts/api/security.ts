import type { Config } from '../../config/config.ts'

/**
 * Headers of every response: no sniffing, no framing, no scripts, no referrer, and HSTS on https. Pages and users'
 * contents replace the policy with their own. Helmet rebuilds the same set for every request, which took a tenth of a
 * small one's time.
 */
export const securityHeaders = (config: Config): Record<string, string> => ({
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(config.publicBaseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
})
