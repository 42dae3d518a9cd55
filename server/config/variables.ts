import { isIP } from 'node:net'
import { IDP_SCOPE } from '../../contract/names.ts'
import { isNeverAllowed } from '../base/address.ts'
import { backupVariables } from './variables/backup.ts'
import { bootstrapVariables } from './variables/bootstrap.ts'
import { copiesVariables } from './variables/copies.ts'
import { directoryVariables } from './variables/directory.ts'
import { httpVariables } from './variables/http.ts'
import { mailVariables } from './variables/mail.ts'
import { observeVariables } from './variables/observe.ts'
import { httpUrl, integer, list, matching, oneOf } from './variables/readers.ts'
import { s3Variables } from './variables/s3.ts'
import { webhookVariables } from './variables/webhooks.ts'

/** One environment variable. */
export interface Variable {
  /** Shown in docs/configuration.md. */
  summary: string
  /** The runtime setting that this variable overrides when set. */
  setting?: string
  /** Whether it may come from a file instead, which the variable with `_FILE` appended names: see secret-files.ts. */
  secret?: boolean
  default: string | null
  /** Returns the value or throws an Error that says what is wrong, without repeating a secret. */
  read(text: string): unknown
}

const secret = (text: string) => {
  if ([...text].length < 32) throw new Error('must have at least 32 characters')
  return text
}
/** Whether a URL points to this machine. */
export const isThisMachine = ({ hostname }: URL): boolean => /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname)

/**
 * Reads an OpenID Connect issuer, unchanged because it is compared with `iss`. Throws unless it is an https URL (http
 * only on this machine), on link-local and reserved addresses, and on Entra's multi-tenant issuers, which would let
 * users of any tenant in.
 */
export function issuerUrl(text: string): string {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : null
  const local = url !== null && isThisMachine(url)
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && local)))
    throw new Error('must be an https URL (http only for this machine)')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isNeverAllowed(host))
    throw new Error('must not be a link-local, cloud metadata or reserved address')
  if (url.search || url.hash || url.username) throw new Error('must not have a query, fragment or credentials')
  if (url.pathname.includes('/.well-known/')) throw new Error('must be the issuer, not its discovery document')
  const entra = /^login\.(microsoftonline|partner\.microsoftonline)\.(com|us|cn)$/.test(url.hostname)
  if (entra && !isTenant(entraTenant(text) ?? ''))
    throw new Error('must name a single tenant: https://…/<tenant id>/v2.0')
  return text
}
/** The tenant of an Entra issuer URL; null for other providers. */
export const entraTenant = (issuer: string): string | null =>
  /^https:\/\/login\.(?:microsoftonline|partner\.microsoftonline)\.(?:com|us|cn)\/([^/]+)\/v2\.0\/?$/
    .exec(URL.canParse(issuer) ? new URL(issuer).href : '')?.[1]
    ?.toLowerCase() ?? null
const isTenant = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
function entraIssuer(tenant: string): string {
  if (!isTenant(tenant)) throw new Error('must be a tenant id (a GUID) or an https issuer URL')
  return `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`
}

/** No body larger than this was ever kept in the database. */
export const MOST_INLINE = 64 * 1024

