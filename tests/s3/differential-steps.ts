import { createHash } from 'node:crypto'

/** One request of the script that two S3 services are asked in the same order. `{name}` stands for what was kept before. */
export interface Step {
  /** What it is called in the list of differences. */
  name: string
  method: string
  /** Path and query, percent-encoded. */
  path: string
  headers?: Record<string, string>
  body?: string
  /** What to keep of the answer, by name: the first group of the expression, searched in headers and body. */
  keep?: Record<string, RegExp>
}

const step = (name: string, method: string, path: string, more: Omit<Step, 'name' | 'method' | 'path'> = {}): Step => ({
  name,
  method,
  path,
  ...more,
})
const md5 = (text: string) => createHash('md5').update(text).digest('base64')
const MIB = 1024 * 1024
const PART = 'p'.repeat(5 * MIB)
const ETAG = { etag: /^etag: "?([^"\r\n]+)"?/im }

/** Buckets: names, creating twice, what is configured of them. */
const buckets: readonly Step[] = [
  step('create a bucket', 'PUT', '/{bucket}'),
  step('create it again', 'PUT', '/{bucket}'),
  step('head it', 'HEAD', '/{bucket}'),
  step('head none', 'HEAD', '/{bucket}-none'),
  step('list none', 'GET', '/{bucket}-none'),
  step('delete none', 'DELETE', '/{bucket}-none'),
  ...['Ab', 'a', 'a_b-{bucket}', '-a-{bucket}', 'a..b', '192.168.5.4', 'x'.repeat(64)].map((name) =>
    step(`create the bucket ${name.replace('{bucket}', 'name')}`, 'PUT', `/${name}`),
  ),
  step('create in a malformed document', 'PUT', '/{bucket}-other', { body: '<CreateBucketConfiguration' }),
  ...['location', 'versioning', 'acl', 'requestPayment', 'logging', 'notification'].map((name) =>
    step(`get ?${name}`, 'GET', `/{bucket}?${name}`),
  ),
  ...['tagging', 'cors', 'lifecycle', 'policy', 'website', 'replication', 'encryption', 'object-lock'].map((name) =>
    step(`get ?${name} that is not set`, 'GET', `/{bucket}?${name}`),
  ),
  step('put tags of the bucket', 'PUT', '/{bucket}?tagging', {
    body: '<Tagging><TagSet><Tag><Key>a</Key><Value>b + c</Value></Tag></TagSet></Tagging>',
  }),
  step('get tags of the bucket', 'GET', '/{bucket}?tagging'),
  step('delete tags of the bucket', 'DELETE', '/{bucket}?tagging'),
  step('put CORS rules', 'PUT', '/{bucket}?cors', {
    body: '<CORSConfiguration><CORSRule><AllowedOrigin>https://*.example.com</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedHeader>x-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>60</MaxAgeSeconds></CORSRule></CORSConfiguration>',
  }),
  step('get CORS rules', 'GET', '/{bucket}?cors'),
  step('a request of an allowed origin', 'GET', '/{bucket}', { headers: { origin: 'https://a.example.com' } }),
  step('a request of another origin', 'GET', '/{bucket}', { headers: { origin: 'https://example.org' } }),
  step('delete CORS rules', 'DELETE', '/{bucket}?cors'),
  step('put lifecycle rules', 'PUT', '/{bucket}?lifecycle', {
    body: '<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>',
  }),
  step('get lifecycle rules', 'GET', '/{bucket}?lifecycle'),
  step('put a lifecycle rule of zero days', 'PUT', '/{bucket}?lifecycle', {
    body: '<LifecycleConfiguration><Rule><ID>old</ID><Prefix>x</Prefix><Status>Enabled</Status><Expiration><Days>0</Days></Expiration></Rule></LifecycleConfiguration>',
  }),
  step('delete lifecycle rules', 'DELETE', '/{bucket}?lifecycle'),
]

