import { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import { connect } from '../../server/drivers/s3/client.ts'
import type { Gateway } from '../support/ceph.ts'
import type { Logged } from './proxy.ts'

/** A key's place in a walk through folders, as a text: there is no NUL in keys. */
export const placeInWalk = (key: string): Buffer => Buffer.from(key.replaceAll('/', '\0'))
export const byWalk = (a: string, b: string): number => Buffer.compare(placeInWalk(a), placeInWalk(b))

const PAGE = 1000

/**
 * The answer to a request for a list that an engine would give that walks through folders, as SeaweedFS does: made of what
 * the tests' engine has. `most`: keys of a page.
 */
export async function listBySegments(gateway: Gateway, { path, query }: Logged, most = PAGE) {
  const Bucket = decodeURIComponent(path.split('/')[1] ?? '')
  const Prefix = query.get('prefix') ?? ''
  const endpoint = new URL(gateway.url).searchParams.get('endpoint') ?? ''
  const client = connect({ bucket: Bucket, prefix: '', endpoint, credentials: gateway.credentials })
  const all: s3._Object[] = []
  try {
    for (let StartAfter: string | undefined; ; ) {
      const page: s3.ListObjectsV2CommandOutput = await client.send(
        new s3.ListObjectsV2Command({ Bucket, Prefix, StartAfter }),
      )
      all.push(...(page.Contents ?? []))
      StartAfter = page.Contents?.at(-1)?.Key
      if (!page.IsTruncated) break
    }
  } finally {
    client.destroy()
  }
  const token = query.get('continuation-token')
  const after = token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'hex').toString()
  const left = all
    .filter(({ Key = '' }) => byWalk(Key, after) > 0)
    .sort((one, two) => byWalk(one.Key ?? '', two.Key ?? ''))
  const shown = left.slice(0, Math.min(most, Number(query.get('max-keys') ?? PAGE)))
  const isCut = left.length > shown.length
  const next = Buffer.from(shown.at(-1)?.Key ?? '').toString('hex')
  const entries = shown.map(
    ({ Key = '', Size = 0, ETag = '', LastModified }) =>
      `<Contents><Key>${encodeURIComponent(Key)}</Key><LastModified>${LastModified?.toISOString()}</LastModified><ETag>${ETag.replaceAll('"', '&quot;')}</ETag><Size>${Size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  )
  const xml = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${Bucket}</Name><Prefix>${encodeURIComponent(Prefix)}</Prefix><EncodingType>url</EncodingType><KeyCount>${shown.length}</KeyCount><MaxKeys>${PAGE}</MaxKeys><IsTruncated>${isCut}</IsTruncated>${isCut ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}${entries.join('')}</ListBucketResult>`
  return Object.assign(Readable.from([Buffer.from(xml)]), {
    statusCode: 200,
    rawHeaders: ['content-type', 'application/xml'],
  })
}
