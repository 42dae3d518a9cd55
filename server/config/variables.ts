import { isIP } from 'node:net'
import { isNeverAllowed } from '../base/address.ts'
import { httpVariables } from './variables/http.ts'
import { observeVariables } from './variables/observe.ts'
import { integer, list, oneOf } from './variables/readers.ts'
import { webhookVariables } from './variables/webhooks.ts'

/** One environment variable. */
export interface Variable {
  /** Shown in docs/configuration.md. */
  summary: string
  /** The runtime setting that this variable fixes when it is given. */
  setting?: string
  default: string | null
  /** Gives the value or throws an Error that says what is wrong, without repeating a secret. */
  read(text: string): unknown
}

const secret = (text: string) => {
  if ([...text].length < 32) throw new Error('must have at least 32 characters')
  return text
}
const httpUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error('must be an http(s) URL without query, fragment and credentials')
  return url.href.replace(/\/+$/, '')
}
const matching = (pattern: RegExp, what: string) => (text: string) => {
  if (!pattern.test(text)) throw new Error(`must be ${what}`)
  return text
}

/** Whether a URL names this machine itself. */
export const isThisMachine = ({ hostname }: URL): boolean => /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname)

/**
 * The issuer of an OpenID Connect provider, as it is compared with `iss`: kept as written. Throws on what is no https URL
 * (http only on this machine), on addresses that nobody's provider has, and on Entra's issuers of many tenants, where any tenant's users would pass (O13).
 */
export function issuerUrl(text: string): string {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : null
  const local = url !== null && isThisMachine(url)
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && local)))
    throw new Error('must be an https URL (http only for this machine itself)')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isNeverAllowed(host))
    throw new Error('must not be an address of this link, of a metadata service or of nobody')
  if (url.search || url.hash || url.username) throw new Error('must have no query, fragment and credentials')
  if (url.pathname.includes('/.well-known/')) throw new Error('must be the issuer, not its discovery document')
  const entra = /^login\.(microsoftonline|partner\.microsoftonline)\.(com|us|cn)$/.test(url.hostname)
  if (entra && !isTenant(entraTenant(text) ?? '')) throw new Error('must name one tenant: https://…/<its id>/v2.0')
  return text
}
/** The tenant of an Entra issuer URL; null for other providers. */
export const entraTenant = (issuer: string): string | null =>
  /^https:\/\/login\.(?:microsoftonline|partner\.microsoftonline)\.(?:com|us|cn)\/([^/]+)\/v2\.0\/?$/
    .exec(URL.canParse(issuer) ? new URL(issuer).href : '')?.[1]
    ?.toLowerCase() ?? null
const isTenant = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
function entraIssuer(tenant: string): string {
  if (!isTenant(tenant)) throw new Error('must be the id of one tenant (a GUID) or an https issuer URL')
  return `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`
}