const conditions: readonly Step[] = ['if-match', 'if-none-match'].flatMap((name) =>
  ['"5d41402abc4b2a76b9719d911017c592"', '5d41402abc4b2a76b9719d911017c592', '"other"', '*'].flatMap((value) =>
    ['GET', 'HEAD'].map((method) =>
      step(`${method} with ${name}: ${value.slice(0, 7)}`, method, '/{bucket}/hello', { headers: { [name]: value } }),
    ),
  ),
)
const dates: readonly Step[] = ['if-modified-since', 'if-unmodified-since'].flatMap((name) =>
  ['Fri, 01 Jan 2010 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT'].map((value) =>
    step(`GET with ${name} ${value.slice(12, 16)}`, 'GET', '/{bucket}/hello', { headers: { [name]: value } }),
  ),
)
const ranges: readonly Step[] = [
  'bytes=0-0',
  'bytes=1-3',
  'bytes=2-',
  'bytes=-2',
  'bytes=-99',
  'bytes=4-99',
  'bytes=5-',
  'bytes=9-10',
  'bytes=3-1',
  'bytes=-0',
  'bytes=a-b',
  'lines=0-1',
  'bytes=0-1,3-4',
].map((range) => step(`GET of ${range}`, 'GET', '/{bucket}/hello', { headers: { range } }))

