// A database that is gone with its disk comes back from the backup place, up to the moment that is said.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-recover-'))
const backup = path.join(root, 'backup')
after(() => fs.rmSync(root, { recursive: true, force: true }))

/** Another machine: its own data folder, the same storage and key. */
const envOf = (name: string): Record<string, string> => ({
  ...serverEnv(path.join(root, name)),
  STORAGE_URL: `file:${path.join(root, 'bytes')}`,
  BACKUP_URL: `file:${backup}`,
})
async function adminOf({ url }: ServerProcess) {
  const body = { username: ADMIN.email, password: ADMIN.password }
  return createClient({ baseUrl: url, token: (await createClient({ baseUrl: url }).login({ body })).access_token })
}
const bodyOf = (i: number): string => `${i} `.repeat(i % 3 === 0 ? 40_000 : 100)
const changesIn = (): string[] => {
  const chains = path.join(backup, 'chains')
  const [chain = ''] = fs.readdirSync(chains)
  const folder = path.join(chains, chain, 'changes')
  return fs
    .readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name))
}
interface Progress {
  state: string
  moment: string
}
const progress = (name: string): Progress =>
  JSON.parse(fs.readFileSync(path.join(root, name, 'strongroom.db-backup-progress'), 'utf8'))
/** Waits until everything acknowledged so far is at the backup place. */
async function stored(name: string): Promise<void> {
  const now = Date.now()
  await until(() => {
    const { state, moment } = progress(name)
    return state === 'following' && Date.parse(moment) > now
  })
}

describe('recovering a database from the backup place', () => {
  let halfway: string
  let whole: string[]
  before(async () => {
    const service = await spawnServer({ ...envOf('first'), LOG_LEVEL: 'error' }, ['serve', '--workers', '2'])
    const admin = await adminOf(service)
    await admin.createBucket({ body: { name: 'files' } })
    for (let i = 0; i < 30; i++) {
      if (i === 15) {
        await stored('first')
        halfway = progress('first').moment
      }
      await admin.putObject({ params: { bucket: 'files', key: `k${i}` }, query: {}, body: bodyOf(i) })
    }
    await stored('first')
    assert.equal(await service.kill('SIGKILL'), 'SIGKILL')
    whole = changesIn()
    fs.rmSync(path.join(root, 'first'), { recursive: true })
  })

  it('brings back everything that was acknowledged, byte for byte, and a service that goes on', async () => {
    const { out, err, code } = await strongroom(['recover'], envOf('second'))
    assert.deepEqual([err, code], ['', 0])
    assert.match(out, /Everything that was acknowledged until 20\S+Z is there: 1 bucket, 30 objects and 1 user/)
    assert.match(out, /Nothing at the backup place is missing or damaged/)
    const service = await spawnServer(envOf('second'))
    const admin = await adminOf(service)
    for (let i = 0; i < 30; i++) {
      const answer = await fetch(`${service.url}/api/v1/buckets/files/objects/k${i}`, {
        headers: {
          authorization: `Bearer ${(await createClient({ baseUrl: service.url }).login({ body: { username: ADMIN.email, password: ADMIN.password } })).access_token}`,
        },
      })
      const hash = createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex')
      assert.equal(hash, createHash('sha256').update(bodyOf(i)).digest('hex'), `k${i}`)
    }
    const uploads = await admin.listAudit({ query: { action: ['upload'], page_size: 100 } })
    assert.equal(uploads.items.length, 30)
    await admin.putObject({ params: { bucket: 'files', key: 'later' }, query: {}, body: 'x' })
    await stored('second')
    assert.equal(await service.kill('SIGTERM'), 0)
    const verified = await strongroom(['verify', '--deep'], envOf('second'))
    assert.equal(verified.code, 0, verified.out)
  })

  it('recovers an earlier moment', async () => {
    const { out, code } = await strongroom(['recover', '--at', halfway], envOf('halfway'))
    assert.equal(code, 0)
    assert.match(out, /1 bucket, 15 objects/)
  })

  it('never writes over a database, nor anything in a dry run', async () => {
    const { err, code } = await strongroom(['recover'], envOf('second'))
    assert.equal(code, 1)
    assert.match(err, /strongroom\.db exists\. A database is never overwritten/)
    const dry = await strongroom(['recover', '--dry-run', '--at', halfway], envOf('dry'))
    assert.match(dry.out, /15 objects[\s\S]*nothing was written/)
    assert.deepEqual(fs.readdirSync(path.join(root, 'dry')), [])
  })

  it('drops a half-written tail whole, and says what it cannot use', async () => {
    const other = path.join(root, 'damaged')
    fs.cpSync(backup, other, { recursive: true })
    const rebased = (file: string) => path.join(other, path.relative(backup, file))
    const recoverAt = (name: string) =>
      strongroom(['recover', '--dry-run', '--from', `file:${other}`, '--at', progress('second').moment], envOf(name))
    const newest = fs.readdirSync(path.join(other, 'chains')).sort().at(-1) as string
    fs.rmSync(path.join(other, 'chains', newest), { recursive: true })
    const last = rebased(whole.at(-1) as string)
    fs.truncateSync(last, fs.statSync(last).size - 100)
    const cut = await recoverAt('cut')
    assert.match(cut.out, /could not be used:\n {2}- \S+ is damaged.*: it was left out/)
    const middle = rebased(whole[Math.floor(whole.length / 2)] as string)
    fs.rmSync(middle)
    const gap = await recoverAt('gap')
    assert.match(gap.out, /is missing, and so \d+ file\(s\) of later changes cannot be used/)
    assert.equal(gap.code, 0)
    // One file in the place of another, as whole as it is.
    fs.copyFileSync(rebased(whole[0] as string), middle)
    assert.match((await recoverAt('swapped')).out, /is damaged, or SECRET_KEY/)
  })

  it('cannot be read with another key, nor mixed with another service', async () => {
    const env = { ...envOf('thief'), SECRET_KEY: 'another secret key of at least 32 characters' }
    const { err, code } = await strongroom(['recover'], env)
    assert.equal(code, 1)
    assert.match(err, /No copy of the database can be read/)
    const service = await spawnServer({
      ...envOf('stranger'),
      STORAGE_URL: `file:${path.join(root, 'others')}`,
      LOG_LEVEL: 'error',
    })
    await until(() => /belongs to another database/.test(service.log()))
    await service.kill('SIGKILL')
  })

  it('says what is wrong with what it is asked', async () => {
    const run = async (...args: string[]) => (await strongroom(['recover', ...args], envOf('asked'))).err
    assert.match(await run('--at', 'yesterday'), /--at must be a time/)
    assert.match(await run('--at', '2020-01-01T00:00:00Z'), /The oldest moment that can be recovered is 20/)
    assert.match(await run('--from', `file:${path.join(root, 'nowhere')}`), /There is no backup of a database there/)
    assert.match(await run('--from', 'ftp://x'), /file:<folder> or s3:/)
  })
})
