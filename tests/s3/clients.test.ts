import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { findProgram } from '../support/programs.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Pair, s3World } from './s3.ts'

const run = promisify(execFile)

/** Skipped, with what to do, where a client is not installed. */
const needs = (program: string) => {
  const found = findProgram(program)
  return {
    found: found ?? program,
    skip: found ? false : `${program} is not installed: apt-get install ${program === 'aws' ? 'awscli' : program}`,
  }
}

describe('S3: clients', () => {
  let server: TestServer
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
    server = await startServer('sqlite', { S3_PORT: '0' })
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
    const world = s3World(server)
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

  const aws = needs('aws')
  it('aws-cli makes a bucket, uploads, lists, downloads and deletes', { skip: aws.skip }, async () => {
    const env = {
      AWS_ACCESS_KEY_ID: pair.access_key_id,
      AWS_SECRET_ACCESS_KEY: pair.secret_access_key,
      AWS_DEFAULT_REGION: 'us-east-1',
    }
    const s3 = (...args: string[]) => client(aws.found, ['--endpoint-url', `http://${endpoint}`, 's3', ...args], env)
    await s3('mb', 's3://by-aws')
    await s3('cp', '--recursive', 'tree', 's3://by-aws/tree')
    assert.match(await s3('ls', 's3://by-aws/tree/'), /PRE b\/\n.* 5 a\.txt/)
    await s3('sync', 's3://by-aws/tree', 'from-aws')
    compare('from-aws')
    assert.equal(await s3('cp', 's3://by-aws/tree/a.txt', '-'), 'hello')
    await s3('rb', '--force', 's3://by-aws')
  })

  const rclone = needs('rclone')
  it('rclone copies, checks and syncs', { skip: rclone.skip }, async () => {
    const config = path.join(folder, 'rclone.conf')
    const lines = ['[s]', 'type = s3', 'provider = Other', `endpoint = http://${endpoint}`]
    const keys = [`access_key_id = ${pair.access_key_id}`, `secret_access_key = ${pair.secret_access_key}`]
    fs.writeFileSync(config, [...lines, ...keys, ''].join('\n'))
    const rcl = (...args: string[]) => client(rclone.found, ['--config', config, ...args])
    await rcl('copy', '--s3-upload-cutoff', '8M', '--s3-chunk-size', '5M', 'tree', 's:by-rclone/tree')
    await rcl('check', 'tree', 's:by-rclone/tree')
    await rcl('copy', 's:by-rclone/tree', 'from-rclone')
    compare('from-rclone')
    await rcl('sync', 'tree/b/c', 's:by-rclone/tree')
    assert.equal((await rcl('lsf', '-R', 's:by-rclone/tree')).trim(), 'empty')
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
})
