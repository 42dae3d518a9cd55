// How much of buckets is encrypted is counted with each change, as usage is; here against what the tables hold.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { compareUsage } from '../../server/storage/buckets/compare.ts'
import { parseMetrics } from '../support/metrics.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const AES = { algorithm: 'AES256' } as const

/** Numbers of a fixed sequence, below a limit (Park and Miller, 1988). */
function sequence(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

describeEngines('how much of buckets is encrypted', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const get = (bucket: string) => server.admin.getBucket({ params: { bucket } })
  const put = (bucket: string, key: string, size: number) =>
    server.admin.putObject({ params: { bucket, key }, body: randomBytes(size) })
  const encrypting = (bucket: string, encryption: typeof AES | null) =>
    server.admin.updateBucket({ params: { bucket }, body: { encryption } })
  async function assertCounted(doing: string): Promise<void> {
    for (const { held, counted } of await compareUsage(server.database.db)) assert.deepEqual(counted, held, doing)
  }
  async function run(kind: 'encrypt' | 'decrypt', bucket: string): Promise<void> {
    const { id } = await server.admin.createJob({ body: { kind, source_bucket: bucket } })
    for (;;) {
      await server.running.tick('jobs')
      const job = await server.admin.getJob({ params: { id } })
      if (job.finished_at !== null) return assert.deepEqual([job.status, job.failed], ['succeeded', 0])
    }
  }

  it('is told of a bucket, and of all together', async () => {
    await server.admin.createBucket({ body: { name: 'told' } })
    await put('told', 'plain', 300)
    await encrypting('told', AES)
    await put('told', 'one', 100)
    await put('told', 'two', 20_000)
    const { used_bytes, object_count, encrypted_bytes, encrypted_objects } = await get('told')
    assert.deepEqual([used_bytes, object_count, encrypted_bytes, encrypted_objects], [20_400, 3, 20_100, 2])
    const usage = await server.admin.usage()
    const [own] = usage.buckets.filter(({ name }) => name === 'told')
    assert.deepEqual([own?.encrypted_bytes, own?.encrypted_objects], [20_100, 2])
    assert.deepEqual([usage.encrypted_bytes, usage.encrypted_objects], [20_100, 2])
    const token = await server.userWith({ bucket_pattern: 'told', prefix: 'a/', actions: ['list'] })
    const inPart = await server.as(token).getBucket({ params: { bucket: 'told' } })
    assert.deepEqual([inPart.encrypted_bytes, inPart.encrypted_objects], [null, null])
    const series = parseMetrics(await (await fetch(`${server.url}/metrics`)).text())
    const seen = (name: string) => ['yes', 'no'].map((encrypted) => series.get(`${name}{encrypted="${encrypted}"}`))
    assert.deepEqual(seen('strongroom_stored_bytes'), [20_100, 300])
    assert.deepEqual(seen('strongroom_stored_objects'), [2, 1])
  })

  it('follows encrypt and decrypt jobs, with versions and without the trash', async () => {
    await server.admin.createBucket({ body: { name: 'followed', versioning: 'enabled' } })
    for (const size of [0, 10, 20_000]) await put('followed', 'kept', size)
    await put('followed', 'other', 5)
    await run('encrypt', 'followed')
    const encrypted = await get('followed')
    assert.deepEqual([encrypted.encrypted_bytes, encrypted.encrypted_objects], [20_015, 2])
    await assertCounted('encrypt')
    await run('decrypt', 'followed')
    const plain = await get('followed')
    assert.deepEqual([plain.encrypted_bytes, plain.encrypted_objects], [0, 0])
    await assertCounted('decrypt')
  })

  for (const versioning of [undefined, 'enabled', 'suspended'] as const)
    it(`is counted with every kind of change (versioning: ${versioning ?? 'off'})`, async () => {
      const here = `here-${versioning ?? 'off'}`
      const there = `there-${versioning ?? 'off'}`
      for (const name of [here, there])
        await server.admin.createBucket({ body: { name, ...(versioning && { versioning: 'enabled' }) } })
      const next = sequence(7)
      const any = <T>(all: readonly T[]): T => all[next(all.length)] as T
      const key = () => `k${next(6)}`
      const bucket = () => any([here, there])
      /** Of what may fail, because there is nothing under a key. */
      const tried = (work: Promise<unknown>) => work.catch(() => undefined)
      const deeds: { readonly [name: string]: () => Promise<unknown> } = {
        encrypting: () => encrypting(bucket(), any([AES, null])),
        put: () => put(bucket(), key(), any([0, 10, 20_000])),
        again: () => put(bucket(), key(), any([5, 30_000])),
        copy: () =>
          tried(
            server.admin.copyObject({
              params: { bucket: bucket() },
              body: { source_bucket: bucket(), source_key: key(), dest_key: key() },
            }),
          ),
        move: () =>
          tried(
            server.admin.moveObject({
              params: { bucket: bucket() },
              body: { source_bucket: bucket(), source_key: key(), dest_key: key() },
            }),
          ),
        describe: () =>
          tried(
            server.admin.updateObject({ params: { bucket: bucket(), key: key() }, body: { metadata: { a: 'b' } } }),
          ),
        delete: () => tried(server.admin.deleteObject({ params: { bucket: bucket(), key: key() } })),
        destroy: () =>
          tried(server.admin.deleteObject({ params: { bucket: bucket(), key: key() }, query: { permanent: true } })),
        restore: async () => {
          const params = { bucket: bucket() }
          const { items } = await server.admin.listTrash({ params })
          const on_conflict = any(['fail', 'replace', 'keep_both'] as const)
          if (items.length > 0)
            await tried(server.admin.restoreTrash({ params, body: { ids: [any(items).id], on_conflict } }))
        },
        version: async () => {
          const params = { bucket: bucket() }
          const { items } = await server.admin.listVersions({ params })
          const one = items.length > 0 ? any(items) : undefined
          if (!one?.version_id) return
          const { version_id } = one
          if (next(2) === 0) await tried(server.admin.restoreVersion({ params, body: { key: one.key, version_id } }))
          else await tried(server.admin.deleteObject({ params: { ...params, key: one.key }, query: { version_id } }))
        },
      }
      for (let i = 0; i < 160; i++) {
        if (i === 80 && versioning === 'suspended')
          for (const name of [here, there])
            await server.admin.updateBucket({ params: { bucket: name }, body: { versioning } })
        const [name, deed] = any(Object.entries(deeds))
        await deed()
        await assertCounted(`${i}: ${name}`)
      }
      const { encrypted_bytes } = await get(here)
      assert.ok((encrypted_bytes ?? 0) > 0, 'something of it is encrypted')
      for (const name of [here, there]) await run('encrypt', name)
      await assertCounted('encrypt')
    })

  itOnce('finds what needs a key of a key service without looking at everything', async () => {
    const { db } = server.database
    for (const table of ['objects', 'versions', 'trash', 'uploads'] as const) {
      const { rows } = await sql<{ detail: string }>`explain query plan select key from ${sql.table(table)}
        where encryption = ${'aws:kms finance'}
          and encryption is not null and encryption <> 'AES256' and encryption <> 'SSE-C' limit 1`.execute(db)
      assert.match(rows.map(({ detail }) => detail).join(), new RegExp(`INDEX ${table}_by_kms_key`))
    }
  })
})
