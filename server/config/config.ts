import os from 'node:os'
import path from 'node:path'
import type { Ownership } from '../../contract/public-access.ts'
import type { Range } from '../base/address.ts'
import { type BackupPlace, backupKeys, backupOf, type KeyPair, storageKeys } from './backup.ts'
import type { Share } from './share.ts'
import { type TracesConfig, tracesOf } from './traces.ts'
import type { BootstrapBucket } from './variables/bootstrap.ts'
import { nameOfHost } from './variables/http.ts'
import { faultsOfWebsites } from './variables/s3.ts'
import { type Variable, variables } from './variables.ts'

/** All configuration of the process, as a value: nothing else reads the environment. */
export interface Config {
  secretKey: string
  /** Accepted for verification and decryption only; oldest last. */
  previousSecretKeys: readonly string[]
  /** What the keys of encrypted contents come from in the end; null: SECRET_KEY. */
  encryptionKey: string | null
  /** Accepted for decryption only. */
  previousEncryptionKeys: readonly string[]
  dataDir: string
  databaseUrl: string
  /** Most PostgreSQL connections of this process. */
  databasePoolSize: number
  storageUrl: string
  /** For S3; null: the SDK's own lookup. */
  s3Credentials: KeyPair | null
  /** Where the SQLite database is copied to all the time; null: nowhere. */
  backup: BackupPlace | null
  /** For a backup place on S3 that a command names; null: the SDK's own lookup. */
  backupCredentials: KeyPair | null
  /** Of a standby that serves reads: the SQLite database that it becomes; otherwise null. */
  standbyOf: string | null
  /** How old its answers may be; 0: however old. */
  standbyMaxLagSeconds: number
  directTransfers: boolean
  /** In which folders, as absolute paths, storages of files may be registered. */
  storageFolders: readonly string[]
  /** Whether storages besides the default one are used. */
  storagesEnabled: boolean
  /** The S3 endpoint. */
  s3: {
    /** Null: there is none. */
    port: { first: number; orNext: boolean } | null
    host: string
    /** Domains whose subdomains are buckets. */
    domains: readonly string[]
    websiteDomains: readonly string[]
    region: string
    /** Other names it is known by. */
    hosts: readonly string[]
    /** What Signature Version 2 is accepted for, besides forms. */
    signatureV2: '' | 'presigned'
    /** Whether clients may send their keys without TLS. */
    keysWithoutTls: boolean
    /** Where S3 clients reach the endpoint; '' if nothing says. */
    publicUrl: string
    /** Of a new bucket that was created without saying. */
    defaultOwnership: Ownership
    /** How long a day of lifecycle configurations is. */
    lifecycleDayMs: number
  }
  host: string
  port: number
  /** Milliseconds between the signal to stop and refusing requests. */
  drainMs: number
  /** Without a trailing slash. */
  publicBaseUrl: string
  /** Addresses or networks whose X-Forwarded-* headers are trusted. */
  trustedProxies: readonly string[]
  /** Origins whose pages may call the API; `*`: any. */
  corsOrigins: readonly string[]
  /** Requests per minute and process; 0: no limit. */
  ratePublic: number
  rateCostly: number
  requestTimeoutMs: number
  /** 0: no limit. */
  maxConnections: number
  /** From one address, where addresses belong to clients; 0: no limit. */
  maxConnectionsOfOne: number
  /** Concurrent uploads per sender in this process, and per share link; 0: no limit. */
  uploadsPerSender: number
  uploadsPerLink: number
  /** Open multipart uploads per person; 0: no limit. */
  openUploads: number
  /** What a start creates if it does not exist. */
  bootstrap: {
    adminEmail: string
    adminPassword: string | null
    accessKey: { accessKeyId: string; secret: string } | null
    buckets: readonly BootstrapBucket[]
  }
  /** A start without any administrator prints a setup link instead of creating one. */
  setupLink: boolean
  bcryptCost: number
  /** Runtime settings fixed by variables, as `section.field`. */
  fixedSettings: Readonly<Record<string, { variable: string; value: unknown }>>
  blobGraceSeconds: number
  mirrorTimeoutMs: number
  /** 0: never. */
  scrubDays: number
  scrubMibPerSecond: number
  /** Bytes of a disk that are kept for working when it is full; 0: none. */
  diskReserveBytes: number
  /** Bodies up to this many bytes are kept in the database; 0: none. */
  inlineMaxBytes: number
  /** Whether larger bodies get a SHA-256 that nobody asked for. */
  sha256: 'asked' | 'always'
  imageCacheBytes: number
  /** The configured folder; each process keeps its cache in a subfolder of it. */
  imageCacheBase: string
  imageCacheDir: string
  /** CPUs that this process may use. */
  cores: number
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
  mail: { allowed: readonly Range[]; ca: string | null; timeoutMs: number }
  /** Null: checkpoints go to the database and the log only. */
  auditCheckpointFile: string | null
  /** Who may read /metrics: see METRICS_TOKEN. */
  metrics: 'on' | 'open' | 'off'
  metricsToken: string | null
  /** 0: no request is logged as slow. */
  slowRequestMs: number
  /** Null: tracing is off. `ratio` is the share of traces kept. */
  traces: TracesConfig | null
  logLevel: string
  announce: 'text' | 'json'
}

