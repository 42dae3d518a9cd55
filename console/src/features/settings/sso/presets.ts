export const providers = ['entra', 'okta', 'google', 'keycloak', 'authentik', 'other'] as const
export type Provider = (typeof providers)[number]
/** What an issuer URL is built from. */
export type Part = 'tenant' | 'domain' | 'base' | 'realm' | 'slug' | 'issuer'
export type Parts = Readonly<Partial<Record<Part, string>>>

interface Preset {
  parts: readonly Part[]
  issuerOf: (given: Required<Parts>) => string
  /** The parts of one of its issuer URLs, otherwise undefined. */
  partsOf: (issuer: string) => Parts | undefined
  /** Whether its ID tokens can say that it has verified an email address. */
  verifiesEmail: boolean
}

const groups =
  (pattern: RegExp) =>
  (issuer: string): Parts | undefined =>
    pattern.exec(issuer)?.groups
const url = (typed: string): string => (/^https?:\/\//.test(typed) ? typed : `https://${typed}`).replace(/\/+$/, '')

/** How each provider writes its issuer. Keycloak and authentik run anywhere, so their paths tell. */
export const presets: Readonly<Record<Provider, Preset>> = {
  entra: {
    parts: ['tenant'],
    issuerOf: ({ tenant }) => `https://login.microsoftonline.com/${tenant}/v2.0`,
    partsOf: groups(/^https:\/\/login\.microsoftonline\.com\/(?<tenant>[^/]+)\/v2\.0$/),
    verifiesEmail: false,
  },
  okta: {
    parts: ['domain'],
    issuerOf: ({ domain }) => url(domain),
    partsOf: groups(/^https:\/\/(?<domain>[^/]+\.(?:okta|oktapreview|okta-emea)\.com)$/),
    verifiesEmail: true,
  },
  google: {
    parts: [],
    issuerOf: () => 'https://accounts.google.com',
    partsOf: (issuer) => (issuer === 'https://accounts.google.com' ? {} : undefined),
    verifiesEmail: true,
  },
  keycloak: {
    parts: ['base', 'realm'],
    issuerOf: ({ base, realm }) => `${url(base)}/realms/${realm}`,
    partsOf: groups(/^(?<base>https?:\/\/.+)\/realms\/(?<realm>[^/]+)$/),
    verifiesEmail: true,
  },
  authentik: {
    parts: ['base', 'slug'],
    issuerOf: ({ base, slug }) => `${url(base)}/application/o/${slug}/`,
    partsOf: groups(/^(?<base>https?:\/\/.+)\/application\/o\/(?<slug>[^/]+)\/$/),
    verifiesEmail: true,
  },
  other: {
    parts: ['issuer'],
    issuerOf: ({ issuer }) => issuer,
    partsOf: (issuer) => ({ issuer }),
    verifiesEmail: true,
  },
}

/** The provider's issuer; undefined while a part is missing. */
export function issuerOf(provider: Provider, given: Parts): string | undefined {
  const { parts, issuerOf } = presets[provider]
  const trimmed = Object.fromEntries(parts.map((part) => [part, (given[part] ?? '').trim()]))
  return Object.values(trimmed).includes('') ? undefined : issuerOf(trimmed as Required<Parts>)
}

/** Whose issuer this is. */
export const providerOf = (issuer: string): Provider =>
  providers.find((provider) => presets[provider].partsOf(issuer) !== undefined) ?? 'other'
