import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, GetObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { findProgram, findPrograms } from '../support/programs.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Pair, s3World } from './s3.ts'

const run = promisify(execFile)

/** Skipped, with what to do, where a client is not installed. */
const needs = (program: string, debianPackage = program) => {
  const found = findProgram(program)
  return {
    found: found ?? program,
    skip: found ? false : `${program} is not installed: apt-get install ${debianPackage}`,
  }
}
const hasBoto3 = ['/usr/bin/python3', findProgram('python3') ?? ''].find((python) => {
  const { status } = spawnSync(python, ['-c', 'import boto3'])
  return status === 0
})

describe('S3: clients', () => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let endpoint: string
  let folder: string
  const files = {
    'a.txt': Buffer.from('hello'),
    'b/ü + %.bin': randomBytes(300_000),
    'b/c/empty': Buffer.alloc(0),
    // In parts with all of them.
    'b/large': randomBytes(20 * 1024 * 1024),
  }
  before(async () => {
    // Clients sign with the time of this machine.
    server = await startServer('sqlite', { S3_PORT: '0', S3_SIGNATURE_V2: 'presigned' })
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
    world = s3World(server)
    pair = await world.keyOf()
    endpoint = world.url.host
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-clients-'))
    for (const [name, bytes] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, 'tree', name)), { recursive: true })
      fs.writeFileSync(path.join(folder, 'tree', name), bytes)
    }
  })
  after(async () => {
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a client with an environment of its own. */
  const client = async (program: string, args: readonly string[], env: Record<string, string> = {}) =>
    (await run(program, [...args], { env: { PATH: process.env.PATH ?? '', HOME: folder, ...env }, cwd: folder })).stdout
  const compare = (to: string) => {
    for (const [name, bytes] of Object.entries(files))
      assert.ok(fs.readFileSync(path.join(folder, to, name)).equals(bytes), name)
  }

  // They differ in what they send: newer ones add checksums to everything.
  const versions = findPrograms('aws')
  for (const aws of versions.length > 0 ? versions : ['aws'])
    it(`${aws} makes a bucket, uploads, lists, downloads and deletes`, {
      skip: needs('aws', 'awscli').skip,
    }, async (t) => {
      t.diagnostic((await client(aws, ['--version'])).trim())
      const env = {
        AWS_ACCESS_KEY_ID: pair.access_key_id,
        AWS_SECRET_ACCESS_KEY: pair.secret_access_key,
        AWS_DEFAULT_REGION: 'us-east-1',
      }
      const s3 = (...args: string[]) => client(aws, ['--endpoint-url', `http://${endpoint}`, 's3', ...args], env)
      const to = `from-aws-${versions.indexOf(aws)}`
      await s3('mb', 's3://by-aws')
      await s3('cp', '--recursive', 'tree', 's3://by-aws/tree')
      assert.match(await s3('ls', 's3://by-aws/tree/'), /PRE b\/\n.* 5 a\.txt/)
      await s3('sync', 's3://by-aws/tree', to)
      compare(to)
      assert.equal(await s3('cp', 's3://by-aws/tree/a.txt', '-'), 'hello')
      await s3('rb', '--force', 's3://by-aws')
    })

  const rclone = needs('rclone')
  const rcloneConfig = () => {
    const config = path.join(folder, 'rclone.conf')
    const lines = ['[s]', 'type = s3', 'provider = Other', `endpoint = http://${endpoint}`]
    const keys = [`access_key_id = ${pair.access_key_id}`, `secret_access_key = ${pair.secret_access_key}`]
    fs.writeFileSync(config, [...lines, ...keys, ''].join('\n'))
    return ['--config', config]
  }
  it('rclone copies, checks and syncs', { skip: rclone.skip }, async () => {
    const config = rcloneConfig()
    const rcl = (...args: string[]) => client(rclone.found, [...config, ...args])
    await rcl('copy', '--s3-upload-cutoff', '8M', '--s3-chunk-size', '5M', 'tree', 's:by-rclone/tree')
    await rcl('check', 'tree', 's:by-rclone/tree')
    await rcl('copy', 's:by-rclone/tree', 'from-rclone')
    compare('from-rclone')
    await rcl('sync', 'tree/b/c', 's:by-rclone/tree')
    assert.equal((await rcl('lsf', '-R', 's:by-rclone/tree')).trim(), 'empty')
  })

  const fusermount = needs('fusermount3', 'fuse3')
  const mounts = fs.existsSync('/dev/fuse') ? fusermount.skip : 'this machine has no /dev/fuse'
  it('rclone mounts a bucket as a folder', { skip: rclone.skip || mounts }, async () => {
    const config = rcloneConfig()
    const at = path.join(folder, 'mounted')
    fs.mkdirSync(at)
    await client(rclone.found, [...config, 'mkdir', 's:by-mount'])
    const options = ['--vfs-cache-mode', 'writes', '--vfs-write-back', '0s', '--daemon']
    await client(rclone.found, [...config, 'mount', 's:by-mount', at, ...options])
    // By processes of their own: a call of this one would wait for the service, which is in this process.
    const inMount = (program: string, ...args: string[]) => client(program, args)
    try {
      await inMount('cp', '-r', 'tree', 'mounted/tree')
      await inMount('diff', '-r', 'tree', 'mounted/tree')
      await inMount('mv', 'mounted/tree/a.txt', 'mounted/renamed')
      await inMount('rm', '-r', 'mounted/tree/b')
      assert.equal(await inMount('ls', 'mounted'), 'renamed\ntree\n')
    } finally {
      await inMount(fusermount.found, '-u', at)
    }
    // What was written through it, as another client sees it.
    const seen = async () => (await client(rclone.found, [...config, 'lsf', '-R', '--files-only', 's:by-mount'])).trim()
    for (let i = 0; i < 100 && (await seen()) !== 'renamed'; i++) await setTimeout(100)
    assert.equal(await seen(), 'renamed')
  })

  const s3cmd = needs('s3cmd')
  it('s3cmd puts, lists, reads and removes', { skip: s3cmd.skip }, async () => {
    const config = path.join(folder, 's3cfg')
    const lines = ['[default]', `host_base = ${endpoint}`, `host_bucket = ${endpoint}`, 'use_https = False']
    const keys = [`access_key = ${pair.access_key_id}`, `secret_key = ${pair.secret_access_key}`]
    fs.writeFileSync(config, [...lines, ...keys, ''].join('\n'))
    const cmd = (...args: string[]) => client(s3cmd.found, ['-c', config, ...args])
    await cmd('mb', 's3://by-s3cmd')
    await cmd('sync', 'tree/', 's3://by-s3cmd/tree/')
    assert.match(await cmd('info', 's3://by-s3cmd'), /Location: +us-east-1/)
    fs.mkdirSync(path.join(folder, 'from-s3cmd'))
    await cmd('sync', 's3://by-s3cmd/tree/', 'from-s3cmd/')
    compare('from-s3cmd')
    await cmd('del', '--recursive', '--force', 's3://by-s3cmd/tree')
    await cmd('rb', 's3://by-s3cmd')
  })

  const restic = needs('restic')
  it('restic backs up, checks, restores and prunes', { skip: restic.skip }, async () => {
    const env = {
      AWS_ACCESS_KEY_ID: pair.access_key_id,
      AWS_SECRET_ACCESS_KEY: pair.secret_access_key,
      RESTIC_REPOSITORY: `s3:http://${endpoint}/by-restic/repository`,
      RESTIC_PASSWORD: 'not a secret',
    }
    const restore = (...args: string[]) => client(restic.found, args, env)
    await restore('init')
    await restore('backup', 'tree')
    fs.appendFileSync(path.join(folder, 'tree', 'a.txt'), ' again')
    await restore('backup', 'tree')
    fs.writeFileSync(path.join(folder, 'tree', 'a.txt'), files['a.txt'])
    await restore('check', '--read-data')
    await restore('restore', 'latest', '--target', 'from-restic')
    assert.equal(fs.readFileSync(path.join(folder, 'from-restic', 'tree', 'a.txt'), 'utf8'), 'hello again')
    const snapshots = JSON.parse(await restore('snapshots', '--json')) as { id: string }[]
    assert.equal(snapshots.length, 2)
    await restore('forget', '--keep-last', '1', '--prune')
    await restore('check')
    await restore('restore', 'latest', '--target', 'after-prune')
    for (const [name, bytes] of Object.entries(files))
      if (name !== 'a.txt') assert.ok(fs.readFileSync(path.join(folder, 'after-prune/tree', name)).equals(bytes), name)
  })

  it('boto3 uploads in parts, presigns, copies, lists in pages and deletes many', {
    skip: hasBoto3 ? false : 'boto3 is not installed: apt-get install python3-boto3',
  }, async () => {
    const script = path.join(folder, 'with-boto3.py')
    fs.writeFileSync(script, BOTO3)
    const env = {
      AWS_ACCESS_KEY_ID: pair.access_key_id,
      AWS_SECRET_ACCESS_KEY: pair.secret_access_key,
      AWS_DEFAULT_REGION: 'eu-central-1',
      ENDPOINT: `http://${endpoint}`,
    }
    assert.equal(await client(hasBoto3 ?? 'python3', [script], env), 'done\n')
  })

  it('boto3, the AWS CLI and s3cmd make URLs of Version 2 that work', {
    skip: hasBoto3 ? false : 'boto3 is not installed: apt-get install python3-boto3',
  }, async () => {
    const keys = { AWS_ACCESS_KEY_ID: pair.access_key_id, AWS_SECRET_ACCESS_KEY: pair.secret_access_key }
    const env = { ...keys, AWS_DEFAULT_REGION: 'us-east-1', ENDPOINT: `http://${endpoint}` }
    const script = path.join(folder, 'with-version-2.py')
    fs.writeFileSync(script, BOTO3_OLD)
    assert.equal(await client(hasBoto3 ?? 'python3', [script], env), 'done\n')
    const opens = async (url: string) => {
      assert.equal(await (await fetch(url.trim())).text(), 'hello', url)
    }
    await client(hasBoto3 ?? 'python3', ['-c', MAKE_OLD], env)
    fs.writeFileSync(path.join(folder, 'aws-config'), '[default]\ns3 =\n  signature_version = s3\n')
    for (const aws of versions) {
      const args = ['--endpoint-url', env.ENDPOINT, 's3', 'presign', 's3://by-old/ü + k']
      // Only older ones still make them.
      await opens(await client(aws, args, { ...env, AWS_CONFIG_FILE: path.join(folder, 'aws-config') }))
    }
    if (s3cmd.skip) return
    const lines = ['[default]', `host_base = ${endpoint}`, `host_bucket = ${endpoint}`, 'use_https = False']
    const config = path.join(folder, 's3cfg-old')
    const pairs = [`access_key = ${pair.access_key_id}`, `secret_key = ${pair.secret_access_key}`]
    fs.writeFileSync(config, [...lines, ...pairs, ''].join('\n'))
    const made = await client(s3cmd.found, ['-c', config, 'signurl', 's3://by-old/ü + k', '+600'])
    assert.match(made, /[?&]AWSAccessKeyId=/)
    await opens(made)
  })

  it('lib-storage of the SDK for JavaScript uploads streams of unknown length', async () => {
    const s3 = world.clientOf(pair)
    await s3.send(new CreateBucketCommand({ Bucket: 'by-lib-storage' }))
    for (const [name, bytes] of Object.entries(files)) {
      const Body = Readable.from(inPieces(bytes))
      const params = { Bucket: 'by-lib-storage', Key: name, Body }
      await new Upload({ client: s3, params, partSize: 5 * 1024 * 1024, queueSize: 3 }).done()
      const read = await s3.send(new GetObjectCommand({ Bucket: 'by-lib-storage', Key: name }))
      assert.ok((await buffer(read.Body as Readable)).equals(bytes), name)
    }
  })
})

