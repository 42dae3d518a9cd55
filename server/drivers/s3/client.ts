import { S3Client } from '@aws-sdk/client-s3'

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
}
export interface S3Options {
  bucket: string
  /** Prepended to every key; empty or ends with a slash. */
  prefix: string
  /** Default: AWS. */
  endpoint?: string | undefined
  /** Default without an endpoint: the SDK's usual sources. */
  region?: string | undefined
  /** Whether the bucket is in the path instead of the host name; by default, if there is an endpoint. */
  pathStyle?: boolean | undefined
  /** Default: the SDK's usual sources. */
  credentials?: S3Credentials | undefined
  /** Whether clients may be given URLs of the engine. */
  direct?: boolean | undefined
  /** Sizes that tests reduce. */
  limits?: { single: number; part: number } | undefined
}

/** Codes of sockets, DNS, the SDK's own timers, and engines. */
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

/** A failed response of the engine, or none: what the SDK says about it, without its request. */
export class S3Failure extends Error {
  /** The S3 error code, such as NoSuchKey. */
  readonly code: string
  readonly status: number | undefined
  /** Whether the engine was unreachable or overloaded, so that a later try may succeed. */
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

/** The response to a call; rejects with an S3Failure. */
export const ask = <T>(call: string, request: Promise<T>): Promise<T> =>
  request.catch((error: unknown) => {
    throw new S3Failure(call, error)
  })

/** Returns undefined if the engine responds with one of these codes. */
export const unless = async <T>(codes: readonly string[], result: Promise<T>): Promise<T | undefined> => {
  try {
    return await result
  } catch (error) {
    if (error instanceof S3Failure && codes.includes(error.code)) return undefined
    throw error
  }
}

/**
 * A client that gives up on what hangs: 10 s for a connection, 60 s without a byte. It tries three times if the body is
 * a buffer or there is none; a stream is sent once.
 */
export function connect({ endpoint, region, pathStyle, credentials }: S3Options): S3Client {
  // The SDK would log warnings to the console, such as for a failed stream, which is the caller's to report.
  const logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }
  const agent = { keepAlive: true, maxSockets: 256 }
  return new S3Client({
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    // Engines that do not know checksums in trailers refuse them (Ceph answers 411). Whoever needs it compares the
    // bytes received with our own hashes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK would open a separate connection for every body of 2 MiB or more.
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
