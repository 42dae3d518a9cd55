// A PostgreSQL database whose physical standby was promoted: `recover` compares it with the storages and takes over.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import pg from 'pg'
import { createClient } from '../../client/derived.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-server-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))

async function query<R>(url: string, statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
async function adminOf(baseUrl: string) {
  const body = { username: ADMIN.email, password: ADMIN.password }
  return createClient({ baseUrl, token: (await createClient({ baseUrl }).login({ body })).access_token })
}

it('goes on with a promoted standby and the mirror, and refuses the old main that wakes', {
  timeout: 480_000,
}, async (t) => {
  const primary = await startPostgres()
  t.after(() => primary.stop())
  const { name, url: oldUrl } = await createDatabase(primary.url)
  const standby = await startPostgres({ follows: primary })
  t.after(() => standby.stop())
  const newUrl = Object.assign(new URL(standby.url), { pathname: `/${name}` }).href
  const envOf = (machine: string, databaseUrl: string): Record<string, string> => ({
    ...serverEnv(path.join(root, machine), databaseUrl),
    STORAGE_URL: `file:${path.join(root, machine, 'blobs')}`,
    STORAGE_FOLDERS: root,
    MIRROR_TIMEOUT_SECONDS: '5',
    LOG_LEVEL: 'error',
  })
  const [oldEnv, newEnv] = [envOf('old', oldUrl), envOf('new', newUrl)]
  const replayed = () =>
    until(async () => {
      const [row] = await query<{ done: boolean }>(
        primary.url,
        'select coalesce(bool_and(replay_lsn >= pg_current_wal_flush_lsn()), false) as done from pg_stat_replication',
      )
      return row?.done === true
    })

  const old = await spawnServer(oldEnv)
  const admin = await adminOf(old.url)
  await admin.createStorage({ body: { name: 'nas', kind: 'file', folder: path.join(root, 'nas') } })
  await admin.updateStorage({
    params: { storage: 'default' },
    body: { mirror: { storage: 'nas', acknowledge: 'both' } },
  })
  await admin.createBucket({ body: { name: 'files' } })
  const written = new Map<string, string>()
  async function put(key: string, size: number) {
    const body = randomBytes(size)
    await admin.putObject({ params: { bucket: 'files', key }, query: {}, body })
    written.set(key, hash(body))
  }
  for (let i = 0; i < 40; i++) await put(`replicated/${i}`, i % 2 ? 1000 : 20_000 + i * 10_000)
  await replayed()
  const replicated = new Map(written)
  const lostCopy = 'replicated/0'
  // From here on the standby gets nothing more, as if the network between the two was gone.
  await query(standby.url, "alter system set primary_conninfo = ''")
  await query(standby.url, 'select pg_reload_conf()')
  await until(async () => (await query(primary.url, 'select 1 from pg_stat_replication')).length === 0)
  for (let i = 0; i < 3; i++) await put(`late/${i}`, 50_000)

  await old.kill('SIGKILL')
  const wake = await primary.kill()

  await t.test('nothing is changed before the promotion, or by a dry run', async () => {
    const early = await strongroom(['recover'], newEnv)
    assert.equal(early.code, 1)
    assert.match(early.err, /is a standby that follows another one\. Promote it first/)
    const { out, err, code } = await strongroom(['recover', '--dry-run'], newEnv)
    assert.equal(err, '')
    assert.equal(code, 0)
    assert.match(out, /1 bucket, 40 objects and 1 user/)
    assert.match(out, /This was a dry run: nothing was changed\./)
    assert.equal(fs.existsSync(path.join(root, 'nas', 'epochs')), false)
    assert.equal(fs.existsSync(path.join(root, 'new')), false)
  })

  await query(standby.url, 'select pg_promote()')
  // One of the files of the mirror is gone as well, so that no copy is left of it.
  const [lost] = await query<{ blob_id: string }>(newUrl, `select blob_id from objects where key = '${lostCopy}'`)
  const id = lost?.blob_id ?? ''
  fs.rmSync(path.join(root, 'nas', id.slice(-2), id))

  await t.test('it takes over, and says what is missing', async () => {
    fs.mkdirSync(path.join(root, 'new'))
    fs.cpSync(path.join(root, 'old', 'blobs'), path.join(root, 'new', 'blobs'), { recursive: true })
    fs.rmSync(path.join(root, 'new', 'blobs', id.slice(-2), id))
    const [other] = await query<{ blob_id: string }>(newUrl, "select blob_id from objects where key = 'replicated/2'")
    const onMirror = other?.blob_id ?? ''
    fs.rmSync(path.join(root, 'new', 'blobs', onMirror.slice(-2), onMirror))
    const { out, err, code } = await strongroom(['recover'], newEnv)
    assert.equal(err, '')
    assert.equal(code, 0)
    assert.match(
      out,
      new RegExp(`missing: the bytes of files/${lostCopy} \\(blob ${id}, 20000 bytes\\) are on no copy`),
    )
    assert.equal(out.match(/^missing:/gm)?.length, 1)
    assert.match(out, /The last change in the database is of \S+Z: 1 bucket, 40 objects and 1 user\./)
    assert.match(out, /Of 20 contents that the database names, the bytes of 1 are on no copy\./)
    assert.match(out, /The storage "default" lacks 1 content that is read from the other copy until it is back\./)
    assert.match(out, /3 contents \(150000 bytes\) are newer than the database/)
    assert.match(out, /This database is the one that may write now \(epoch 1\)\./)
    assert.doesNotMatch(out, /older and not in the database|cannot be used now/)
  })

  await t.test('a bounded comparison leaves out what is older', async () => {
    const { out } = await strongroom(['recover', '--dry-run', '--since', new Date().toISOString()], newEnv)
    assert.match(out, /All bytes that the database names are there \(0 contents compared\)\./)
    assert.doesNotMatch(out, /newer than the database/)
    const wrong = await strongroom(['recover', '--since', 'noon'], newEnv)
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /--since must be a time/)
    const from = await strongroom(['recover', '--from', 'file:/nowhere'], newEnv)
    assert.match(from.err, /Usage with PostgreSQL: strongroom recover \[--since <time>\] \[--dry-run\]/)
  })

  await t.test('with only the mirror left, every object that was replicated is as it was', async () => {
    fs.rmSync(path.join(root, 'new', 'blobs'), { recursive: true })
    const { out } = await strongroom(['recover', '--dry-run'], newEnv)
    assert.match(out, /The storage "default" cannot be used now/)
    assert.match(out, /Of 1 content, it is not known, because no copy was found where one could be looked for\./)
    const fresh = await spawnServer(newEnv, ['serve', '--accept-new-storage'])
    const client = await adminOf(fresh.url)
    const list = await client.listObjects({ params: { bucket: 'files' }, query: { limit: 100 } })
    assert.deepEqual(list.items.map(({ key }) => key).sort(), [...replicated.keys()].sort())
    for (const [key, sum] of replicated)
      if (key !== lostCopy) {
        const body = await client.getObject({ params: { bucket: 'files', key } })
        assert.equal(hash(new Uint8Array(await body.arrayBuffer())), sum, key)
      }
    await client.putObject({ params: { bucket: 'files', key: 'after' }, query: {}, body: 'x' })
    assert.equal(await fresh.kill('SIGTERM'), 0)
  })

  await t.test('the old main is refused, and cannot take back what it had', async () => {
    await wake()
    const again = await spawnServer(oldEnv).catch((error: Error) => error.message)
    assert.match(String(again), /This database must not be used any more: another instance has taken over/)
    const taking = await strongroom(['recover'], oldEnv)
    assert.equal(taking.code, 1)
    assert.match(taking.err, /must not be used any more: another instance has taken over/)
    const [row] = await query<{ epoch: number }>(oldUrl, 'select epoch from instance')
    assert.equal(Number(row?.epoch), 0)
    assert.equal((await strongroom(['users', 'list'], newEnv)).code, 0)
  })
})