/** All configuration errors at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} error(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Our own folder inside the one configured for the image cache. */
export const IMAGE_FOLDER = 'strongroom-images'

type Values = { [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['read']> }

export type Env = Readonly<Record<string, string | undefined>>

const given = (env: Env, name: 'DATA_DIR' | 'DATABASE_URL'): string => env[name]?.trim() || variables[name].default
/** DATA_DIR and DATABASE_URL are needed before the whole configuration can be read. */
export const dataDirOf = (env: Env): string => given(env, 'DATA_DIR')
export function databaseUrlOf(env: Env): string {
  try {
    const url = variables.DATABASE_URL.read(given(env, 'DATABASE_URL'))
    return url || `sqlite:${path.join(dataDirOf(env), 'strongroom.db')}`
  } catch (error) {
    throw new ConfigError([`DATABASE_URL ${(error as Error).message}`])
  }
}

/** Reads the configuration; throws a ConfigError that lists every error. */
export function readConfig(env: Env, share: Share = { n: 0, of: 1 }): Config {
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
  const isGiven = (...names: (keyof Values)[]) => names.some((name) => env[name]?.trim())
  for (const [needed, name] of [
    ['IDP_CLIENT_ID', 'IDP_ISSUER_URL'],
    ['IDP_CLIENT_ID', 'IDP_TENANT_ID'],
    ['MAIL_FROM', 'MAIL_HOST'],
    ['BOOTSTRAP_SECRET_ACCESS_KEY', 'BOOTSTRAP_ACCESS_KEY_ID'],
    ['BOOTSTRAP_ACCESS_KEY_ID', 'BOOTSTRAP_SECRET_ACCESS_KEY'],
  ] as const)
    if (isGiven(name) && !isGiven(needed)) faults.push(`${needed} is required with ${name}`)
  faults.push(...faultsOfWebsites(values))
  if (faults.length > 0) throw new ConfigError(faults)
  const v = values as Values
  const imageCacheBase = v.IMAGE_CACHE_DIR || path.join(v.DATA_DIR, 'image-cache')
  return {
    secretKey: v.SECRET_KEY,
    previousSecretKeys: v.SECRET_KEY_PREVIOUS,
    encryptionKey: v.ENCRYPTION_KEY || null,
    previousEncryptionKeys: v.ENCRYPTION_KEY_PREVIOUS,
    dataDir: v.DATA_DIR,
    databaseUrl: databaseUrlOf(env),
    databasePoolSize: Math.max(2, Math.floor(v.DATABASE_POOL_SIZE / share.of)),
    storageUrl: v.STORAGE_URL || `file:${path.join(v.DATA_DIR, 'blobs')}`,
    s3Credentials: storageKeys(v),
    backup: backupOf(v, databaseUrlOf(env)),
    backupCredentials: backupKeys(v),
    standbyOf: null,
    standbyMaxLagSeconds: v.STANDBY_MAX_LAG_SECONDS,
    directTransfers: v.DIRECT_TRANSFERS,
    storagesEnabled: v.STORAGES_ENABLED,
    storageFolders: v.STORAGE_FOLDERS.map((folder) => path.resolve(folder)),
    s3: {
      port: v.S3_PORT,
      host: v.S3_HOST || v.HOST,
      domains: v.S3_DOMAIN,
      region: v.S3_REGION,
      hosts: v.S3_HOSTS,
      signatureV2: v.S3_SIGNATURE_V2,
      keysWithoutTls: v.S3_KEYS_WITHOUT_TLS,
      websiteDomains: v.S3_WEBSITE_DOMAIN,
      publicUrl: v.S3_PUBLIC_URL,
      defaultOwnership: v.S3_DEFAULT_OWNERSHIP,
      lifecycleDayMs: v.S3_LIFECYCLE_DAY_SECONDS * 1000,
    },
    host: v.HOST,
    port: v.PORT,
    drainMs: v.DRAIN_SECONDS * 1000,
    publicBaseUrl: v.PUBLIC_BASE_URL || `http://${nameOfHost(v.HOST)}:${v.PORT}`,
    trustedProxies: v.TRUSTED_PROXIES,
    corsOrigins: v.CORS_ORIGINS,
    ratePublic: v.RATE_LIMIT_PUBLIC,
    rateCostly: v.RATE_LIMIT_COSTLY,
    requestTimeoutMs: v.REQUEST_TIMEOUT_SECONDS * 1000,
    maxConnections: v.MAX_CONNECTIONS,
    maxConnectionsOfOne: Math.ceil(v.MAX_CONNECTIONS / 4),
    uploadsPerSender: v.UPLOADS_PER_SENDER,
    uploadsPerLink: v.UPLOADS_PER_LINK,
    openUploads: v.OPEN_UPLOADS_PER_PERSON,
    bootstrap: {
      adminEmail: v.BOOTSTRAP_ADMIN_EMAIL,
      adminPassword: v.BOOTSTRAP_ADMIN_PASSWORD || null,
      accessKey: v.BOOTSTRAP_ACCESS_KEY_ID
        ? { accessKeyId: v.BOOTSTRAP_ACCESS_KEY_ID, secret: v.BOOTSTRAP_SECRET_ACCESS_KEY }
        : null,
      buckets: v.BOOTSTRAP_BUCKETS,
    },
    setupLink: v.SETUP_LINK && !isGiven('BOOTSTRAP_ADMIN_EMAIL', 'BOOTSTRAP_ADMIN_PASSWORD', 'BOOTSTRAP_ACCESS_KEY_ID'),
    bcryptCost: v.BCRYPT_COST,
    fixedSettings,
    blobGraceSeconds: v.BLOB_GRACE_SECONDS,
    mirrorTimeoutMs: v.MIRROR_TIMEOUT_SECONDS * 1000,
    scrubDays: v.SCRUB_DAYS,
    scrubMibPerSecond: v.SCRUB_MIB_PER_SECOND,
    diskReserveBytes: v.DISK_RESERVE_BYTES,
    inlineMaxBytes: v.INLINE_MAX_BYTES,
    sha256: v.SHA256,
    imageCacheBytes: Math.floor(v.IMAGE_CACHE_BYTES / share.of),
    imageCacheBase,
    imageCacheDir: path.join(imageCacheBase, IMAGE_FOLDER, `${share.n}`),
    cores: Math.max(1, Math.floor(os.availableParallelism() / share.of)),
    // runtime.ts sets it; a program that embeds us may not, and then it is libuv's default.
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
    mail: { allowed: v.MAIL_ALLOWED_CIDRS, ca: v.MAIL_CA_FILE, timeoutMs: v.MAIL_TIMEOUT_SECONDS * 1000 },
    auditCheckpointFile: v.AUDIT_CHECKPOINT_FILE || null,
    metrics: v.METRICS,
    metricsToken: v.METRICS_TOKEN || null,
    slowRequestMs: v.SLOW_REQUEST_MS,
    traces: tracesOf(v),
    logLevel: v.LOG_LEVEL,
    announce: v.ANNOUNCE,
  }
}
