import { BlobMissing, isStorageOutage, StorageAway, StorageMissing } from './driver.ts'
import { ListingDisordered, UnexpectedAnswer } from './external.ts'

const OBJECT_GONE = 'The object is not there; if it was deleted just now, try again.'

/** What an administrator is told about these codes: of S3 engines, of sockets and DNS, of TLS, and of files. */
const SENTENCES: readonly [sentence: string, ...codes: string[]][] = [
  ['The storage does not know the access key ID.', 'InvalidAccessKeyId'],
  ['The secret access key is wrong: it does not belong to the access key ID.', 'SignatureDoesNotMatch'],
  ['The credentials have expired or are no longer valid.', 'ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'],
  ['No credentials are given, and none were found on this server.', 'CredentialsProviderError'],
  ['There is no such bucket in the storage.', 'NoSuchBucket'],
  ['The name of the bucket is not valid.', 'InvalidBucketName'],
  ['The region or the endpoint is wrong: the bucket is elsewhere.', 'PermanentRedirect', 'TemporaryRedirect'],
  ['The region is wrong.', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'],
  [
    'The clocks of the storage and of this server are too far apart; correct the wrong one.',
    'RequestTimeTooSkewed',
    'RequestExpired',
  ],
  [OBJECT_GONE, 'NoSuchKey'],
  ['The object is in an archive and must be restored before it can be read.', 'InvalidObjectState'],
  ['The storage is overloaded; try again later.', 'SlowDown', 'ThrottlingException', 'TooManyRequests'],
  ['The storage is unavailable; try again later.', 'ServiceUnavailable'],
  ['The quota of the storage is used up.', 'QuotaExceeded', 'EDQUOT'],
  ['The storage is full.', 'InsufficientStorage', 'XMinioStorageFull', 'ENOSPC'],
  ['The storage does not support this request.', 'NotImplemented', 'MethodNotAllowed'],

  ['The connection was refused: nothing listens at this address and port.', 'ECONNREFUSED'],
  ['The host name of the storage cannot be resolved; check the endpoint.', 'ENOTFOUND', 'EAI_AGAIN'],
  ['The storage did not answer in time.', 'TimeoutError', 'AbortError', 'ETIMEDOUT', 'RequestTimeout'],
  ['The storage broke off the connection.', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'],
  ['This server has no route to the storage.', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  [
    'The endpoint does not speak TLS; its URL may need http:// instead of https://.',
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ],
  ['The endpoint does not speak HTTP; its URL may need https:// instead of http://.', 'HPE_INVALID_CONSTANT'],
  ['The certificate of the storage has expired.', 'CERT_HAS_EXPIRED'],
  ['The certificate of the storage is for another host name.', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [
    'The certificate of the storage is signed by nobody whom this server trusts.',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ],

  ['The folder or a file in it does not exist.', 'ENOENT', 'ENOTDIR'],
  ['This server is not permitted to use the folder.', 'EACCES', 'EPERM'],
  ['The file system of the folder is read-only.', 'EROFS'],
  ['The disk of the folder cannot be read or written.', 'EIO'],
]
/** Any other failure to set up TLS. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_)/

/**
 * One sentence, for administrators, about a call to a storage that failed. Contains no secret: of what an engine says,
 * only a region and, where nothing else is known, its message without URLs' queries and passwords.
 */
export function explain(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    const told = sentenceFor(one)
    if (told) return told
  }
  return `The storage failed: ${withoutSecrets(error instanceof Error ? error.message : String(error)) || 'unknown error'}`
}

/** A refusal of an engine as an answer that says in a sentence what is wrong; any other error as it is. */
export const withExplanation = (error: unknown): unknown =>
  error instanceof Error && 'status' in error && !isStorageOutage(error)
    ? new UnexpectedAnswer(explain(error).replace(/\.$/, ''), { cause: error })
    : error

// Told by their fields: S3Failure's module would load the SDK, which takes a third of a second.
function sentenceFor(error: Error & { code?: unknown; status?: unknown }): string | undefined {
  if (error instanceof StorageMissing || error instanceof StorageAway) return `${error.message}.`
  if (error instanceof ListingDisordered) return error.message
  if (error instanceof BlobMissing) return 'Bytes that should be in the storage are missing or incomplete.'
  const code = typeof error.code === 'string' && error.code !== 'Error' ? error.code : error.name
  if (code === 'AuthorizationHeaderMalformed') {
    const region = /expecting '([a-z0-9-]{1,64})'/.exec(error.message)?.[1]
    if (region) return `The region is wrong; the storage expects ${region}.`
  }
  const known = SENTENCES.find(([, ...codes]) => codes.includes(code))
  if (known) return known[0]
  if (CERTIFICATE.test(code)) return `No secure connection could be made (${code}).`
  const call = /^S3 (\w+):/.exec(error.message)?.[1]
  if (error.status === 401 || error.status === 403 || code === 'AccessDenied')
    return call ? `The storage denies ${call} to these credentials.` : 'The storage denies this to these credentials.'
  if (error.status === 404 && /^(Head|Get)Object$/.test(call ?? '')) return OBJECT_GONE
  const told = typeof error.status === 'number' ? sentenceForStatus(error.status) : undefined
  if (told) return told
  // What the SDK adds to its own error when it cannot read an answer.
  if (/Deserialization error/.test(error.message)) return 'The endpoint does not answer like an S3 engine.'
  if (/Region is missing/.test(error.message)) return 'A region or an endpoint is needed.'
  return undefined
}

function sentenceForStatus(status: number): string | undefined {
  if (status >= 300 && status < 400)
    return 'The region or the endpoint is wrong: the storage refers to another address.'
  if (status === 404) return 'What was asked for is not there; check the endpoint and the bucket.'
  if (status === 405 || status === 501) return 'The storage does not support this request.'
  if (status === 429) return 'The storage is overloaded; try again later.'
  if (status === 507) return 'The storage is full.'
  if (status === 503) return 'The storage is unavailable; try again later.'
  if (status >= 500) return `The storage has a fault of its own (HTTP ${status}); try again later, and look at its log.`
  return undefined
}

/** Most characters of a message that are looked at: it comes from the storage. */
const MOST_MESSAGE = 2000

/** The first line of a message, of bounded length. */
const withoutSecrets = (message: string): string =>
  (message.trim().split('\n', 1)[0] as string)
    .slice(0, MOST_MESSAGE)
    .replace(/\/\/[^\s/@]*@/g, '//')
    .replace(/\S+/g, (word) => withoutQuery(word))
    .replace(
      /\b((?:secret|signature|credential|password|token|authorization|x-amz)[\w-]{0,40})\s{0,4}[=:]\s{0,4}\S+/gi,
      '$1=…',
    )
    .slice(0, 300)

/** A word without the query of a URL in it. */
function withoutQuery(word: string): string {
  const url = word.search(/https?:\/\//)
  const query = url < 0 ? -1 : word.indexOf('?', url)
  return query < 0 ? word : word.slice(0, query)
}
