import type { Config } from '../../config/config.ts'

/**
 * What every answer carries: no sniffing, no framing, no scripts, no referrer, and over https no way back to http. Pages
 * and users' contents replace the policy by their own. Helmet composes the same set anew for every request, which took
 * a tenth of a small one.
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
