import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { startTransit } from '../support/key-services.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { commandIn, envIn } from './command.ts'

const bucket = 'sealed'
const TOKEN = 'the-token-of-the-tests'

describeOnce('the commands for encryption', (engine) => {
  let server: TestServer
  let transit: Awaited<ReturnType<typeof startTransit>>
  let folder: string
  let token: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    server = await startServer(engine)
    transit = await startTransit(TOKEN)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    for (const secret of [token, TOKEN]) server.secrets.add(secret)
    await server.admin.createBucket({ body: { name: bucket } })
    for (const key of ['a', 'b']) await server.admin.putObject({ params: { bucket, key }, body: key })
  })
  after(async () => {
    for (const secret of server.secrets) assert.equal(printed().includes(secret), false)
    await server.stop()
    await transit.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const { strongroom, ok, printed } = commandIn(() => ({ folder, env: envIn(folder, server.url, token) }))
  const create = (input: string, ...more: string[]) =>
    strongroom(['kms-keys', 'create', 'finance', 'strongroom', '--kind', 'transit', '--mount', 'keys', ...more], {
      input,
    })
  const encryptions = async () => {
    const { items } = await server.admin.listObjects({ params: { bucket } })
    return items.map(({ encryption }) => encryption)
  }
  const worked = async (id: string): Promise<Job> => {
    for (;;) {
      await server.running.tick('jobs')
      const job = await server.admin.getJob({ params: { id } })
      if (job.finished_at !== null) return job
    }
  }

  it('list, register, turn off and delete keys of key services', async () => {
    assert.equal(await ok('kms-keys'), '')
    await server.records([], async () => {
      const refused = await create('another token\n', '--endpoint', transit.url)
      assert.equal(refused.code, 1)
      assert.match(refused.err, /The key "finance" cannot be used: it answers 403/)
    })
    await server.records([{ action: 'kms_key_create' }], async () => {
      const { out, code } = await create(`${TOKEN}\n`, '--endpoint', transit.url)
      assert.deepEqual([out, code], ['Registered the key finance.\n', 0])
    })
    assert.equal(await ok('kms-keys', 'list'), `finance  transit  on   strongroom at ${transit.url}\n`)
    await server.records([{ action: 'kms_key_update' }], async () => {
      assert.equal(await ok('kms-keys', 'disable', 'finance'), 'The key finance is off.\n')
    })
    assert.match(await ok('kms-keys'), /^finance {2}transit {2}off {2}/)
    await server.records([{ action: 'kms_key_update' }], async () => {
      const key = JSON.parse(await ok('kms-keys', '--json', 'enable', 'finance'))
      assert.deepEqual([key.name, key.enabled], ['finance', true])
    })
    await ok('buckets', 'set', bucket, '--encryption', 'aws:kms:finance')
    await server.records([], async () => {
      const { err, code } = await strongroom(['kms-keys', 'delete', 'finance'])
      assert.equal(code, 1)
      assert.match(err, /Something is encrypted with the key "finance"/)
    })
    await ok('buckets', 'set', bucket, '--encryption', 'none')
    await server.records([{ action: 'kms_key_delete' }], async () => {
      assert.equal(await ok('kms-keys', 'delete', 'finance'), 'Deleted the key finance.\n')
    })
  })

  it('encrypt and decrypt a bucket, and follow a job that does so already', async () => {
    assert.equal(await ok('encrypt', bucket), '2 done\n')
    assert.deepEqual(await encryptions(), [{ algorithm: 'AES256' }, { algorithm: 'AES256' }])
    const id = (await ok('decrypt', '--no-wait', bucket)).trim()
    await worked(id)
    assert.deepEqual(await encryptions(), [undefined, undefined])
    assert.match(await ok('jobs'), new RegExp(`^${id} .* decrypt `))
    // As if another process worked on it.
    const leased_until = new Date(server.clock.now().getTime() + 300_000).toISOString()
    const open = { status: 'running', finished_at: null, runner: 'elsewhere', leased_until } as const
    await server.database.transaction((tx) => tx.updateTable('jobs').set(open).where('id', '=', id).execute())
    assert.equal((await ok('decrypt', '--no-wait', bucket)).trim(), id)
  })

  it('say how they are used', async () => {
    for (const args of [
      ['kms-keys', 'create', 'finance'],
      ['kms-keys', 'delete'],
      ['kms-keys', 'list', 'x'],
      ['kms-keys', 'enable', 'not/a/name'],
      ['kms-keys', '--region', 'x'],
      ['kms-keys', 'create', 'finance', 'x', '--kind', 'other'],
      ['encrypt'],
      ['encrypt', bucket, '--encryption', 'none'],
      ['encrypt', bucket, '--encryption', 'aws:kms'],
    ])
      assert.equal((await strongroom(args)).code, 2, args.join(' '))
  })
})
