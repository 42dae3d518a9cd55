import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Every setting of the process. A value: nothing else reads the environment. */
export interface Config {
  secretKey: string
  /** Verify only, oldest last (J6). */
  previousSecretKeys: readonly string[]
  dataDir: string
  databaseUrl: string
  storageUrl: string
  host: string
  port: number
  /** Without a trailing slash. */
  publicBaseUrl: string
  /** Addresses or networks whose X-Forwarded-* headers are believed (A6). */
  trustedProxies: readonly string[]
  bootstrapAdminEmail: string
  bootstrapAdminPassword: string | null
  bcryptCost: number
  trashDays: number
  blobGraceSeconds: number
  webhooksEnabled: boolean
  logLevel: string
}

/** All faults of a configuration, listed at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

interface Variable {
  /** Shown in docs/configuration.md. */
  summary: string
  default: string | null
  /** Gives the value or throws an Error that says what is wrong, without repeating a secret. */
  read(text: string): unknown
}

const integer = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`)
  return value
}
const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (text: string) => {
    if (!values.includes(text as T)) throw new Error(`must be one of ${values.join(', ')}`)
    return text as T
  }
const list = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
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

/** Every variable, described once: the reader, the faults and docs/configuration.md come from this table. */
export const variables = {
  SECRET_KEY: {
    summary:
      'JWT signing key and root of every derived key; at least 32 characters. `npm start` makes one and keeps it in the data folder when none is given; `stowage serve` requires it.',
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
    summary: '`sqlite:<path>` or `postgres://…`. Default: `sqlite:<DATA_DIR>/stowage.db`.',
    default: '',
    read: matching(/^$|^sqlite:.+|^postgres(ql)?:\/\/.+/, 'sqlite:<path> or postgres://…'),
  },
  STORAGE_URL: {
    summary: '`file:<folder>`. Default: `file:<DATA_DIR>/blobs`.',
    default: '',
    read: matching(/^$|^file:.+/, 'file:<folder>'),
  },
  HOST: { summary: 'Address to listen on; `0.0.0.0` for every interface.', default: '127.0.0.1', read: String },
  PORT: { summary: 'Port to listen on; 0 takes a free one.', default: '8080', read: integer(0, 65_535) },
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
  BOOTSTRAP_ADMIN_EMAIL: {
    summary: 'The first administrator, made at the first start with no users.',
    default: 'admin@stowage.local',
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
  BCRYPT_COST: { summary: 'Cost of new password hashes.', default: '12', read: integer(10, 15) },
  TRASH_DAYS: {
    summary: 'Days that deleted contents stay restorable in a new bucket that does not say.',
    default: '7',
    read: integer(0, 3650),
  },
  BLOB_GRACE_SECONDS: {
    summary: 'How long bytes nothing points at are kept before they are removed.',
    default: '3600',
    read: integer(600, 2_592_000),
  },
  WEBHOOKS_ENABLED: {
    summary: 'Whether events are queued for webhook endpoints and sent.',
    default: 'true',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  LOG_LEVEL: {
    summary: 'fatal, error, warn, info, debug, trace or silent.',
    default: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
} satisfies Record<string, Variable>

type Values = { [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['read']> }

/** Reads the configuration; throws a ConfigError with every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const given = env[name]?.trim()
    const text = given ? given : variable.default
    try {
      if (text === null) throw new Error('is required')
      values[name] = variable.read(text)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const v = values as Values
  return {
    secretKey: v.SECRET_KEY,
    previousSecretKeys: v.SECRET_KEY_PREVIOUS,
    dataDir: v.DATA_DIR,
    databaseUrl: v.DATABASE_URL || `sqlite:${path.join(v.DATA_DIR, 'stowage.db')}`,
    storageUrl: v.STORAGE_URL || `file:${path.join(v.DATA_DIR, 'blobs')}`,
    host: v.HOST,
    port: v.PORT,
    publicBaseUrl: v.PUBLIC_BASE_URL || `http://${v.HOST.includes(':') ? `[${v.HOST}]` : v.HOST}:${v.PORT}`,
    trustedProxies: v.TRUSTED_PROXIES,
    bootstrapAdminEmail: v.BOOTSTRAP_ADMIN_EMAIL,
    bootstrapAdminPassword: v.BOOTSTRAP_ADMIN_PASSWORD || null,
    bcryptCost: v.BCRYPT_COST,
    trashDays: v.TRASH_DAYS,
    blobGraceSeconds: v.BLOB_GRACE_SECONDS,
    webhooksEnabled: v.WEBHOOKS_ENABLED,
    logLevel: v.LOG_LEVEL,
  }
}

/**
 * The environment with a SECRET_KEY: the one given, else the one kept in `<DATA_DIR>/secret.key`, made on the first
 * call (mode 0600, synced before it is used).
 */
export function withKeptSecret(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  if (env.SECRET_KEY?.trim()) return env
  const dataDir = env.DATA_DIR?.trim() || (variables.DATA_DIR.default as string)
  const file = path.join(dataDir, 'secret.key')
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  try {
    const handle = fs.openSync(file, 'wx', 0o600)
    fs.writeSync(handle, randomBytes(36).toString('base64url'))
    fs.fsyncSync(handle)
    fs.closeSync(handle)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return { ...env, SECRET_KEY: fs.readFileSync(file, 'utf8').trim() }
}

/** A 32-byte key for one purpose, derived from a secret by HKDF-SHA-256 (J6): the secret itself only signs JWTs. */
export const deriveKey = (secretKey: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', purpose, 32))

/** Names a secret without telling it: the `kid` of the JWTs it signs. */
export const keyId = (secretKey: string): string =>
  createHash('sha256').update(deriveKey(secretKey, 'kid')).digest('hex').slice(0, 8)