/** Single objects: headers, conditions, ranges, tags, copies. */
const objects: readonly Step[] = [
  step('put an object', 'PUT', '/{bucket}/hello', {
    headers: { 'content-type': 'text/plain', 'x-amz-meta-color': 'blue', 'cache-control': 'no-cache' },
    body: 'hello',
  }),
  step('get it', 'GET', '/{bucket}/hello'),
  step('head it as an object', 'HEAD', '/{bucket}/hello'),
  step('get none', 'GET', '/{bucket}/none'),
  step('head no object', 'HEAD', '/{bucket}/none'),
  step('delete no object', 'DELETE', '/{bucket}/none'),
  step('get of no bucket', 'GET', '/{bucket}-none/hello'),
  step('put into no bucket', 'PUT', '/{bucket}-none/hello', { body: 'x' }),
  ...conditions,
  ...dates,
  ...ranges,
  step('GET with replaced headers', 'GET', '/{bucket}/hello?response-content-type=a%2Fb&response-cache-control=c'),
  step('put with its MD5', 'PUT', '/{bucket}/md5', { headers: { 'content-md5': md5('right') }, body: 'right' }),
  step('put with another MD5', 'PUT', '/{bucket}/md5', { headers: { 'content-md5': md5('wrong') }, body: 'right' }),
  step('put with no MD5', 'PUT', '/{bucket}/md5', { headers: { 'content-md5': 'x' }, body: 'right' }),
  step('put with an empty body', 'PUT', '/{bucket}/empty'),
  step('get an empty object', 'GET', '/{bucket}/empty'),
  step('get a range of an empty object', 'GET', '/{bucket}/empty', { headers: { range: 'bytes=0-0' } }),
  step('put with headers', 'PUT', '/{bucket}/headers', {
    headers: {
      'content-type': 'a/b; c=d',
      'content-disposition': 'attachment; filename="ü.txt"'.replace('ü', 'u'),
      'content-encoding': 'gzip',
      'content-language': 'de',
      expires: 'Wed, 21 Oct 2099 07:28:00 GMT',
      'x-amz-meta-Upper': 'Case',
      'x-amz-meta-empty': '',
    },
    body: 'x',
  }),
  step('get an object with headers', 'GET', '/{bucket}/headers'),
  step('put without a content type', 'PUT', '/{bucket}/untyped', { body: 'x' }),
  step('put with metadata that is too large', 'PUT', '/{bucket}/large-metadata', {
    headers: { 'x-amz-meta-a': 'x'.repeat(9000) },
    body: 'x',
  }),
  ...[
    'a%20b',
    'a+b',
    'a%2Bb',
    '%C3%BC',
    'a%25b',
    'a//b',
    '/a',
    'a/',
    '.',
    'a/../b',
    'a%26b%3Dc%3Fd',
    '~%27%28%29%2A%21',
  ].flatMap((key) => [
    step(`put the key ${key}`, 'PUT', `/{bucket}/keys/${key}`, { body: key }),
    step(`get the key ${key}`, 'GET', `/{bucket}/keys/${key}`),
  ]),
  step('put a key of 1024 bytes', 'PUT', `/{bucket}/${'k'.repeat(1024)}`, { body: 'x' }),
  step('put a key of 1025 bytes', 'PUT', `/{bucket}/${'k'.repeat(1025)}`, { body: 'x' }),
  step('list keys', 'GET', '/{bucket}?prefix=keys%2F'),
  step('list keys, encoded', 'GET', '/{bucket}?prefix=keys%2F&encoding-type=url'),
  step('put with tags', 'PUT', '/{bucket}/tagged', { headers: { 'x-amz-tagging': 'a=1&b=%C3%BC' }, body: 'x' }),
  step('get its tags', 'GET', '/{bucket}/tagged?tagging'),
  step('get an object with tags', 'GET', '/{bucket}/tagged'),
  step('put other tags', 'PUT', '/{bucket}/tagged?tagging', {
    body: '<Tagging><TagSet><Tag><Key>c</Key><Value></Value></Tag></TagSet></Tagging>',
  }),
  step('get other tags', 'GET', '/{bucket}/tagged?tagging'),
  step('put eleven tags', 'PUT', '/{bucket}/tagged?tagging', {
    body: `<Tagging><TagSet>${Array.from({ length: 11 }, (_, i) => `<Tag><Key>${i}</Key><Value>v</Value></Tag>`).join('')}</TagSet></Tagging>`,
  }),
  step('delete tags', 'DELETE', '/{bucket}/tagged?tagging'),
  step('get no tags', 'GET', '/{bucket}/tagged?tagging'),
  step('tags of no object', 'GET', '/{bucket}/none?tagging'),
  step('access control of an object', 'GET', '/{bucket}/hello?acl'),
  step('copy', 'PUT', '/{bucket}/copy', { headers: { 'x-amz-copy-source': '/{bucket}/hello' } }),
  step('get a copy', 'GET', '/{bucket}/copy'),
  step('copy with other metadata', 'PUT', '/{bucket}/copy', {
    headers: {
      'x-amz-copy-source': '{bucket}/hello',
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-meta-new': '1',
      'content-type': 'c/d',
    },
  }),
  step('get a copy with other metadata', 'GET', '/{bucket}/copy'),
  step('copy a key that needs encoding', 'PUT', '/{bucket}/copy', {
    headers: { 'x-amz-copy-source': '/{bucket}/keys/a%2Bb' },
  }),
  step('copy onto itself', 'PUT', '/{bucket}/hello', { headers: { 'x-amz-copy-source': '/{bucket}/hello' } }),
  step('copy none', 'PUT', '/{bucket}/copy', { headers: { 'x-amz-copy-source': '/{bucket}/none' } }),
  step('copy from no bucket', 'PUT', '/{bucket}/copy', { headers: { 'x-amz-copy-source': '/{bucket}-none/hello' } }),
  step('copy from no key', 'PUT', '/{bucket}/copy', { headers: { 'x-amz-copy-source': '{bucket}' } }),
  ...['if-match', 'if-none-match'].flatMap((name) =>
    ['5d41402abc4b2a76b9719d911017c592', '"other"'].map((etag) =>
      step(`copy with ${name}: ${etag.slice(0, 7)}`, 'PUT', '/{bucket}/copy', {
        headers: { 'x-amz-copy-source': '/{bucket}/hello', [`x-amz-copy-source-${name}`]: etag },
      }),
    ),
  ),
  step('put only if there is none', 'PUT', '/{bucket}/hello', { headers: { 'if-none-match': '*' }, body: 'x' }),
  step('put only if it is another', 'PUT', '/{bucket}/hello', { headers: { 'if-match': '"other"' }, body: 'x' }),
  step('an unknown method', 'PATCH', '/{bucket}/hello'),
]

