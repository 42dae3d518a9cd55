// Several processes of the operating system that write and read one key of a mirrored storage, and repair it: `strongroom serve`
// as it is started, with its own clock and workers.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { openDatabase } from '../../server/db/open.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { childrenOf, type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, describeEngines, onS3, STORED, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const BUCKET = 'contested'
const KEY = 'one'
const DEFAULT = { storage: 'default' }
const WRITERS = 4
const READERS = 3
const WRITES_EACH = 20

describeEngines('processes on one key of a mirrored storage', (engine) => {
  it('never read what nobody wrote, leave both copies alike, and repair each damage once', {
    skip: onS3 && 'It damages files.',
  }, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-contested-'))
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    const env = {
      ...serverEnv(folder, postgres?.url),
      ...STORED,
      STORAGE_FOLDERS: path.join(folder, 'disks'),
      MIRROR_TIMEOUT_SECONDS: '60',
      UPLOADS_PER_SENDER: '0',
    }
    fs.mkdirSync(env.STORAGE_FOLDERS)
    const started: ServerProcess[] = []
    const spawned = async (...args: string[]) => {
      const one = await spawnServer(env, args)
      started.push(one)
      return one
    }
    const connect = async ({ url }: ServerProcess) => {
      const body = { username: ADMIN.email, password: ADMIN.password }
      const { access_token: token } = await createClient({ baseUrl: url }).login({ body })
      return { token, client: createClient({ baseUrl: url, token }) }
    }
    const database = { close: async () => {} } as Awaited<ReturnType<typeof openDatabase>>
    try {
      // Processes that start later know of the mirror from their first request on.
      const first = await spawned('serve')
      const { client } = await connect(first)
      await client.createStorage({ body: { name: 'nas', kind: 'file', folder: path.join(env.STORAGE_FOLDERS, 'nas') } })
      const mirror = { storage: 'nas', acknowledge: 'both' } as const
      await client.updateStorage({ params: DEFAULT, body: { mirror } })
      await client.createBucket({ body: { name: BUCKET, trash_days: 0 } })
      await first.kill('SIGTERM')
      // Two processes on one SQLite file; on PostgreSQL a second service with two more.
      const services = [await spawned('serve', '--workers', '2')]
      if (engine === 'postgres') services.push(await spawned('serve', '--workers', '2'))
      for (const { child } of services) assert.equal(childrenOf(child.pid as number).length, 2)
      const { token, client: admin } = await connect(services[0] as ServerProcess)
      await contest(services, token)
      Object.assign(database, await openDatabase(env.DATABASE_URL))
      await repairOnce(database, { admin, services, token, folder })
    } finally {
      await database.close()
      for (const one of started) await one.kill('SIGKILL')
      await postgres?.drop()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** A request on a connection of its own, so that any process may get it. */
function ask(services: readonly ServerProcess[], token: string, init: RequestInit = {}): Promise<Response> {
  const { url } = services[Math.floor(Math.random() * services.length)] as ServerProcess
  const headers = { authorization: `Bearer ${token}`, connection: 'close', ...init.headers }
  return fetch(`${url}/api/v1/buckets/${BUCKET}/objects/${KEY}`, { ...init, headers })
}
const hashOf = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

async function contest(services: readonly ServerProcess[], token: string): Promise<void> {
  const written = new Set<string>()
  let over = false
  const bodyOf = () => {
    const body = randomBytes(Math.floor(Math.random() * 300_000) + 1)
    written.add(hashOf(body))
    return body
  }
  const writer = async (i: number) => {
    for (let n = 0; n < WRITES_EACH; n++) {
      const isDelete = i === 0 && n % 5 === 4
      const answer = await ask(services, token, isDelete ? { method: 'DELETE' } : { method: 'PUT', body: bodyOf() })
      await answer.arrayBuffer()
      assert.ok(answer.ok || (isDelete && answer.status === 404), `${answer.status}`)
    }
  }
  const reader = async () => {
    while (!over) {
      const answer = await ask(services, token)
      const body = Buffer.from(await answer.arrayBuffer())
      // An object that is replaced while it is about to be read may be asked for again.
      assert.ok([200, 404, 503].includes(answer.status), `${answer.status} ${answer.ok ? '' : body}`)
      if (answer.status !== 200) continue
      assert.equal(answer.headers.get('etag'), `"${hashOf(body)}"`)
      assert.ok(written.has(hashOf(body)))
    }
  }
  const readers = Array.from({ length: READERS }, reader)
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => writer(i)))
  const last = bodyOf()
  assert.ok((await ask(services, token, { method: 'PUT', body: last })).ok)
  over = true
  await Promise.all(readers)
  const read = Buffer.from(await (await ask(services, token)).arrayBuffer())
  assert.ok(last.equals(read), 'the last one acknowledged')
}

async function repairOnce(
  { db }: Awaited<ReturnType<typeof openDatabase>>,
  {
    admin,
    services,
    token,
    folder,
  }: { admin: Client; services: readonly ServerProcess[]; token: string; folder: string },
): Promise<void> {
  const { blob_id } = await db.selectFrom('objects').select('blob_id').executeTakeFirstOrThrow()
  const [main, copy] = [path.join(folder, 'blobs'), path.join(folder, 'disks', 'nas')].map((root) =>
    path.join(root, blob_id.slice(-2), blob_id),
  ) as [string, string]
  const good = fs.readFileSync(main)
  assert.ok(good.equals(fs.readFileSync(copy)))
  const heals = async () =>
    (await db.selectFrom('audit').select('details').where('action', '=', 'heal').execute()).filter(
      ({ details }) => (JSON.parse(details) as { blob_id: string }).blob_id === blob_id,
    )
  const due = async () => (await admin.getStorage({ params: DEFAULT })).mirror?.copies_due
  for (const [i, damage] of [
    () => fs.writeFileSync(main, Buffer.concat([good.subarray(1), Buffer.of(1)])),
    () => fs.rmSync(main),
    () => fs.truncateSync(main, good.length - 1),
  ].entries()) {
    damage()
    // Many at once, in all processes, find it.
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const answer = await ask(services, token)
        assert.ok(good.equals(Buffer.from(await answer.arrayBuffer())), `${answer.status}`)
      }),
    )
    await until(async () => (await heals()).length > i)
    // Nobody else is about to record it.
    await until(async () => (await due()) === 0)
    assert.equal((await heals()).length, i + 1)
    assert.ok(good.equals(fs.readFileSync(main)))
  }
}
