import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { replicationWorld } from '../replication/world.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { describeOnce } from '../support/server.ts'
import { commandIn, envIn } from './command.ts'

const gateway = await cephGateway()

describeOnce('the command for replicas', (engine) => {
  if (!gateway) return it('needs an engine', { skip: noGateway }, () => undefined)
  const world = replicationWorld(engine, gateway)
  let folder: string
  let token: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    token = (await world.server.admin.createToken({ body: { name: 'cli' } })).token
    world.server.secrets.add(token)
  })
  after(() => fs.rmSync(folder, { recursive: true, force: true }))
  const { strongroom, ok } = commandIn(() => ({ folder, env: envIn(folder, world.server.url, token) }))

  it('sets up a replica, shows it, verifies it, pauses and ends it', async () => {
    const bucket = await world.bucket()
    const { name, prefix } = await world.storage()
    assert.equal(
      await ok('replication', 'set', bucket, name, '--only', 'a/', '--only', 'b/', '--deletes', '--new-only'),
      `${bucket} → ${name}, under ${prefix}\nwaiting: 0 objects (0 B), for 0 s\nfailed: 0\n`,
    )
    const { rules, existing } = await world.state(bucket)
    assert.deepEqual(rules, [
      { enabled: true, prefix: 'a/', deletes: true },
      { enabled: true, prefix: 'b/', deletes: true },
    ])
    assert.equal(existing, false)
    await world.put(bucket, 'a/1', 'one')
    await world.put(bucket, `b/${'k'.repeat(1020)}`, 'long')
    await world.settle(bucket)
    assert.match(await ok('replication', 'failures', bucket), /^b\/k+: With the prefix .* more than 1,024 bytes\.\n$/)
    assert.match(await ok('replication', 'status', bucket), /failed: 1; "strongroom replication failures/)
    assert.equal(await ok('replication', 'verify', bucket), '')
    await world.foreign.put(`${prefix}a/1`, 'two')
    const verified = await strongroom(['replication', 'verify', bucket])
    assert.deepEqual([verified.code, verified.out], [1, 'different   a/1  Its bytes are other ones.\n'])
    assert.match(await ok('replication', 'pause', bucket), /\(paused\)\n/)
    assert.equal(JSON.parse(await ok('replication', 'resume', bucket, '--json')).paused, false)
    assert.equal(await ok('replication', 'rm', bucket, '--yes'), '')
    assert.equal((await strongroom(['replication', 'status', bucket])).code, 1)
    for (const words of [
      ['set', bucket],
      ['status', bucket, name],
      ['set', bucket, name, '--tag', 'x'],
      ['other', bucket],
    ])
      assert.equal((await strongroom(['replication', ...words])).code, 2, words.join(' '))
  })
})
