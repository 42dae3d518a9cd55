import { type Application, appTokens, askWith, fixedToken, type TokenSource } from './app-token.ts'
import type { DirectorySettings, IdentityDirectory } from './directory.ts'
import { withDeadline } from './fetch.ts'
import { keycloakHint, openKeycloak } from './keycloak.ts'
import { graphHint, openGraph } from './msgraph.ts'
import { openScim, scimHint } from './scim.ts'

/**
 * The directory for these settings; sends nothing yet. Each search or get takes at most `timeoutMs`, including its
 * token and follow-up requests. Throws an Error, without values, if settings are missing or not URLs.
 */
export function openDirectory(
  settings: DirectorySettings,
  now: () => Date,
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): IdentityDirectory {
  const { search, get, kind } = openAdapter(settings, tokensOf(settings, now, timeoutMs))
  return {
    kind,
    search: (q, options) => withDeadline(options.signal, timeoutMs, (signal) => search(q, { ...options, signal })),
    get: (externalId, options) => withDeadline(options.signal, timeoutMs, (signal) => get(externalId, { signal })),
  }
}

function openAdapter(settings: DirectorySettings, tokens: TokenSource): IdentityDirectory {
  const url = checkedUrl(settings, 'url')
  if (settings.kind === 'msgraph') return openGraph(url, askWith(tokens, graphHint))
  if (settings.kind === 'scim2') return openScim(url, settings.subjectAttribute, askWith(tokens, scimHint))
  return openKeycloak(url, needed(settings, 'realm'), askWith(tokens, keycloakHint))
}

function tokensOf(settings: DirectorySettings, now: () => Date, timeoutMs: number): TokenSource {
  if (settings.kind === 'scim2' && settings.bearerToken !== null) return fixedToken(settings.bearerToken)
  const application: Application = {
    tokenUrl: checkedUrl(settings, 'tokenUrl'),
    clientId: needed(settings, 'clientId'),
    clientSecret: needed(settings, 'clientSecret'),
    scope: settings.scope,
  }
  return appTokens(application, now, timeoutMs)
}

type TextSetting = 'url' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'realm'

function needed(settings: DirectorySettings, name: TextSetting): string {
  const value = settings[name]
  if (!value) throw new Error(`A directory of kind ${settings.kind} needs ${name}.`)
  return value
}

function checkedUrl(settings: DirectorySettings, name: 'url' | 'tokenUrl'): string {
  const text = needed(settings, name)
  const url = URL.parse(text)
  // A URL with a password would be quoted by the errors of fetch.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new Error(`The ${name} of the directory is not an http URL without credentials.`)
  return text
}
