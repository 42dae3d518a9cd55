import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { SaxesParser } from 'saxes'
import { operations } from '../../server/fronts/s3/operations/operations.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { type Answer, type Pair, type s3World, startS3 } from './s3.ts'

// What S3 answers in cases that AWS documents; each table names the pages.

const B = 'letter'
/** A version and an upload that can be, and are not. */
const ID = '01890000-0000-7000-8000-000000000000'

describeEngines('S3 to the letter', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B, ObjectLockEnabledForBucket: true }))
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'k', Body: '0123456789' }))
  })
  after(() => server.stop())

  const ask = async (
    method: string,
    path: string,
    { headers = {}, body = '', as = pair }: { headers?: Record<string, string>; body?: string; as?: Pair } = {},
  ): Promise<Answer> => world.send(method, path, await world.signed(as, { method, path, headers, body }), body)
  const ends = ({ status, code }: Answer) => (code === '' ? String(status) : `${status} ${code}`)
  /** Refusals that change nothing. */
  const refuses = async (
    cases: readonly (readonly [what: string, ...Parameters<typeof ask>, expected: string])[],
  ): Promise<void> => {
    await server.records([], async () => {
      for (const [what, method, path, options, expected] of cases as [string, string, string, object, string][])
        assert.equal(ends(await ask(method, path, options)), expected, what)
    })
  }

  /** A request for an operation in a bucket, whose version, upload, body and headers are all wrong. */
  function garbageFor({ method, on, query, item, copies, name }: (typeof operations)[number], bucket: string) {
    const asked = typeof query === 'object' ? query.join('=') : query
    const search = [
      ...(asked === undefined ? [] : [asked === 'uploadId' ? 'uploadId=none' : asked]),
      ...(item ? ['id=none'] : []),
      ...(name.startsWith('UploadPart') ? ['partNumber=0'] : []),
      ...(on === 'object' ? ['versionId=invalid'] : []),
      ...(name.startsWith('List') ? ['max-keys=x', 'max-uploads=x', 'max-parts=x'] : []),
    ]
    const path = `/${bucket}${on === 'object' ? '/k' : ''}${search.length > 0 ? `?${search.join('&')}` : ''}`
    const headers = {
      ...(copies ? { 'x-amz-copy-source': 'nonsense' } : {}),
      ...(method === 'PUT' ? { 'x-amz-acl': 'nonsense', 'x-amz-tagging': '=', 'x-amz-checksum-crc32': '!' } : {}),
      'x-amz-object-attributes': 'nonsense',
    }
    return [method, path, { headers, body: method === 'PUT' || method === 'POST' ? '<nonsense' : '' }] as const
  }

  // https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
  itOnce('says that a bucket does not exist before anything else, and to nobody without a right in it', async () => {
    const without = await world.keyOf(await server.userWith({ bucket_pattern: 'other', actions: ['list', 'create'] }))
    const inside = operations.filter(({ on, creates, form }) => on !== 'service' && !creates && !form)
    assert.ok(inside.length > 60)
    await server.records([], async () => {
      for (const operation of inside) {
        const answer = await ask(...garbageFor(operation, 'none-such'))
        assert.equal(answer.status, 404, operation.name)
        if (operation.method !== 'HEAD') assert.equal(answer.code, 'NoSuchBucket', operation.name)
      }
    })
    for (const operation of inside) {
      const said = [B, 'none-such'].map(async (bucket) => {
        const [method, path, options] = garbageFor(operation, bucket)
        const { status, code, text } = await ask(method, path, { ...options, as: without })
        return [status, code, text.replace(bucket, 'b').replaceAll(/<(RequestId|HostId)>.*?</g, '')]
      })
      const [there, absent] = await Promise.all(said)
      assert.deepEqual(there, absent, operation.name)
      assert.equal(there?.[0], 403, operation.name)
    }
  })

  itOnce('reads no document for whoever may not have it carried out', async () => {
    const reader = await world.keyOf(await server.userWith({ bucket_pattern: B, actions: ['list', 'read'] }))
    for (const operation of operations) {
      const { name, needs } = operation
      if (needs === undefined) continue
      const [method, path, options] = garbageFor(operation, B)
      const answer = await ask(method, path.replace(/&?versionId=invalid/, ''), { ...options, as: reader })
      assert.equal(answer.code, 'AccessDenied', name)
    }
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, …/API_DeleteObject.html,
  // …/userguide/DeleteMarker.html: the only operation on a delete marker is DELETE
  it('tells versions that cannot be from those that are not, and markers from both', async () => {
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'gone', Body: 'x' }))
    const { VersionId: marker } = await s3.send(new DeleteObjectCommand({ Bucket: B, Key: 'gone' }))
    const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'
    const until = new Date(server.clock.now().getTime() + 86_400_000).toISOString()
    const retention = `<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`
    const hold = '<LegalHold><Status>ON</Status></LegalHold>'
    const takers: [method: string, query: string, options: { headers?: Record<string, string>; body?: string }][] = [
      ['GET', '', {}],
      ['HEAD', '', {}],
      ['GET', 'tagging', {}],
      ['PUT', 'tagging', { body: tags }],
      ['DELETE', 'tagging', {}],
      ['GET', 'retention', {}],
      ['PUT', 'retention', { body: retention }],
      ['GET', 'legal-hold', {}],
      ['PUT', 'legal-hold', { body: hold }],
      ['GET', 'acl', {}],
      ['PUT', 'acl', { headers: { 'x-amz-acl': 'private' } }],
      ['GET', 'attributes', { headers: { 'x-amz-object-attributes': 'ETag' } }],
    ]
    await server.records([], async () => {
      for (const [method, query, options] of takers) {
        const path = (key: string, version: string) =>
          `/${B}/${key}?${query === '' ? '' : `${query}&`}versionId=${version}`
        const isHead = method === 'HEAD'
        const what = `${method} ${query}`
        for (const wrong of ['invalid', '', `${ID}x`, '%27', 'NULL']) {
          const answer = await ask(method, path('k', wrong), options)
          assert.equal(ends(answer), isHead ? '400' : '400 InvalidArgument', `${what} ${wrong}`)
        }
        assert.equal(ends(await ask(method, path('k', ID), options)), isHead ? '404' : '404 NoSuchVersion', what)
        const answer = await ask(method, path('gone', marker ?? ''), options)
        assert.equal(ends(answer), isHead ? '405' : '405 MethodNotAllowed', what)
        const { 'x-amz-delete-marker': isMarker, 'last-modified': changed, allow } = answer.headers
        assert.deepEqual([isMarker, changed, allow], ['true', server.clock.now().toUTCString(), 'DELETE'], what)
        if (method !== 'PUT' && method !== 'DELETE') continue
        assert.equal(ends(await ask(method, `/${B}/gone?${query}`, options)), '405 MethodNotAllowed', what)
      }
    })
    const current = await ask('GET', `/${B}/gone`)
    assert.deepEqual([current.code, current.headers['x-amz-delete-marker']], ['NoSuchKey', 'true'])
    const never = await ask('GET', `/${B}/never`)
    assert.deepEqual([never.code, never.headers['x-amz-delete-marker']], ['NoSuchKey', undefined])
    const copy = (source: string) => ({ headers: { 'x-amz-copy-source': source } })
    const upload = await s3.send(new CreateMultipartUploadCommand({ Bucket: B, Key: 'parts' }))
    const part = `/${B}/parts?partNumber=1&uploadId=${upload.UploadId}`
    await refuses([
      ['deleted', 'DELETE', `/${B}/k?versionId=invalid`, {}, '400 InvalidArgument'],
      ['copied', 'PUT', `/${B}/copy`, copy(`${B}/k?versionId=invalid`), '400 InvalidArgument'],
      ['copied, absent', 'PUT', `/${B}/copy`, copy(`${B}/k?versionId=${ID}`), '404 NoSuchVersion'],
      ['copied, marker', 'PUT', `/${B}/copy`, copy(`${B}/gone?versionId=${marker}`), '400 InvalidRequest'],
      ['copied, hidden by a marker', 'PUT', `/${B}/copy`, copy(`${B}/gone`), '404 NoSuchKey'],
      ['part', 'PUT', part, copy(`${B}/k?versionId=invalid`), '400 InvalidArgument'],
      ['part, absent', 'PUT', part, copy(`${B}/k?versionId=${ID}`), '404 NoSuchVersion'],
      ['part, marker', 'PUT', part, copy(`${B}/gone?versionId=${marker}`), '400 InvalidRequest'],
      ['written', 'PUT', `/${B}/k?versionId=${ID}`, { body: 'x' }, '400 InvalidArgument'],
      ['begun', 'POST', `/${B}/k?uploads&versionId=${ID}`, {}, '400 InvalidArgument'],
      ['marked', 'GET', `/${B}?versions&key-marker=k&version-id-marker=invalid`, {}, '400 InvalidArgument'],
    ])
    assert.equal(ends(await ask('DELETE', `/${B}/k?versionId=${ID}`)), '204')
    // https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html: each has a result of its own
    const body = `<Delete><Object><Key>k</Key><VersionId>invalid</VersionId></Object><Object><Key>none</Key><VersionId>${ID}</VersionId></Object></Delete>`
    const { text } = await ask('POST', `/${B}?delete`, { body })
    assert.match(text, /<Error><Key>k<\/Key><VersionId>invalid<\/VersionId><Code>InvalidArgument<\/Code>/)
    assert.match(text, new RegExp(`<Deleted><Key>none</Key><VersionId>${ID}</VersionId></Deleted>`))
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html; docs/s3.md has what differs
  it('a condition on what is hidden by a delete marker makes no other marker', async () => {
    const key = 'conditional'
    await s3.send(new PutObjectCommand({ Bucket: B, Key: key, Body: 'x' }))
    await s3.send(new DeleteObjectCommand({ Bucket: B, Key: key }))
    const { text } = await ask('GET', `/${B}?versions&prefix=${key}`)
    const seconds = server.clock.now().toUTCString()
    await server.records([], async () => {
      for (const [headers, expected] of [
        [{ 'if-match': '*' }, '204'],
        [{ 'if-match': '"d41d8cd98f00b204e9800998ecf8427e"' }, '412 PreconditionFailed'],
        [{ 'if-match': '""' }, '412 PreconditionFailed'],
        [{ 'x-amz-if-match-size': '0' }, '412 PreconditionFailed'],
        [{ 'x-amz-if-match-last-modified-time': seconds }, '412 PreconditionFailed'],
        [{ 'if-match': '*', 'x-amz-if-match-size': '0' }, '412 PreconditionFailed'],
      ] as const) {
        const answer = await ask('DELETE', `/${B}/${key}`, { headers })
        assert.equal(ends(answer), expected, JSON.stringify(headers))
        assert.equal(answer.headers['x-amz-version-id'], undefined)
      }
      const named = (etag: string) => `<Delete><Object><Key>${key}</Key><ETag>${etag}</ETag></Object></Delete>`
      assert.match((await ask('POST', `/${B}?delete`, { body: named('x') })).text, /<Code>PreconditionFailed</)
      assert.match(
        (await ask('POST', `/${B}?delete`, { body: named('*') })).text,
        /<Deleted><Key>conditional<\/Key><\/D/,
      )
    })
    assert.equal((await ask('GET', `/${B}?versions&prefix=${key}`)).text, text)
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html, …/API_ListParts.html, …/API_ListBuckets.html
  itOnce('refuses numbers that are none, or out of range', async () => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: B, Key: 'numbers' }))
    for (const [path, name] of [
      [`/${B}?`, 'max-keys'],
      [`/${B}?list-type=2`, 'max-keys'],
      [`/${B}?versions`, 'max-keys'],
      [`/${B}?uploads`, 'max-uploads'],
      [`/${B}/numbers?uploadId=${UploadId}`, 'max-parts'],
      [`/${B}/numbers?uploadId=${UploadId}`, 'part-number-marker'],
      ['/?', 'max-buckets'],
    ] as const) {
      for (const value of ['abc', '-1', '1.5', '1e3', '0x10', '%201', '2147483648', '99999999999', '%EF%BC%91']) {
        const answer = await ask('GET', `${path}&${name}=${value}`)
        assert.equal(ends(answer), '400 InvalidArgument', `${name}=${value}`)
        assert.ok(answer.text.includes(`<ArgumentName>${name}<`))
      }
      assert.equal(ends(await ask('GET', `${path}&${name}=7`)), '200', name)
      assert.equal(ends(await ask('GET', `${path}&${name}=`)), '200', name)
    }
    for (const value of ['0', '10001'])
      assert.equal(ends(await ask('GET', `/?max-buckets=${value}`)), '400 InvalidArgument')
    for (const value of ['0', '10001', 'abc', '-1', '']) {
      const path = `/${B}/numbers?uploadId=${UploadId}&partNumber=${value}`
      assert.equal(ends(await ask('PUT', path, { body: 'x' })), '400 InvalidArgument', value)
    }
  })

  // https://www.rfc-editor.org/rfc/rfc9110#section-14.1.1 and 5.6.1; a range that is none is ignored
  itOnce('ignores ranges that are not grammatical', async () => {
    for (const range of [
      'bytes= -1',
      'bytes= 0-1',
      'bytes=0 -1',
      'bytes=0- 1',
      'bytes=-1,',
      'bytes=,0-1',
      'bytes =0-1',
    ])
      for (const [status, text] of [
        await ask('GET', `/${B}/k`, { headers: { range } }).then((one) => [one.status, one.text] as const),
        await fetch(`${server.url}/api/v1/buckets/${B}/objects/k`, {
          headers: { authorization: `Bearer ${server.adminToken}`, range },
        }).then(async (one) => [one.status, await one.text()] as const),
      ])
        assert.deepEqual([status, text], [200, '0123456789'], range)
    assert.equal((await ask('GET', `/${B}/k`, { headers: { range: 'bytes=-1' } })).text, '9')
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html, …/API_PutObjectAcl.html
  itOnce('takes an ACL in headers or in a document: one, and not both', async () => {
    const Bucket = 'with-acls'
    await s3.send(new CreateBucketCommand({ Bucket }))
    const rules = { Rules: [{ ObjectOwnership: 'ObjectWriter' as const }] }
    await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: rules }))
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
    for (const path of [`/${Bucket}?acl`, `/${Bucket}/k?acl`]) {
      await ask('PUT', path, { headers: { 'x-amz-acl': 'public-read' } })
      const before = (await ask('GET', path)).text
      assert.match(before, /AllUsers/)
      const [, id = ''] = /<ID>(.*?)</.exec(before) ?? []
      const owner = `<Owner><ID>${id}</ID></Owner>`
      const grant = (grantee: string, permission = 'READ') =>
        `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ${grantee}</Grantee><Permission>${permission}</Permission></Grant>`
      const own = `xsi:type="CanonicalUser"><ID>${id}</ID>`
      const acl = (inner: string, by = owner) =>
        `<AccessControlPolicy>${by}<AccessControlList>${inner}</AccessControlList></AccessControlPolicy>`
      const canned = { 'x-amz-acl': 'private' }
      const granted = { 'x-amz-grant-read': `id=${id}` }
      const malformed = '400 MalformedACLError'
      await refuses([
        ['neither', 'PUT', path, {}, '400 MissingSecurityHeader'],
        ['both', 'PUT', path, { headers: canned, body: acl(grant(own)) }, '400 UnexpectedContent'],
        ['grants and a document', 'PUT', path, { headers: granted, body: acl('') }, '400 UnexpectedContent'],
        ['both kinds of headers', 'PUT', path, { headers: { ...canned, ...granted } }, '400 InvalidRequest'],
        ['an unknown ACL', 'PUT', path, { headers: { 'x-amz-acl': 'invalid' } }, '400 InvalidArgument'],
        ['no XML', 'PUT', path, { body: '<AccessControlPolicy' }, malformed],
        ['another document', 'PUT', path, { body: '<Tagging/>' }, malformed],
        ['no list', 'PUT', path, { body: `<AccessControlPolicy>${owner}</AccessControlPolicy>` }, malformed],
        ['no owner', 'PUT', path, { body: acl(grant(own), '') }, malformed],
        ['an owner without an id', 'PUT', path, { body: acl(grant(own), '<Owner><ID/></Owner>') }, malformed],
        ['another permission', 'PUT', path, { body: acl(grant(own, 'READS')) }, malformed],
        ['another kind', 'PUT', path, { body: acl(grant(own.replace('CanonicalUser', 'Robot'))) }, malformed],
        ['a kind that it is not', 'PUT', path, { body: acl(grant(own.replace('CanonicalUser', 'Group'))) }, malformed],
        [
          'an unknown group',
          'PUT',
          path,
          { body: acl(grant('xsi:type="Group"><URI>http://acs.amazonaws.com/groups/global/Nobody</URI>')) },
          '400 InvalidArgument',
        ],
        ['no grantee', 'PUT', path, { body: acl('<Grant><Permission>READ</Permission></Grant>') }, malformed],
        ['an empty id', 'PUT', path, { body: acl(grant('xsi:type="CanonicalUser"><ID></ID>')) }, malformed],
        ['no grant', 'PUT', path, { body: acl('<Other/>') }, malformed],
        [
          'another owner',
          'PUT',
          path,
          { body: acl(grant(own), `<Owner><ID>${'0'.repeat(64)}</ID></Owner>`) },
          '403 AccessDenied',
        ],
      ])
      assert.equal((await ask('GET', path)).text, before)
      assert.equal(ends(await ask('PUT', path, { body: acl(grant(own, 'FULL_CONTROL')) })), '200')
      assert.doesNotMatch((await ask('GET', path)).text, /AllUsers/)
    }
    await server.admin.updateSettings({ body: { s3: { public_access: false } } })
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html and …/userguide/ManageCorsUsing.html
  itOnce('takes the CORS documents of AWS, and answers browsers with all that they asked for', async () => {
    const rule = (inner: string) =>
      `<CORSConfiguration><CORSRule><AllowedOrigin>http://www.example.com</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>${inner}</CORSRule></CORSConfiguration>`
    const put = (inner: string) => ask('PUT', `/${B}?cors`, { body: rule(inner) })
    for (const inner of [
      '<AllowedHeader>*</AllowedHeader><MaxAgeSec>3000</MaxAgeSec><ExposeHeader>x-amz-request-id</ExposeHeader>',
      '<ID></ID><AllowedHeader></AllowedHeader><ExposeHeader></ExposeHeader><MaxAgeSeconds></MaxAgeSeconds>',
      '<AllowedHeader>x-*</AllowedHeader><AllowedHeader>authorization</AllowedHeader><MaxAgeSeconds>9</MaxAgeSeconds>',
    ])
      assert.equal(ends(await put(inner)), '200', inner)
    for (const method of ['PATCH', 'OPTIONS', 'get', '', 'CONNECT'])
      assert.equal(ends(await put(`<AllowedMethod>${method}</AllowedMethod>`)), '400 InvalidRequest', method)
    for (const name of ['invalid header', 'X:Y', 'X(Y)', 'a/b', 'a=b'])
      for (const kind of ['AllowedHeader', 'ExposeHeader'])
        assert.equal(ends(await put(`<${kind}>${name}</${kind}>`)), '400 InvalidRequest', name)
    const preflight = (headers: Record<string, string>) => world.send('OPTIONS', `/${B}/k`, headers)
    const method = 'access-control-request-method'
    const origin = 'http://www.example.com'
    const asked = 'X-Amz-Date,  authorization ,x-amz-content-sha256'
    const right = await preflight({ origin, [method]: 'PUT', 'access-control-request-headers': asked })
    assert.equal(right.headers['access-control-allow-headers'], 'x-amz-date, authorization, x-amz-content-sha256')
    for (const headers of [
      { [method]: 'PUT' },
      { origin: '', [method]: 'PUT' },
      { origin },
      { origin, [method]: 'put' },
      { origin, [method]: 'PATCH' },
      { origin, [method]: 'nonsense' },
      { origin, [method]: 'PUT', 'access-control-request-headers': 'x-amz-date,invalid header' },
      { origin, [method]: 'PUT', 'access-control-request-headers': 'a@b' },
    ] as Record<string, string>[])
      assert.equal(ends(await preflight(headers)), '400 BadRequest', JSON.stringify(headers))
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
  it('lists uploads with a delimiter page by page, each common prefix once', async () => {
    const Bucket = 'uploads'
    await s3.send(new CreateBucketCommand({ Bucket }))
    for (const Key of ['a/1', 'a/2', 'a/3', 'b', 'b', 'c/1', 'c/2', 'd'])
      await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    for (const most of [1, 2, 3, 7]) {
      const seen: string[] = []
      let markers = ''
      for (let more = true; more; ) {
        const { text } = await ask('GET', `/${Bucket}?uploads&delimiter=/&max-uploads=${most}${markers}`)
        const entries = [...text.matchAll(/<Upload><Key>(.*?)<|<CommonPrefixes><Prefix>(.*?)</g)]
        assert.ok(entries.length <= most)
        seen.push(...entries.map(([, key, prefix]) => key ?? prefix ?? '').sort())
        const [, next = '', id = ''] =
          /<NextKeyMarker>(.*?)<\/NextKeyMarker><NextUploadIdMarker>(.*?)<\/NextUploadIdMarker>/.exec(text) ?? []
        markers = `&key-marker=${encodeURIComponent(next)}${id === '' ? '' : `&upload-id-marker=${id}`}`
        if (next.endsWith('/')) assert.equal(id, '')
        more = text.includes('<IsTruncated>true<')
      }
      assert.deepEqual(seen, ['a/', 'b', 'b', 'c/', 'd'], `${most} at a time`)
    }
    const all = (await ask('GET', `/${Bucket}?uploads`)).text
    const alone = (await ask('GET', `/${Bucket}?uploads&upload-id-marker=${ID}`)).text
    assert.equal(alone.match(/<Upload>/g)?.length, all.match(/<Upload>/g)?.length)
    assert.equal(ends(await ask('GET', `/${Bucket}?uploads&upload-id-marker=nonsense`)), '200')
    assert.equal(
      ends(await ask('GET', `/${Bucket}?uploads&key-marker=b&upload-id-marker=nonsense`)),
      '400 InvalidArgument',
    )
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html
  it('lists buckets by prefix first, and pages then', async () => {
    for (const name of ['page-a', 'page-b', 'page-c']) await s3.send(new CreateBucketCommand({ Bucket: name }))
    const first = (await ask('GET', '/?prefix=page-&max-buckets=2')).text
    assert.deepEqual(
      [...first.matchAll(/<Name>(.*?)</g)].map(([, name]) => name),
      ['page-a', 'page-b'],
    )
    const [, token = ''] = /<ContinuationToken>(.*?)</.exec(first) ?? []
    const second = (await ask('GET', `/?prefix=page-&max-buckets=2&continuation-token=${encodeURIComponent(token)}`))
      .text
    assert.deepEqual(
      [...second.matchAll(/<Name>(.*?)</g)].map(([, name]) => name),
      ['page-c'],
    )
    assert.doesNotMatch(second, /<ContinuationToken>/)
    assert.equal(ends(await ask('GET', `/${B}?policyStatus`)), '404 NoSuchBucketPolicy')
  })

  // https://www.w3.org/TR/xml/#charsets
  itOnce('every document is one, whatever keys and requests have', async () => {
    const Bucket = 'unspeakable'
    await s3.send(new CreateBucketCommand({ Bucket }))
    const read = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const parser = new SaxesParser()
        parser.on('error', reject)
        parser.on('end', resolve)
        parser.write(text).close()
      })
    for (const odd of ['%EF%BF%BF', '%EF%BF%BE', '%01', '%1F', '%0B', '%7F', '%C2%85', '%0D', '%09']) {
      const key = `a${odd}`
      await ask('PUT', `/${Bucket}/${key}`, { body: 'x' })
      const begun = await ask('POST', `/${Bucket}/${key}?uploads`)
      const id = /<UploadId>(.*?)</.exec(begun.text)?.[1]
      for (const [method, path, headers] of [
        ['GET', `/${Bucket}`],
        ['GET', `/${Bucket}?list-type=2&prefix=${key}&delimiter=${odd}&start-after=${odd}`],
        ['GET', `/${Bucket}?versions&key-marker=${odd}`],
        ['GET', `/${Bucket}?uploads&prefix=${key}`],
        ['GET', `/${Bucket}/${key}?uploadId=${id}`],
        ['GET', `/${Bucket}/none${odd}`],
        ['GET', `/${Bucket}?max-keys=${odd}`],
        ['GET', `/${Bucket}/${key}?versionId=${odd}`],
        ['PUT', `/${Bucket}/copy`, { 'x-amz-copy-source': `${Bucket}/${key}` }],
        ['PUT', `/${Bucket}/copy`, { 'x-amz-copy-source': odd }],
      ] as const) {
        const answer = await ask(method, path, { headers: headers ?? {} })
        await assert.doesNotReject(read(answer.text), `${method} ${path}: ${answer.text}`)
      }
      await read(begun.text)
      await ask('DELETE', `/${Bucket}/${key}?uploadId=${id}`)
      const encoded = (await ask('GET', `/${Bucket}?encoding-type=url&prefix=a`)).text
      assert.ok(encoded.includes(`<Key>${key}</Key>`), 'it is told as it is where that is asked for')
      await ask('DELETE', `/${Bucket}/${key}`)
    }
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html, …/userguide/object-tagging.html
  it('keeps the tags that a bucket is created with, and refuses those that S3 does not allow', async () => {
    const configuration = (inner: string) =>
      `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Tags>${inner}</Tags></CreateBucketConfiguration>`
    const tag = (key: string, value: string) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`
    const body = configuration(tag('team', 'größe 1 + 2') + tag('a:b/c', '_.=-@'))
    const made = await server.records([{ action: 'create_bucket', bucket: 'tagged' }], () =>
      ask('PUT', '/tagged', { body }),
    )
    assert.deepEqual([ends(made), made.headers['x-amz-bucket-arn']], ['200', 'arn:aws:s3:::tagged'])
    assert.match((await ask('GET', '/tagged?tagging')).text, /<Key>team<\/Key><Value>größe 1 \+ 2</)
    const wrong = [
      ...['user!name', 'foo#bar', 'data%20', 'a*b', '', 'k'.repeat(129), 'aws:reserved'].map((key) => tag(key, 'v')),
      ...['name?test', '`path', 'comma,separated', 'semicolon;', '(p)', 'a&amp;b', 'v'.repeat(257)].map((value) =>
        tag('k', value),
      ),
      tag('k', 'v') + tag('k', 'w'),
    ]
    await server.records([], async () => {
      for (const inner of wrong) {
        const document = `<Tagging><TagSet>${inner}</TagSet></Tagging>`
        assert.equal(ends(await ask('PUT', '/untagged', { body: configuration(inner) })), '400 InvalidTag', inner)
        assert.equal(ends(await ask('PUT', '/tagged?tagging', { body: document })), '400 InvalidTag', inner)
        assert.equal(ends(await ask('PUT', `/${B}/k?tagging`, { body: document })), '400 InvalidTag', inner)
      }
      const many = Array.from({ length: 51 }, (_, i) => tag(`k${i}`, 'v')).join('')
      assert.equal(ends(await ask('PUT', '/untagged', { body: configuration(many) })), '400 InvalidTag')
      for (const [tagging, expected] of [
        ['a=1&a=2', '400 InvalidArgument'],
        ['=v', '400 InvalidArgument'],
        ['a=%zz', '400 InvalidArgument'],
        ['a=%ff', '400 InvalidArgument'],
        ['a=b%21', '400 InvalidTag'],
        [Array.from({ length: 11 }, (_, i) => `k${i}=v`).join('&'), '400 BadRequest'],
      ] as const)
        assert.equal(ends(await ask('PUT', `/${B}/t`, { headers: { 'x-amz-tagging': tagging } })), expected, tagging)
    })
    assert.equal(ends(await ask('HEAD', '/untagged')), '404')
    assert.equal(ends(await ask('PUT', `/${B}/t`, { headers: { 'x-amz-tagging': 'a=b%20c&d&e=' } })), '200')
    assert.match((await ask('GET', `/${B}/t?tagging`)).text, /<Key>a<\/Key><Value>b c<.*<Key>d<\/Key><Value><\/Value>/)
  })

  itOnce('keeps versions of what is suspended by the same rules', async () => {
    const Bucket = 'suspended'
    await s3.send(new CreateBucketCommand({ Bucket }))
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Suspended' } }))
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'never' }))
    assert.equal(ends(await ask('GET', `/${Bucket}/never?versionId=null`)), '405 MethodNotAllowed')
    assert.equal(ends(await ask('DELETE', `/${Bucket}/never?tagging`)), '405 MethodNotAllowed')
    assert.equal(ends(await ask('DELETE', `/${Bucket}/never?versionId=null`)), '204')
    assert.equal(ends(await ask('GET', `/${Bucket}/never?versionId=null`)), '404 NoSuchVersion')
  })
})
