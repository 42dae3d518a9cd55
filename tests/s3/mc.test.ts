// What MinIO's client sends for `mc anonymous`, and what minio-go sends for SetBucketPolicy and GetBucketPolicy: recorded from mc with
// minio-go v7.0.88, replayed here.
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { CreateBucketCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { describeOnce, type TestServer } from '../support/server.ts'
import { type Pair, type s3World, startS3 } from './s3.ts'

const AGENT = 'MinIO (linux; amd64) minio-go/v7.0.88 mc/RELEASE.2025-08-13T08-35-41Z'
/** As mc writes a statement: with an empty Sid in each. */
const statement = (Action: string[], resource: string, Condition?: object) => ({
  Action,
  ...(Condition ? { Condition } : {}),
  Effect: 'Allow',
  Principal: { AWS: ['*'] },
  Resource: [`arn:aws:s3:::${resource}`],
  Sid: '',
})
const [LOCATION, LIST, UPLOADS] = ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'] as const
const UPLOAD = ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:ListMultipartUploadParts', 's3:PutObject']
const BOTH = [
  's3:AbortMultipartUpload',
  's3:DeleteObject',
  's3:GetObject',
  's3:ListMultipartUploadParts',
  's3:PutObject',
]

/** The policy for `mc anonymous set <access> <bucket>/<prefix>`. */
function policyFor(access: 'download' | 'upload' | 'public', bucket: string, prefix: string): string {
  const told = access === 'download' ? [LOCATION] : [LOCATION, UPLOADS]
  const isWhole = prefix === ''
  const onBucket = access !== 'upload' && isWhole ? [LOCATION, LIST, ...told.slice(1)] : told
  const listed =
    access === 'upload' || isWhole ? [] : [statement([LIST], bucket, { StringEquals: { 's3:prefix': [prefix] } })]
  const onObjects = { download: ['s3:GetObject'], upload: UPLOAD, public: BOTH }[access]
  const Statement = [statement(onBucket, bucket), ...listed, statement(onObjects, `${bucket}/${prefix}*`)]
  return JSON.stringify({ Version: '2012-10-17', Statement })
}

describeOnce("S3: MinIO's client", (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  let bucket: string
  let made = 0
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
  })
  after(() => server.stop())
  beforeEach(async () => {
    bucket = `mc-${++made}`
    await s3.send(new CreateBucketCommand({ Bucket: bucket }))
    for (const Key of ['pre/a', 'b']) await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))
  })

  const mc = async (method: string, path: string, body = '') => {
    const headers: Record<string, string> = { 'user-agent': AGENT }
    if (body !== '') headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
    return world.send(method, path, await world.signed(pair, { method, path, headers, body }), body)
  }
  const policy = () => mc('GET', `/${bucket}/?policy=`)
  const changed = () => [{ action: 'update_bucket' as const, bucket }]
  /** What requests without a credential get: an object below the prefix and another, the list below it, an upload. */
  const anyone = async (prefix: string) => {
    const ask = async (method: string, path: string) =>
      (await world.send(method, path, { host: world.url.host }, method === 'PUT' ? 'x' : '')).status
    return [
      await ask('GET', `/${bucket}/pre/a`),
      await ask('GET', `/${bucket}/b`),
      await ask('GET', `/${bucket}?list-type=2&prefix=${prefix}`),
      await ask('PUT', `/${bucket}/pre/new`),
    ]
  }

  it('finds the service, and a bucket without a policy', async () => {
    const probe = await mc('GET', '/probe-bsign-jweuiygixwrg9e4gzdllzepw0yn3zx/?location=')
    assert.deepEqual([probe.status, probe.code], [404, 'NoSuchBucket'])
    assert.equal((await mc('GET', `/${bucket}/?location=`)).status, 200)
    const none = await policy()
    assert.deepEqual([none.status, none.code], [404, 'NoSuchBucketPolicy'])
  })

  for (const prefix of ['', 'pre'])
    it(`sets, gets, lists and removes what anyone may do${prefix === '' ? '' : ' below a prefix'}`, async () => {
      const other = prefix === '' ? 200 : 403
      for (const [access, expected] of [
        ['download', [200, other, 200, 403]],
        ['upload', [403, 403, 403, 200]],
        ['public', [200, other, 200, 200]],
      ] as const) {
        const text = policyFor(access, bucket, prefix)
        await server.records(changed(), async () => {
          assert.equal((await mc('PUT', `/${bucket}/?policy=`, text)).status, 204)
        })
        // `get` and `list` compare it with what they would have written.
        assert.deepEqual([(await policy()).status, (await policy()).text], [200, text])
        // `links` lists with the key, and prints addresses.
        const query = `delimiter=&encoding-type=url&fetch-owner=true&list-type=2&prefix=${prefix}`
        const links = await mc('GET', `/${bucket}/?${query}`)
        assert.match(links.text, /<Key>pre\/a<\/Key>/)
        assert.deepEqual([access, await anyone(prefix)], [access, expected])
      }
      await server.records(changed(), async () => {
        assert.equal((await mc('DELETE', `/${bucket}/?policy=`)).status, 204)
      })
      assert.equal((await policy()).code, 'NoSuchBucketPolicy')
      assert.deepEqual(await anyone(prefix), [403, 403, 403, 403])
    })

  it('is told why where nothing can be public', async () => {
    await server.admin.updateSettings({ body: { s3: { public_access: false } } })
    const { status, code, text } = await mc('PUT', `/${bucket}/?policy=`, policyFor('download', bucket, ''))
    assert.deepEqual([status, code], [403, 'AccessDenied'])
    assert.match(text, /Public access is turned off in the settings/)
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
  })

  it('is told our way where it asks for MinIO’s administration', async () => {
    for (const path of [
      '/minio/admin/v3/info?metrics=false',
      '/minio/admin/v3/list-users',
      '/minio/admin/v3/export-iam',
    ]) {
      const headers = { 'user-agent': 'MinIO (linux; amd64) madmin-go/3.0.102 mc/RELEASE.2025-08-13T08-35-41Z' }
      const answer = await server.records([], async () =>
        world.send('GET', path, await world.signed(pair, { method: 'GET', path, headers })),
      )
      assert.equal(answer.status, 501)
      const { Code, Message } = JSON.parse(answer.text)
      assert.equal(Code, 'NotImplemented')
      assert.match(Message, /IAM API.*console.*strongroom command line/)
    }
  })
})