/** Every variable, described once: the reader, the faults and docs/configuration.md come from this table. */
export const variables = {
  SECRET_KEY: {
    summary:
      'JWT signing key and root of every derived key; at least 32 characters. The first `npm start` makes one and keeps it in the data folder when none is given; `strongroom serve` requires it. A start with another one than before is refused, unless SECRET_KEY_PREVIOUS names the former one.',
    default: null,
    read: secret,
  },
  SECRET_KEY_PREVIOUS: {
    summary: 'Former values of SECRET_KEY, comma-separated: tokens signed with them stay valid until they expire.',
    default: '',
    read: (text: string) => list(text).map(secret),
  },
  DATA_DIR: { summary: 'Folder of the embedded default: key, database, blobs.', default: 'data', read: String },
  DATABASE_URL: {
    summary: '`sqlite:<path>` or `postgres://…`. Default: `sqlite:<DATA_DIR>/strongroom.db`.',
    default: '',
    read: matching(/^$|^sqlite:.+|^postgres(ql)?:\/\/.+/, 'sqlite:<path> or postgres://…'),
  },
  STORAGE_URL: {
    summary:
      '`file:<folder>`, or any S3-compatible engine: `s3://<bucket>[/<prefix>]?endpoint=https://…&region=…`. Default: `file:<DATA_DIR>/blobs`.',
    default: '',
    read: matching(/^$|^file:.+|^s3:\/\/.+/, 'file:<folder> or s3://<bucket>'),
  },
  DATABASE_POOL_SIZE: {
    summary: 'Most connections to PostgreSQL; with `--workers N` of all N processes together, at least two each.',
    default: '20',
    read: integer(2, 1000),
  },
  S3_ACCESS_KEY_ID: {
    summary: 'Credentials for the S3 engine. Without them the AWS SDK looks where it always does (environment, role).',
    default: '',
    read: String,
  },
  S3_SECRET_ACCESS_KEY: { summary: 'The secret to S3_ACCESS_KEY_ID.', default: '', read: String },
  DIRECT_TRANSFERS: {
    summary:
      'Whether clients send parts and fetch signed URLs at the S3 engine itself. It must be reachable for them, and allow our origin (CORS).',
    default: 'false',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  HOST: { summary: 'Address to listen on; `0.0.0.0` for every interface.', default: '127.0.0.1', read: String },
  PORT: { summary: 'Port to listen on; 0 takes a free one.', default: '8080', read: integer(0, 65_535) },
  DRAIN_SECONDS: {
    summary:
      'How long a service that is told to end still takes requests while `/readyz` answers 503, so that a load balancer sends no more.',
    default: '0',
    read: integer(0, 3600),
  },
  PUBLIC_BASE_URL: {
    summary: 'Where browsers and clients reach the service. Default: `http://HOST:PORT`.',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
  TRUSTED_PROXIES: {
    summary: 'Comma-separated addresses or networks of reverse proxies whose `X-Forwarded-For` is believed.',
    default: '',
    read: (text: string) => {
      const proxies = list(text)
      for (const one of proxies)
        if (!/^(loopback|linklocal|uniquelocal|[0-9a-fA-F.:]+(\/\d{1,3})?)$/.test(one))
          throw new Error(`has "${one}", which is no address or network`)
      return proxies
    },
  },
  ...httpVariables,
  BOOTSTRAP_ADMIN_EMAIL: {
    summary: 'The first administrator, made at the first start with no users.',
    default: 'admin@strongroom.local',
    read: matching(/^[^\s@]+@[^\s@]+$/, 'an e-mail address'),
  },
  BOOTSTRAP_ADMIN_PASSWORD: {
    summary: 'Their password, 8–72 bytes. Without it one is generated and printed once.',
    default: '',
    read: (text: string) => {
      const bytes = Buffer.byteLength(text.normalize('NFKC'))
      if (text !== '' && (bytes < 8 || bytes > 72)) throw new Error('must have 8 to 72 bytes')
      return text
    },
  },
  SETUP_LINK: {
    summary:
      'With neither of the two above: whether a start without any administrator prints a one-time link to make one in the browser, rather than a generated password. `npm start` says `false`.',
    default: 'true',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  BCRYPT_COST: { summary: 'Cost of new password hashes.', default: '12', read: integer(10, 15) },
  TRASH_DAYS: {
    summary: 'Days that deleted contents stay restorable in a new bucket that does not say.',
    setting: 'trash.default_days',
    default: '7',
    read: integer(0, 3650),
  },
  BLOB_GRACE_SECONDS: {
    summary: 'How long bytes nothing points at are kept before they are removed.',
    default: '3600',
    read: integer(600, 2_592_000),
  },
  IDP_TENANT_ID: {
    summary: 'Microsoft Entra tenant (its id, or an https issuer URL): login through it.',
    setting: 'idp.issuer_url',
    default: '',
    read: (text: string) => (text === '' || text.includes('://') ? issuerUrl(text) : entraIssuer(text)),
  },
  IDP_ISSUER_URL: {
    summary: 'Issuer of any other OpenID Connect provider. Wins over IDP_TENANT_ID.',
    setting: 'idp.issuer_url',
    default: '',
    read: (text: string) => issuerUrl(text),
  },
  IDP_CLIENT_ID: {
    summary: 'Client id at the identity provider.',
    setting: 'idp.client_id',
    default: '',
    read: String,
  },
  IDP_CLIENT_SECRET: {
    summary: 'Client secret at the identity provider.',
    setting: 'idp.client_secret',
    default: '',
    read: String,
  },
  IDP_NAME: { summary: 'Shown on the login button.', setting: 'idp.name', default: '', read: String },
  IDP_SUBJECT_CLAIM: {
    summary: 'Claim that says who it is. Default: `oid` at Entra, else `sub`.',
    setting: 'idp.subject_claim',
    default: '',
    read: matching(/^[A-Za-z0-9_.:/-]{0,100}$/, 'the name of a claim'),
  },
  IDP_GROUPS_CLAIM: {
    summary: 'Claim that lists the groups of a user, for `idp.group_mapping` of the settings.',
    setting: 'idp.groups_claim',
    default: '',
    read: matching(/^[A-Za-z0-9_.:/-]{0,100}$/, 'the name of a claim'),
  },
  DIRECTORY_KIND: {
    summary: 'Directory to import users from: `msgraph`, `keycloak` or `scim2`. Default: `msgraph` with Entra.',
    setting: 'directory.kind',
    default: '',
    read: oneOf('', 'msgraph', 'keycloak', 'scim2'),
  },
  DIRECTORY_URL: {
    summary: 'Graph host, Keycloak base, or what `/Users` follows in SCIM.',
    setting: 'directory.url',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
  DIRECTORY_TOKEN_URL: {
    summary: 'Where application tokens for the directory are issued. Default: that of Entra or of the Keycloak realm.',
    setting: 'directory.token_url',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
  DIRECTORY_CLIENT_ID: {
    summary: 'Client id for the directory. Default: IDP_CLIENT_ID.',
    setting: 'directory.client_id',
    default: '',
    read: String,
  },
  DIRECTORY_CLIENT_SECRET: {
    summary: 'Client secret for the directory. Default: IDP_CLIENT_SECRET.',
    setting: 'directory.client_secret',
    default: '',
    read: String,
  },
  DIRECTORY_REALM: { summary: 'Keycloak realm.', setting: 'directory.realm', default: '', read: String },
  DIRECTORY_BEARER_TOKEN: {
    summary: 'A fixed token for SCIM, in place of client credentials.',
    setting: 'directory.bearer_token',
    default: '',
    read: String,
  },
  SCIM_SUBJECT_ATTR: {
    summary: 'Which SCIM attribute the subject claim of logins carries: `id`, `externalId` or `userName`.',
    setting: 'directory.subject_attribute',
    default: '',
    read: oneOf('', 'id', 'externalId', 'userName'),
  },
  IMAGE_CACHE_BYTES: {
    summary:
      'Most bytes that the cache of rendered images takes on disk, all processes of `--workers N` together; 0: none are kept.',
    default: '1073741824',
    read: integer(0, Number.MAX_SAFE_INTEGER),
  },
  IMAGE_CACHE_DIR: {
    summary:
      'Folder for that cache, one for each replica: an empty one, or a new one. Only `strongroom-images` in it is used. Default: `<DATA_DIR>/image-cache`.',
    default: '',
    read: String,
  },
  ...webhookVariables,
  AUDIT_CHECKPOINT_FILE: {
    summary:
      'File that each checkpoint of the audit log is appended to, as a line; best on a disk that the database’s administrators cannot write.',
    default: '',
    read: String,
  },
  ...observeVariables,
  LOG_LEVEL: {
    summary: 'fatal, error, warn, info, debug, trace or silent.',
    default: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
} satisfies Record<string, Variable>
