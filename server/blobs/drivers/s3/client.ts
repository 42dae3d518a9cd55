import { S3Client } from '@aws-sdk/client-s3'

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
}
export interface S3Options {
  bucket: string
  /** Before every key; empty or ends with a slash. */
  prefix: string
  /** Without one it is AWS. */
  endpoint?: string | undefined
  /** Without one, and with no endpoint, the SDK looks for it. */
  region?: string | undefined
  /** Whether the bucket is in the path instead of the host name; as a rule so where there is an endpoint. */
  pathStyle?: boolean | undefined
  /** Without them the SDK looks for some. */
  credentials?: S3Credentials | undefined
  /** Whether clients may be given URLs of the engine. */
  direct?: boolean | undefined
  /** Sizes that tests make small. */
  limits?: { single: number; part: number } | undefined
}

/** Of the socket and of DNS, of the SDK's own timers, and what engines say. */
const OUTAGES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'TimeoutError',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'SlowDown',
  'ServiceUnavailable',
  'RequestTimeout',
  'ThrottlingException',
  'TooManyRequests',
])

/** An answer of the engine that is a failure, or none: what the SDK says of it, without its request. */
export class S3Failure extends Error {
  /** What S3 calls it, e.g. NoSuchKey. */
  readonly code: string
  readonly status: number | undefined
  /** Whether it could not be reached, or has too much to do: again later it may do the same. */
  readonly outage: boolean
  constructor(call: string, error: unknown) {
    const { name, message, code, $metadata } = error as Error & {
      code?: string
      $metadata?: { httpStatusCode?: number; requestId?: string }
    }
    const status = $metadata?.httpStatusCode
    const said = [name, message].filter(
      (text, i, all) => text && !/^(Unknown)?Error$/.test(text) && all.indexOf(text) === i,
    )
    super(`S3 ${call}: ${said.join(', ') || 'failed'}${status ? ` (HTTP ${status})` : ''}`)
    this.code = code ?? name
    this.status = status
    this.outage =
      status === 429 || ((status ?? 0) >= 502 && status !== 507) || [this.code, name].some((one) => OUTAGES.has(one))
  }
}

/** The answer to a call, whose failure is an S3Failure. */
export const ask = <T>(call: string, request: Promise<T>): Promise<T> =>
  request.catch((error: unknown) => {
    throw new S3Failure(call, error)
  })

/** Gives undefined where the engine says one of these. */
export const unless = async <T>(codes: readonly string[], result: Promise<T>): Promise<T | undefined> => {
  try {
    return await result
  } catch (error) {
    if (error instanceof S3Failure && codes.includes(error.code)) return undefined
    throw error
  }
}

/**
 * A client that gives up on what hangs: 10 s for a connection, 60 s in which no byte moves. It tries three times where
 * the body is a buffer or there is none; a stream it sends once.
 */
export function connect({ endpoint, region, pathStyle, credentials }: S3Options): S3Client {
  // It would warn on the console, e.g. of a stream that failed, which is the caller's to tell.
  const logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }
  const agent = { keepAlive: true, maxSockets: 256 }
  return new S3Client({
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    // Checksums in trailers are refused by engines that do not know them (Ceph answers 411). What came in is compared
    // with our own hashes by whoever needs it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK would open a connection of its own for every body of 2 MiB or more.
    expectContinueHeader: false,
    logger,
    maxAttempts: 3,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: 10_000,
      socketTimeout: 60_000,
      httpAgent: agent,
      httpsAgent: agent,
      logger,
    },
    ...(endpoint !== undefined && { endpoint }),
    ...((region !== undefined || endpoint !== undefined) && { region: region ?? 'us-east-1' }),
    ...(credentials && { credentials }),
  })
}

const ignore = () => {}
