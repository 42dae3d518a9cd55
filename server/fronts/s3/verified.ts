import { createHash } from 'node:crypto'
import { checksumAlgorithms } from '../../../contract/shapes.ts'
import { createDigest } from '../../blobs/digest.ts'
import { claimedMd5 } from './checksums.ts'
import { S3Error } from './errors.ts'
import { bodyOf, type Exchange, header } from './exchange.ts'

/** A small body whose claimed digests, if there are any, are right; throws BadDigest at its end. */
export async function* verified(exchange: Exchange): AsyncGenerator<Uint8Array> {
  const md5 = claimedMd5(exchange)
  const claims = checksumAlgorithms.flatMap((algorithm) => {
    const value = header(exchange, `x-amz-checksum-${algorithm}`)
    return value === undefined ? [] : [{ algorithm, value }]
  })
  const digests = await Promise.all(claims.map(({ algorithm }) => createDigest(algorithm)))
  const hash = createHash('md5')
  for await (const chunk of bodyOf(exchange)) {
    hash.update(chunk)
    for (const digest of digests) digest.update(chunk)
    yield chunk
  }
  const right = claims.every(({ value }, i) => digests[i]?.digest().toString('base64') === value)
  if (!right || (md5 !== undefined && hash.digest('hex') !== md5))
    throw new S3Error(
      'BadDigest',
      'The Content-MD5 or checksum value that you specified did not match what the server received.',
    )
}
