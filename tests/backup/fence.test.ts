// Of two services that have the database of one instance, the one that took over last may write.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../client/derived.ts'
import { type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-fence-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))

function instance(name: string) {
  const place = path.join(root, name)
  /** Another machine: its own data folder, the same storage, backup place and key. */
  const envOf = (machine: string): Record<string, string> => ({
    ...serverEnv(path.join(place, machine)),
    STORAGE_URL: `file:${path.join(place, 'bytes')}`,
    BACKUP_URL: `file:${path.join(place, 'backup')}`,
    LOG_LEVEL: 'error',
  })
  const isFollowing = (machine: string) => {
    const file = path.join(place, machine, 'strongroom.db-backup-progress')
    return fs.existsSync(file) && JSON.parse(fs.readFileSync(file, 'utf8')).state === 'following'
  }
  return { envOf, isFollowing }
}
async function adminOf({ url }: ServerProcess) {
  const body = { username: ADMIN.email, password: ADMIN.password }
  return createClient({ baseUrl: url, token: (await createClient({ baseUrl: url }).login({ body })).access_token })
}
const objectsOf = async (service: ServerProcess) =>
  (await (await adminOf(service)).listObjects({ params: { bucket: 'files' }, query: {} })).items.map(({ key }) => key)

describe('an instance that another one has taken over from', () => {
  it('makes no further change when it wakes, and ends', { timeout: 240_000 }, async () => {
    const { envOf, isFollowing } = instance('asleep')
    const old = await spawnServer(envOf('old'))
    const admin = await adminOf(old)
    await admin.createBucket({ body: { name: 'files' } })
    await admin.putObject({ params: { bucket: 'files', key: 'before' }, query: {}, body: 'x' })
    await until(() => isFollowing('old'))
    await pause(2000)
    old.child.kill('SIGSTOP')
    const { out, code } = await strongroom(['recover'], envOf('new'))
    assert.equal(code, 0, out)
    const fresh = await spawnServer(envOf('new'))
    // Longer than a look is good for.
    await pause(16_000)
    const write = admin.putObject({ params: { bucket: 'files', key: 'after' }, query: {}, body: 'x' }).then(
      () => 'written',
      (error: { status?: number; code?: string }) => error.status ?? error.code ?? 'cut off',
    )
    old.child.kill('SIGCONT')
    assert.notEqual(await write, 'written')
    assert.equal(await old.kill('SIGCONT'), 0)
    assert.match(old.log(), /another instance has taken over since/)
    assert.deepEqual(await objectsOf(fresh), ['before'])
    const again = await spawnServer(envOf('old')).catch((error: Error) => error.message)
    assert.match(String(again), /This database must not be used any more: another instance has taken over/)
    const command = await strongroom(['users', 'list'], envOf('old'))
    assert.equal(command.code, 1)
    assert.match(command.err, /must not be used any more/)
    assert.equal(await fresh.kill('SIGTERM'), 0)
  })

  it('ends while it serves, all of its processes', { timeout: 240_000 }, async () => {
    const { envOf, isFollowing } = instance('awake')
    const old = await spawnServer(envOf('old'), ['serve', '--workers', '2'])
    await (await adminOf(old)).createBucket({ body: { name: 'files' } })
    await until(() => isFollowing('old'))
    await pause(1500)
    const { code } = await strongroom(['recover'], envOf('new'))
    assert.equal(code, 0)
    let gone = false
    old.child.once('exit', () => {
      gone = true
    })
    await until(() => gone)
    assert.match(old.log(), /another instance has taken over since/)
    // The last that took over is the one: also of two that did.
    const third = await strongroom(['recover'], envOf('third'))
    assert.equal(third.code, 0)
    assert.match((await strongroom(['users', 'list'], envOf('new'))).err, /must not be used any more/)
    assert.equal((await strongroom(['users', 'list'], envOf('third'))).code, 0)
  })
})