function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}
const BOTO3 = `
import io, os, urllib.request
import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
s3 = boto3.client('s3', endpoint_url=os.environ['ENDPOINT'], config=Config(signature_version='s3v4', retries={'max_attempts': 1}))
s3.create_bucket(Bucket='by-boto3', CreateBucketConfiguration={'LocationConstraint': 'eu-central-1'})
at = {'Bucket': 'by-boto3', 'Key': 'large/ü +'}
large = os.urandom(17 * 1024 * 1024)
s3.upload_fileobj(io.BytesIO(large), at['Bucket'], at['Key'], Config=TransferConfig(multipart_threshold=8 * 1024 * 1024),
                  ExtraArgs={'Metadata': {'a': 'b'}, 'ContentType': 'x/y'})
head = s3.head_object(**at)
assert head['Metadata'] == {'a': 'b'} and head['ContentType'] == 'x/y' and head['ContentLength'] == len(large), head
into = io.BytesIO()
s3.download_fileobj(at['Bucket'], at['Key'], into)
assert into.getvalue() == large
s3.copy(at, 'by-boto3', 'copy', Config=TransferConfig(multipart_threshold=8 * 1024 * 1024))
assert s3.get_object(Bucket='by-boto3', Key='copy')['Body'].read() == large
put = s3.generate_presigned_url('put_object', Params={'Bucket': 'by-boto3', 'Key': 'presigned'})
urllib.request.urlopen(urllib.request.Request(put, data=b'hello', method='PUT', headers={'Content-Type': ''})).read()
get = s3.generate_presigned_url('get_object', Params={'Bucket': 'by-boto3', 'Key': 'presigned'})
assert urllib.request.urlopen(get).read() == b'hello'
for i in range(25):
    s3.put_object(Bucket='by-boto3', Key='many/%03d' % i, Body=b'%d' % i)
pages = list(s3.get_paginator('list_objects_v2').paginate(Bucket='by-boto3', Prefix='many/', PaginationConfig={'PageSize': 10}))
assert [len(page['Contents']) for page in pages] == [10, 10, 5], pages
s3.delete_objects(Bucket='by-boto3', Delete={'Objects': [{'Key': 'many/%03d' % i} for i in range(25)]})
assert s3.list_objects_v2(Bucket='by-boto3', Prefix='many/')['KeyCount'] == 0
bucket = boto3.resource('s3', endpoint_url=os.environ['ENDPOINT']).Bucket('by-boto3')
bucket.objects.all().delete()
bucket.delete()
print('done')
`
const MAKE_OLD = `
import os, boto3
s3 = boto3.client('s3', endpoint_url=os.environ['ENDPOINT'])
s3.create_bucket(Bucket='by-old')
s3.put_object(Bucket='by-old', Key='ü + k', Body=b'hello')
`
const BOTO3_OLD = `
import os, urllib.request, urllib.error
import boto3
from botocore.config import Config
at = {'endpoint_url': os.environ['ENDPOINT']}
s3 = boto3.client('s3', **at)
old = boto3.client('s3', config=Config(signature_version='s3'), **at)
s3.create_bucket(Bucket='by-boto3-old')
def url(name, method=None, **params):
    made = old.generate_presigned_url(name, Params={'Bucket': 'by-boto3-old', **params}, HttpMethod=method)
    assert 'AWSAccessKeyId=' in made, made
    return made
def ask(made, method='GET', data=None, headers={}):
    return urllib.request.urlopen(urllib.request.Request(made, method=method, data=data, headers=headers))
def refused(*args, **more):
    try:
        ask(*args, **more)
    except urllib.error.HTTPError as error:
        return error.code
put = url('put_object', Key='a/ü +', ContentType='text/x', Metadata={'a': 'b c'}, ACL='private')
ask(put, 'PUT', b'one', {'Content-Type': 'text/x'})
assert refused(put, 'PUT', b'two', {'Content-Type': 'text/html'}) in (400, 403)
got = ask(url('get_object', Key='a/ü +'))
assert got.read() == b'one' and got.headers['Content-Type'] == 'text/x' and got.headers['x-amz-meta-a'] == 'b c'
shown = ask(url('get_object', Key='a/ü +', ResponseContentDisposition='attachment; filename="x y.txt"', ResponseContentType='text/csv'))
assert shown.headers['Content-Disposition'] == 'attachment; filename="x y.txt"' and shown.headers['Content-Type'] == 'text/csv'
assert refused(url('get_object', Key='a/ü +') + '&response-content-type=text/html') == 403
assert refused(url('get_object', Key='a/ü +'), 'PUT', b'x', {'Content-Type': ''}) == 403
assert refused(old.generate_presigned_url('get_object', Params={'Bucket': 'by-boto3-old', 'Key': 'a/ü +'}, ExpiresIn=-3600)) == 403
assert ask(url('head_object', Key='a/ü +'), 'HEAD').status == 200
upload = s3.create_multipart_upload(Bucket='by-boto3-old', Key='parts')['UploadId']
ask(url('upload_part', Key='parts', UploadId=upload, PartNumber=1), 'PUT', b'x', {'Content-Type': ''})
s3.abort_multipart_upload(Bucket='by-boto3-old', Key='parts', UploadId=upload)
s3.put_object(Bucket='by-boto3-old', Key='meta', Body=b'')
ask(url('delete_object', Key='a/ü +'), 'DELETE')
ask(url('delete_object', Key='meta'), 'DELETE')
s3.delete_bucket(Bucket='by-boto3-old')
print('done')
`
