import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CreateBucketCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { compareKeys } from '../../contract/permissions.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { outcome, type s3World, startS3 } from './s3.ts'

const B = 'lists'
const KEYS = [
  'a',
  'a/1',
  'a/2',
  'a/b/1',
  'a//',
  'a//x',
  'b',
  'b/',
  'b/1',
  'b/2',
  'c-1',
  'c-2',
  'c--3',
  'd/é',
  'd/ü/1',
  'd/😀',
  'e+%f',
  'e <&>',
  'zz/1/2/3',
  'zz/1/4',
].sort(compareKeys)

/** What a list should be: the rules of S3, said in another way than the service has them. */
function expectedList(prefix: string, delimiter: string, after: string): string[] {
  const names = KEYS.filter((key) => key.startsWith(prefix)).map((key) => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    return at < 0 ? key : `PREFIX ${key.slice(0, at + delimiter.length)}`
  })
  const nameOf = (one: string) => one.replace(/^PREFIX /, '')
  const passed = (one: string) =>
    compareKeys(nameOf(one), after) > 0 && !(one !== nameOf(one) && after.startsWith(nameOf(one)))
  return [...new Set(names)].filter(passed)
}

describeEngines('S3: lists', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let s3: S3Client
  before(async () => {
    ;({ server, world, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
    for (const Key of KEYS) await s3.send(new PutObjectCommand({ Bucket: B, Key, Body: Key }))
  })
  after(() => server.stop())

  interface Page {
    Contents?: { Key?: string }[] | undefined
    CommonPrefixes?: { Prefix?: string }[] | undefined
  }
  const namesOf = ({ Contents = [], CommonPrefixes = [] }: Page): string[] =>
    [
      ...Contents.map(({ Key = '' }) => ({ name: Key, text: Key })),
      ...CommonPrefixes.map(({ Prefix = '' }) => ({ name: Prefix, text: `PREFIX ${Prefix}` })),
    ]
      .sort((a, b) => compareKeys(a.name, b.name) || (a.text < b.text ? -1 : 1))
      .map(({ text }) => text)
  const sorted = (names: readonly string[]) =>
    [...names].sort((a, b) => compareKeys(a.replace(/^PREFIX /, ''), b.replace(/^PREFIX /, '')) || (a < b ? -1 : 1))

  async function allV2(query: { Prefix: string; Delimiter: string; StartAfter: string; MaxKeys: number }) {
    const names: string[] = []
    let token: string | undefined
    do {
      const page = await s3.send(
        new ListObjectsV2Command({ Bucket: B, ...query, ContinuationToken: token, EncodingType: 'url' }),
      )
      const decoded = namesOf(page).map((name) => decodeURIComponent(name))
      assert.equal(page.KeyCount, decoded.length)
      assert.ok(decoded.length <= query.MaxKeys)
      names.push(...decoded)
      token = page.NextContinuationToken
      assert.equal(page.IsTruncated, token !== undefined)
    } while (token !== undefined)
    return names
  }
  async function allV1(query: { Prefix: string; Delimiter: string; MaxKeys: number }) {
    const names: string[] = []
    for (let marker: string | undefined; ; ) {
      const page = await s3.send(new ListObjectsCommand({ Bucket: B, ...query, Marker: marker }))
      const found = namesOf(page)
      names.push(...found)
      if (!page.IsTruncated) return names
      marker = page.NextMarker ?? page.Contents?.at(-1)?.Key
      assert.ok(marker)
    }
  }

  it('lists what the rules say, with any prefix, delimiter, start and page', async () => {
    const text = fc.constantFrom('', 'a', 'a/', 'a/b', 'b/', 'c', 'c-', 'd/', 'zz/', 'zz/1', 'x', '😀')
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom('', '/', '-', '1', '//', 'ü/', '😀', '\u{10ffff}'),
        fc.constantFrom('', 'a', 'a/1', 'a/b/', 'b/1', 'c-', 'zz', '😀', ...KEYS),
        fc.constantFrom(1, 2, 3, 1000),
        async (Prefix, Delimiter, StartAfter, MaxKeys) => {
          const expected = sorted(expectedList(Prefix, Delimiter, StartAfter))
          assert.deepEqual(await allV2({ Prefix, Delimiter, StartAfter, MaxKeys }), expected)
          if (StartAfter === '') assert.deepEqual(await allV1({ Prefix, Delimiter, MaxKeys }), expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  itOnce('says what it was asked, and refuses what it cannot read', async () => {
    const page = await s3.send(new ListObjectsV2Command({ Bucket: B, Prefix: 'a/', Delimiter: '/', FetchOwner: true }))
    assert.deepEqual([page.Name, page.Prefix, page.Delimiter, page.MaxKeys], [B, 'a/', '/', 1000])
    assert.match(page.Contents?.[0]?.Owner?.ID ?? '', /^[0-9a-f]{64}$/)
    assert.equal((await s3.send(new ListObjectsV2Command({ Bucket: B, MaxKeys: 0 }))).KeyCount, 0)
    const pair = await world.keyOf()
    for (const query of ['max-keys=x', 'max-keys=-1', 'encoding-type=base64', 'list-type=2&continuation-token=x']) {
      const headers = await world.signed(pair, { method: 'GET', path: `/${B}?${query}` })
      assert.equal((await world.send('GET', `/${B}?${query}`, headers)).code, 'InvalidArgument', query)
    }
    const missing = s3.send(new ListObjectsV2Command({ Bucket: 'none-such' }))
    assert.equal(await outcome(missing), 'NoSuchBucket')
  })

  itOnce('every object is its only version', async () => {
    const page = await s3.send(new ListObjectVersionsCommand({ Bucket: B, Prefix: 'b', MaxKeys: 2 }))
    assert.deepEqual(
      page.Versions?.map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest]),
      [
        ['b', 'null', true],
        ['b/', 'null', true],
      ],
    )
    assert.deepEqual([page.IsTruncated, page.NextKeyMarker, page.NextVersionIdMarker], [true, 'b/', 'null'])
  })
})
