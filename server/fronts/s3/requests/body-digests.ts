import { createHash } from 'node:crypto'
import { createDigest } from '../../../blobs/digest.ts'
import { S3Error } from '../errors.ts'
import { claimedChecksum, claimedMd5 } from './checksums.ts'
import { bodyOf, type Exchange } from './exchange.ts'

/** A small body whose claimed digests, if there are any, are right; throws BadDigest at its end. */
export async function* verified(exchange: Exchange): AsyncGenerator<Uint8Array> {
  const md5 = claimedMd5(exchange)
  const claimed = claimedChecksum(exchange, new Map())
  const digest = claimed?.value === undefined ? undefined : await createDigest(claimed.algorithm)
  const hash = createHash('md5')
  for await (const chunk of bodyOf(exchange)) {
    hash.update(chunk)
    digest?.update(chunk)
    yield chunk
  }
  const isRight = digest === undefined || digest.digest().toString('base64') === claimed?.value
  if (!isRight || (md5 !== undefined && hash.digest('hex') !== md5))
    throw new S3Error(
      'BadDigest',
      'The Content-MD5 or checksum value that you specified did not match what the server received.',
    )
}
