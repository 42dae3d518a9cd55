// Whose turn it is where several want the same keys: those who wait find what has taken the place of what they waited for.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { formatMoment, parseMoment } from '../../server/base/moment.ts'
import type { Schema } from '../../server/db/schema.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describeEngines('turns', (engine, _itOnce, _itStored, itRaced) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    if (engine === 'postgres') server = await startServer(engine)
  })
  after(() => server?.stop())

  async function open(more: object = {}) {
    const bucket = `turns-${++buckets}`
    await server.admin.createBucket({ body: { name: bucket, ...more } })
    return bucket
  }
  const moment = async (method: string, path: string, body?: unknown) => {
    const isText = typeof body === 'string'
    const response = await fetch(`${server.url}/api/v1/buckets/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server.adminToken}`,
        ...(isText ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.text()}`)
    return response.headers.get('x-strongroom-moment') ?? assert.fail('no moment')
  }
  /** Runs work while others may only read a key, as during a copy of it; it goes on once somebody waits for that. */
  async function whileRead<T>(bucket: string, key: string, work: () => Promise<T>): Promise<{ result: T; at: number }> {
    let waiting: Promise<T> | undefined
    let at = 0
    await server.database.transaction(async (tx) => {
      const db = tx as unknown as Kysely<Schema>
      await sql`select key from objects where key = ${key}
        and bucket_id = (select id from buckets where name = ${bucket}) for share`.execute(db)
      waiting = work()
      await until(async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
        return rows.length > 0
      })
      const { rows } = await sql<{ at: string }>`select strongroom_moment(0) as at`.execute(db)
      at = Number(rows[0]?.at)
    })
    return { result: await (waiting as Promise<T>), at }
  }

  itRaced('a change has a later moment than a copy that still read what it replaces', async () => {
    for (const versioning of [undefined, 'enabled'] as const) {
      const bucket = await open(versioning ? { versioning } : {})
      const put = () => moment('PUT', `${bucket}/objects/b`, 'other')
      await put()
      const form = new FormData()
      for (const name of ['a', 'b']) form.append('file', new Blob(['of a form']), name)
      const upload = async () => {
        const headers = { authorization: `Bearer ${server.adminToken}` }
        const url = `${server.url}/api/v1/buckets/${bucket}/objects`
        const response = await fetch(url, { method: 'POST', headers, body: form })
        assert.equal(response.status, 201)
        return response.headers.get('x-strongroom-moment') ?? assert.fail('no moment')
      }
      await put()
      const { trash_ids } = await server.admin.bulkDelete({ params: { bucket }, body: { keys: ['b'] } })
      await put()
      const restore = () => moment('POST', `${bucket}/trash/restore`, { ids: trash_ids, on_conflict: 'replace' })
      for (const work of [put, upload, ...(versioning ? [] : [restore])]) {
        // As on a real clock, which is the database's.
        await server.later(Date.now() - server.clock.now().getTime())
        const { result, at } = await whileRead(bucket, 'b', work)
        assert.ok(Number(parseMoment(result)) > at, `${work.name}: ${result} is not after ${formatMoment(at)}`)
      }
    }
  })

  itRaced('who waits for an object that is replaced finds the one that replaces it', async () => {
    const bucket = await open()
    const params = { bucket }
    const versioned = await open({ versioning: 'enabled' })
    for (const one of [bucket, versioned])
      for (const key of ['a', 'b']) await server.admin.putObject({ params: { bucket: one, key }, body: key })
    const tags = { a: 'b' }
    const describe = (of: string) => server.admin.updateObject({ params: { bucket: of, key: 'a' }, body: { tags } })
    const copy = { source_bucket: bucket, source_key: 'b', dest_key: 'a' }
    for (let i = 0; i < 10; i++) {
      await Promise.all([
        server.admin.copyObject({ params, body: copy }),
        ...[1, 2, 3].map(() => describe(bucket)),
        server.admin.copyObject({ params, body: { ...copy, source_key: 'a', dest_key: 'c' } }),
      ])
      // The version before takes its place.
      const { version_id } = await server.admin.putObject({ params: { bucket: versioned, key: 'a' }, body: 'newer' })
      await Promise.all([
        server.admin.deleteObject({ params: { bucket: versioned, key: 'a' }, query: { version_id: version_id ?? '' } }),
        ...['d', 'e', 'f'].map((dest_key) =>
          server.admin.copyObject({
            params: { bucket: versioned },
            body: { source_bucket: versioned, source_key: 'a', dest_key },
          }),
        ),
      ])
    }
  })
})