/** Multipart uploads: parts, orders, sizes, copies of ranges, lists. */
const multipart: readonly Step[] = [
  step('start an upload', 'POST', '/{bucket}/parts?uploads', {
    headers: { 'content-type': 'm/p', 'x-amz-meta-color': 'red' },
    keep: { upload: /<UploadId>(.+?)<\/UploadId>/ },
  }),
  step('put part 1', 'PUT', '/{bucket}/parts?partNumber=1&uploadId={upload}', { body: PART, keep: { one: ETAG.etag } }),
  step('put part 3', 'PUT', '/{bucket}/parts?partNumber=3&uploadId={upload}', {
    body: 'end',
    keep: { three: ETAG.etag },
  }),
  step('put a part with another MD5', 'PUT', '/{bucket}/parts?partNumber=2&uploadId={upload}', {
    headers: { 'content-md5': md5('wrong') },
    body: 'x',
  }),
  step('put a part of no upload', 'PUT', '/{bucket}/parts?partNumber=1&uploadId=none', { body: 'x' }),
  step('list parts', 'GET', '/{bucket}/parts?uploadId={upload}'),
  step('list one part', 'GET', '/{bucket}/parts?uploadId={upload}&max-parts=1'),
  step('list parts after the first', 'GET', '/{bucket}/parts?uploadId={upload}&part-number-marker=1'),
  step('list parts of no upload', 'GET', '/{bucket}/parts?uploadId=none'),
  step('list uploads', 'GET', '/{bucket}?uploads'),
  step('list uploads of a prefix', 'GET', '/{bucket}?uploads&prefix=q'),
  step('complete with an unknown part', 'POST', '/{bucket}/parts?uploadId={upload}', {
    body: '<CompleteMultipartUpload><Part><PartNumber>7</PartNumber><ETag>"x"</ETag></Part></CompleteMultipartUpload>',
  }),
  step('complete with another ETag', 'POST', '/{bucket}/parts?uploadId={upload}', {
    body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"{three}"</ETag></Part></CompleteMultipartUpload>',
  }),
  step('complete in the wrong order', 'POST', '/{bucket}/parts?uploadId={upload}', {
    body: '<CompleteMultipartUpload><Part><PartNumber>3</PartNumber><ETag>"{three}"</ETag></Part><Part><PartNumber>1</PartNumber><ETag>"{one}"</ETag></Part></CompleteMultipartUpload>',
  }),
  step('complete with nothing', 'POST', '/{bucket}/parts?uploadId={upload}', {
    body: '<CompleteMultipartUpload></CompleteMultipartUpload>',
  }),
  step('complete with a malformed document', 'POST', '/{bucket}/parts?uploadId={upload}', { body: '<Complete' }),
  step('complete', 'POST', '/{bucket}/parts?uploadId={upload}', {
    body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"{one}"</ETag></Part><Part><PartNumber>3</PartNumber><ETag>{three}</ETag></Part></CompleteMultipartUpload>',
  }),
  step('head what came in parts', 'HEAD', '/{bucket}/parts'),
  step('get a range over two parts', 'GET', '/{bucket}/parts', {
    headers: { range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` },
  }),
  step('head part 2', 'HEAD', '/{bucket}/parts?partNumber=2'),
  step('abort what is complete', 'DELETE', '/{bucket}/parts?uploadId={upload}'),
  step('start an upload of wrong numbers', 'POST', '/{bucket}/numbers?uploads', {
    keep: { numbers: /<UploadId>(.+?)<\/UploadId>/ },
  }),
  step('put part 0', 'PUT', '/{bucket}/numbers?partNumber=0&uploadId={numbers}', { body: 'x' }),
  step('put part 10001', 'PUT', '/{bucket}/numbers?partNumber=10001&uploadId={numbers}', { body: 'x' }),
  step('put part a', 'PUT', '/{bucket}/numbers?partNumber=a&uploadId={numbers}', { body: 'x' }),
  step('abort wrong numbers', 'DELETE', '/{bucket}/numbers?uploadId={numbers}'),
  step('start an upload of copies', 'POST', '/{bucket}/copied-parts?uploads', {
    keep: { copies: /<UploadId>(.+?)<\/UploadId>/ },
  }),
  step('copy a range as a part', 'PUT', '/{bucket}/copied-parts?partNumber=1&uploadId={copies}', {
    headers: { 'x-amz-copy-source': '/{bucket}/parts', 'x-amz-copy-source-range': `bytes=0-${5 * MIB - 1}` },
    keep: { copied: /<ETag>(?:&quot;|")?([0-9a-f]+)/ },
  }),
  step('copy a range that is not there', 'PUT', '/{bucket}/copied-parts?partNumber=2&uploadId={copies}', {
    headers: { 'x-amz-copy-source': '/{bucket}/hello', 'x-amz-copy-source-range': 'bytes=0-5' },
  }),
  step('copy a malformed range', 'PUT', '/{bucket}/copied-parts?partNumber=2&uploadId={copies}', {
    headers: { 'x-amz-copy-source': '/{bucket}/hello', 'x-amz-copy-source-range': 'bytes=1' },
  }),
  step('copy an object as a part', 'PUT', '/{bucket}/copied-parts?partNumber=2&uploadId={copies}', {
    headers: { 'x-amz-copy-source': '/{bucket}/hello' },
    keep: { whole: /<ETag>(?:&quot;|")?([0-9a-f]+)/ },
  }),
  step('complete copies', 'POST', '/{bucket}/copied-parts?uploadId={copies}', {
    body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"{copied}"</ETag></Part><Part><PartNumber>2</PartNumber><ETag>"{whole}"</ETag></Part></CompleteMultipartUpload>',
  }),
  step('start a third upload', 'POST', '/{bucket}/small?uploads', { keep: { small: /<UploadId>(.+?)<\/UploadId>/ } }),
  step('put a small first part', 'PUT', '/{bucket}/small?partNumber=1&uploadId={small}', {
    body: 'a',
    keep: { a: ETAG.etag },
  }),
  step('put a small second part', 'PUT', '/{bucket}/small?partNumber=2&uploadId={small}', {
    body: 'b',
    keep: { b: ETAG.etag },
  }),
  step('complete with small parts', 'POST', '/{bucket}/small?uploadId={small}', {
    body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"{a}"</ETag></Part><Part><PartNumber>2</PartNumber><ETag>"{b}"</ETag></Part></CompleteMultipartUpload>',
  }),
  step('delete a bucket with an upload and objects', 'DELETE', '/{bucket}'),
  step('abort', 'DELETE', '/{bucket}/small?uploadId={small}'),
  step('abort again', 'DELETE', '/{bucket}/small?uploadId={small}'),
]

/** What deletes, and what remains. */
const deletions: readonly Step[] = [
  step('delete many', 'POST', '/{bucket}?delete', {
    headers: {
      'content-md5': md5('<Delete><Object><Key>hello</Key></Object><Object><Key>none</Key></Object></Delete>'),
    },
    body: '<Delete><Object><Key>hello</Key></Object><Object><Key>none</Key></Object></Delete>',
  }),
  step('delete many, quietly', 'POST', '/{bucket}?delete', {
    headers: { 'content-md5': md5('<Delete><Quiet>true</Quiet><Object><Key>md5</Key></Object></Delete>') },
    body: '<Delete><Quiet>true</Quiet><Object><Key>md5</Key></Object></Delete>',
  }),
  step('delete many of a malformed document', 'POST', '/{bucket}?delete', {
    headers: { 'content-md5': md5('<Delete>') },
    body: '<Delete>',
  }),
  step('delete what had large metadata', 'DELETE', '/{bucket}/large-metadata'),
  step('get what was deleted', 'GET', '/{bucket}/hello'),
  step('list versions', 'GET', '/{bucket}?versions&prefix=copi'),
  step('list all', 'GET', '/{bucket}?list-type=2'),
]

export const steps: readonly Step[] = [...buckets, ...objects, ...multipart, ...deletions]