/** Every variable, defined once: the reader, its errors and docs/configuration.md come from this table. */
export const variables = {
  SECRET_KEY: {
    secret: true,
    summary:
      'JWT signing key and root of every derived key; at least 32 characters. Without one, the first `npm start` generates it and keeps it in the data folder; `strongroom serve` requires it. A start with a different key is refused unless SECRET_KEY_PREVIOUS has the previous one.',
    default: null,
    read: secret,
  },
  SECRET_KEY_PREVIOUS: {
    secret: true,
    summary: 'Previous values of SECRET_KEY, comma-separated: tokens signed with them stay valid until they expire.',
    default: '',
    read: (text: string) => list(text).map(secret),
  },
  ENCRYPTION_KEY: {
    secret: true,
    summary:
      'The key that protects the keys of encrypted contents; at least 32 characters. Default: derived from SECRET_KEY. A start without the one that the database was used with is refused (docs/encryption.md).',
    default: '',
    read: (text: string) => (text === '' ? '' : secret(text)),
  },
  ENCRYPTION_KEY_PREVIOUS: {
    secret: true,
    summary:
      'Previous values of ENCRYPTION_KEY, comma-separated: a start encrypts what they protect with the current one.',
    default: '',
    read: (text: string) => list(text).map(secret),
  },
  DATA_DIR: { summary: 'Folder for the defaults of key, database and blobs.', default: 'data', read: String },
  DATABASE_URL: {
    secret: true,
    summary:
      '`sqlite:<path>` or `postgres://…`; `?sslmode=verify-full` encrypts the connection and checks the server’s certificate (docs/operations.md). Default: `sqlite:<DATA_DIR>/strongroom.db`.',
    default: '',
    read: matching(/^$|^sqlite:.+|^postgres(ql)?:\/\/.+/, 'sqlite:<path> or postgres://…'),
  },
  STORAGE_URL: {
    summary:
      '`file:<folder>`, or an S3-compatible store: `s3://<bucket>[/<prefix>]?endpoint=https://…&region=…`. Default: `file:<DATA_DIR>/blobs`.',
    default: '',
    read: matching(/^$|^file:.+|^s3:\/\/.+/, 'file:<folder> or s3://<bucket>'),
  },
  DISK_RESERVE_BYTES: {
    summary:
      'Bytes of the disk that are kept free for working when it is full: uploads that would use them are refused, and next to a SQLite database, a file of that size is deleted when nothing else is left, so that people can sign in and delete. At most an eighth of the disk; 0: none (docs/operations.md).',
    default: '67108864',
    read: integer(0, 1024 ** 4),
  },
  DATABASE_POOL_SIZE: {
    summary: 'Maximum connections to PostgreSQL; with `--workers N`, shared by all N processes, at least two each.',
    default: '20',
    read: integer(2, 1000),
  },
  S3_ACCESS_KEY_ID: {
    secret: true,
    summary:
      'Access key id for the S3 store. Without it, the AWS SDK uses its default credential chain (environment, role).',
    default: '',
    read: String,
  },
  S3_SECRET_ACCESS_KEY: { secret: true, summary: 'The secret of S3_ACCESS_KEY_ID.', default: '', read: String },
  ...backupVariables,
  DIRECT_TRANSFERS: {
    summary:
      'Whether clients upload parts to, and fetch signed URLs from, the S3 store directly. Clients must be able to reach it, and it must allow our origin (CORS).',
    default: 'false',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  STORAGE_FOLDERS: {
    summary:
      'Folders, comma-separated, in which administrators may register further storages of files. Without any, further storages are S3 only.',
    default: '',
    read: list,
  },
  STORAGES_ENABLED: {
    summary:
      'Whether storages besides the default one are used. `false` for a copy of a database that must not touch the storages of the original: what lies on them then answers 503.',
    default: 'true',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  HOST: { summary: 'Address to listen on; `0.0.0.0` for every interface.', default: '127.0.0.1', read: String },
  PORT: { summary: 'Port to listen on; 0 picks a free one.', default: '8080', read: integer(0, 65_535) },
  DRAIN_SECONDS: {
    summary:
      'How long a stopping service still accepts requests while `/readyz` returns 503, so that load balancers can take it out of rotation.',
    default: '0',
    read: integer(0, 3600),
  },
  PUBLIC_BASE_URL: {
    summary:
      'URL at which browsers and clients reach the service. Default: `http://HOST:PORT`, or `http://localhost:PORT` if it listens on every interface.',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
  TRUSTED_PROXIES: {
    summary: 'Comma-separated addresses or networks of reverse proxies whose `X-Forwarded-For` is trusted.',
    default: '',
    read: (text: string) => {
      const proxies = list(text)
      for (const one of proxies)
        if (!/^(loopback|linklocal|uniquelocal|[0-9a-fA-F.:]+(\/\d{1,3})?)$/.test(one))
          throw new Error(`has "${one}", which is not an address or a network`)
      return proxies
    },
  },
  ...httpVariables,
  ...s3Variables,
  ...bootstrapVariables,
  SETUP_LINK: {
    summary:
      'Without BOOTSTRAP_ADMIN_EMAIL, BOOTSTRAP_ADMIN_PASSWORD and BOOTSTRAP_ACCESS_KEY_ID: whether a start without any administrator prints a one-time link for creating one in the browser, instead of a generated password. `npm start` sets it to `false`.',
    default: 'true',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  BCRYPT_COST: { summary: 'bcrypt cost of new password hashes.', default: '12', read: integer(10, 15) },
  TRASH_DAYS: {
    summary: 'Default days that deleted objects stay restorable, for new buckets.',
    setting: 'trash.default_days',
    default: '7',
    read: integer(0, 3650),
  },
  INLINE_MAX_BYTES: {
    summary:
      'Contents up to this many bytes are kept in the database instead of the storage: written and read faster, with one sync instead of three. At most 65536; 0: none. Contents stay where they were written.',
    default: '16384',
    read: integer(0, MOST_INLINE),
  },
  SHA256: {
    summary:
      '`always` computes the SHA-256 of every upload that is not in parts; `asked` only that of contents in the database, and where the upload asks for it with `x-checksum-sha256` or `x-checksum-algorithm`. Every upload has an MD5.',
    default: 'asked',
    read: oneOf('asked', 'always'),
  },
  BLOB_GRACE_SECONDS: {
    summary: 'How long unreferenced contents are kept before they are removed.',
    default: '3600',
    read: integer(600, 2_592_000),
  },
  ...copiesVariables,
  IDP_TENANT_ID: {
    summary: 'Microsoft Entra tenant for login: its id, or an https issuer URL.',
    setting: 'idp.issuer_url',
    default: '',
    read: (text: string) => (text === '' || text.includes('://') ? issuerUrl(text) : entraIssuer(text)),
  },
  IDP_ISSUER_URL: {
    summary: 'Issuer of any other OpenID Connect provider. Takes precedence over IDP_TENANT_ID.',
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
    secret: true,
    summary: 'Client secret at the identity provider.',
    setting: 'idp.client_secret',
    default: '',
    read: String,
  },
  IDP_NAME: { summary: 'Name shown on the login button.', setting: 'idp.name', default: '', read: String },
  IDP_SUBJECT_CLAIM: {
    summary: 'Claim that identifies the user. Default: `oid` with Entra, else `sub`.',
    setting: 'idp.subject_claim',
    default: '',
    read: matching(/^[A-Za-z0-9_.:/-]{0,100}$/, 'the name of a claim'),
  },
  IDP_GROUPS_CLAIM: {
    summary: 'Claim that lists a user’s groups, for the setting `idp.group_mapping`.',
    setting: 'idp.groups_claim',
    default: '',
    read: matching(/^[A-Za-z0-9_.:/-]{0,100}$/, 'the name of a claim'),
  },
  IDP_SCOPE: {
    summary: 'What a login asks the identity provider for. Default: `openid profile email`.',
    setting: 'idp.scope',
    default: '',
    read: matching(new RegExp(`^$|${IDP_SCOPE}`), '`openid` and names of scopes'),
  },
  ...directoryVariables,
  IMAGE_CACHE_BYTES: {
    summary:
      'Maximum disk space for the cache of rendered images, in bytes, shared by all processes of `--workers N`; 0: no cache.',
    default: '1073741824',
    read: integer(0, Number.MAX_SAFE_INTEGER),
  },
  IMAGE_CACHE_DIR: {
    summary:
      'Folder of the image cache, one per replica. Only its subfolder `strongroom-images` is used. Default: `<DATA_DIR>/image-cache`.',
    default: '',
    read: String,
  },
  ...webhookVariables,
  ...mailVariables,
  AUDIT_CHECKPOINT_FILE: {
    summary:
      'File to which each checkpoint of the audit log is appended as a line; best on a disk that the database’s administrators cannot write to.',
    default: '',
    read: String,
  },
  ...observeVariables,
  LOG_LEVEL: {
    summary: 'Log level: fatal, error, warn, info, debug, trace or silent.',
    default: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
} satisfies Record<string, Variable>

/** Whether a text could be a DATABASE_URL. */
export function isDatabaseUrl(text: string): boolean {
  try {
    return variables.DATABASE_URL.read(text) !== ''
  } catch {
    return false
  }
}
