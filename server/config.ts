import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Range } from './outbound/address.ts'
import { type Variable, variables } from './variables.ts'

/** Every setting of the process. A value: nothing else reads the environment. */
export interface Config {
  secretKey: string
  /** Verify only, oldest last (J6). */
  previousSecretKeys: readonly string[]
  dataDir: string
  databaseUrl: string
  storageUrl: string
  /** For s3; null: where the SDK finds them. */
  s3Credentials: { accessKeyId: string; secretAccessKey: string } | null
  directTransfers: boolean
  host: string
  port: number
  /** Without a trailing slash. */
  publicBaseUrl: string
  /** Addresses or networks whose X-Forwarded-* headers are believed (A6). */
  trustedProxies: readonly string[]
  bootstrapAdminEmail: string
  bootstrapAdminPassword: string | null
  bcryptCost: number
  /** Runtime settings that variables fix, by `section.field`. */
  fixedSettings: Readonly<Record<string, { variable: string; value: unknown }>>
  blobGraceSeconds: number
  imageCacheBytes: number
  imageCacheDir: string
  /** Threads for file reads, hashes and renders: libuv's pool. */
  poolThreads: number
  webhooksEnabled: boolean
  webhooks: {
    maxAttempts: number
    timeoutMs: number
    retrySchedule: readonly number[]
    /** 0: never. */
    autoDisableHours: number
    retentionDays: number
    concurrency: number
    httpsOnly: boolean
    allowed: readonly Range[]
    denied: readonly Range[]
    ca: string | null
    proxy: URL | null
    dnsServers: readonly string[]
    systemNames: readonly string[]
  }
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

type Values = { [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['read']> }

/** Reads the configuration; throws a ConfigError with every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  const fixedSettings: Record<string, { variable: string; value: unknown }> = {}
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const given = env[name]?.trim()
    const text = given ? given : variable.default
    try {
      if (text === null) throw new Error('is required')
      const value = variable.read(text)
      values[name] = value
      if (variable.setting && given) fixedSettings[variable.setting] = { variable: name, value }
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  for (const name of ['IDP_ISSUER_URL', 'IDP_TENANT_ID'])
    if (env[name]?.trim() && !env.IDP_CLIENT_ID?.trim()) faults.push(`IDP_CLIENT_ID is required with ${name}`)
  if (faults.length > 0) throw new ConfigError(faults)
  const v = values as Values
  return {
    secretKey: v.SECRET_KEY,
    previousSecretKeys: v.SECRET_KEY_PREVIOUS,
    dataDir: v.DATA_DIR,
    databaseUrl: v.DATABASE_URL || `sqlite:${path.join(v.DATA_DIR, 'stowage.db')}`,
    storageUrl: v.STORAGE_URL || `file:${path.join(v.DATA_DIR, 'blobs')}`,
    s3Credentials: v.S3_ACCESS_KEY_ID
      ? { accessKeyId: v.S3_ACCESS_KEY_ID, secretAccessKey: v.S3_SECRET_ACCESS_KEY }
      : null,
    directTransfers: v.DIRECT_TRANSFERS,
    host: v.HOST,
    port: v.PORT,
    publicBaseUrl: v.PUBLIC_BASE_URL || `http://${v.HOST.includes(':') ? `[${v.HOST}]` : v.HOST}:${v.PORT}`,
    trustedProxies: v.TRUSTED_PROXIES,
    bootstrapAdminEmail: v.BOOTSTRAP_ADMIN_EMAIL,
    bootstrapAdminPassword: v.BOOTSTRAP_ADMIN_PASSWORD || null,
    bcryptCost: v.BCRYPT_COST,
    fixedSettings,
    blobGraceSeconds: v.BLOB_GRACE_SECONDS,
    imageCacheBytes: v.IMAGE_CACHE_BYTES,
    imageCacheDir: v.IMAGE_CACHE_DIR || path.join(v.DATA_DIR, 'image-cache'),
    // Set by threads.ts; libuv's own default where a program that embeds us sets none.
    poolThreads: Number(env.UV_THREADPOOL_SIZE) || 4,
    webhooksEnabled: v.WEBHOOKS_ENABLED,
    webhooks: {
      maxAttempts: v.WEBHOOK_MAX_ATTEMPTS,
      timeoutMs: v.WEBHOOK_TIMEOUT_SECONDS * 1000,
      retrySchedule: v.WEBHOOK_RETRY_SCHEDULE_SECONDS,
      autoDisableHours: v.WEBHOOK_AUTO_DISABLE_HOURS,
      retentionDays: v.WEBHOOK_RETENTION_DAYS,
      concurrency: v.WEBHOOK_CONCURRENCY,
      httpsOnly: v.WEBHOOK_HTTPS_ONLY,
      allowed: v.WEBHOOK_ALLOWED_CIDRS,
      denied: v.WEBHOOK_DENIED_CIDRS,
      ca: v.WEBHOOK_CA_FILE,
      proxy: v.WEBHOOK_PROXY_URL,
      dnsServers: v.WEBHOOK_DNS_SERVERS,
      systemNames: v.WEBHOOK_SYSTEM_NAMES,
    },
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
