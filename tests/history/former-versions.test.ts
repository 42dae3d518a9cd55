// What buckets that keep versions were before their history began, after an upgrade.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { formerVersions } from '../../server/db/migrations/0054-former-versions.ts'
import { columnTypes } from '../../server/db/migrations/types.ts'
import type { Tx } from '../../server/db/schema.ts'
import { describeEngines } from '../support/server.ts'
import { type Bucket, momentsWorld } from './world.ts'

const MINUTE = 60_000

describeEngines('the history of versions after an upgrade', (engine) => {
  const world = momentsWorld(engine)

  /** A release without moments had only this, and the first one with them made this of it. */
  async function upgrade({ name }: Bucket, snapshotAt?: string): Promise<void> {
    const { server } = world
    const micros = (column: string) =>
      sql.raw(
        engine === 'sqlite'
          ? `(strftime('%s', ${column}) * 1000000 + cast(substr(${column}, 21, 3) as integer) * 1000)`
          : `(extract(epoch from ${column}) * 1000000)::bigint`,
      )
    const of = sql`bucket_id = (select id from buckets where name = ${name})`
    const columns = sql.raw(
      'version_id, blob_id, size, etag, sha256, checksums, content_type, headers, metadata, tags, storage_class, lock_mode, locked_until, legal_hold, acl, encryption, created_at, last_modified, created_by',
    )
    const fill = (tx: Tx, table: string, ended: string, more: string) =>
      sql`insert into former_objects (bucket_id, key, moment, ended, ${columns})
        select bucket_id, key, ${micros('last_modified')}, ${micros(ended)}, ${columns} from ${sql.table(table)}
        where ${of} and ${micros('last_modified')} < ${micros(ended)} ${sql.raw(more)}`.execute(tx)
    await server.database.transaction(async (tx) => {
      await tx
        .updateTable('instance')
        .set({ moments_since: server.clock.now().getTime() * 1000 })
        .execute()
      await sql`delete from former_objects where ${of}`.execute(tx)
      await fill(tx, 'trash', 'deleted_at', '')
      await fill(tx, 'versions', 'noncurrent_at', 'and blob_id is not null')
      if (snapshotAt !== undefined)
        await sql`insert into snapshots (id, bucket_id, name, moment, created_at)
          select 'of-before', id, 'of-before', ${Date.parse(snapshotAt) * 1000}, ${snapshotAt} from buckets
          where name = ${name}`.execute(tx)
      await formerVersions(columnTypes[engine]).up(tx as unknown as Kysely<never>)
    })
  }

  it('shows no version as current that was not, and what is not known as erased', async () => {
    const { server, open } = world
    const bucket = await open({ versioning: 'enabled' })
    const times: string[] = []
    const shown = async (at: string) =>
      (await bucket.list(at)).map(({ key, size, erased }) => [key, erased ? 'erased' : size])
    const pass = () => {
      server.clock.advance(MINUTE)
      times.push(server.clock.now().toISOString())
      server.clock.advance(MINUTE)
    }
    await bucket.put('a', '1')
    await bucket.put('whole', '1')
    pass()
    await bucket.put('a', '22')
    await bucket.put('whole', '22')
    pass()
    await bucket.put('a', '333')
    pass()
    const { items } = await server.admin.listVersions({ params: bucket.params, query: { key: 'a' } })
    // The first is deleted while the third is current; the third then, and the second is current again.
    for (const size of [1, 3]) {
      const { version_id = '' } = items.find((one) => one.size === size) ?? {}
      await bucket.remove('a', `?version_id=${version_id}`)
      pass()
    }
    await upgrade(bucket)
    server.clock.advance(MINUTE)
    const whole = (size: number) => ['whole', size]
    const before = await Promise.all(times.map(shown))
    assert.deepEqual(before, [
      [['a', 'erased'], whole(1)],
      [['a', 2], whole(2)],
      // The third was deleted two minutes later: until when it was current, nobody knows.
      [['a', 'erased'], whole(2)],
      [['a', 'erased'], whole(2)],
      [['a', 2], whole(2)],
    ])
    assert.deepEqual(await shown(server.clock.now().toISOString()), [['a', 2], whole(2)])
  })

  it('erases nothing that a snapshot keeps, and reads each version of a key once', async () => {
    const { server, open } = world
    const bucket = await open({ versioning: 'enabled' })
    const many = 300
    await bucket.put('a', 'kept by the snapshot')
    server.clock.advance(MINUTE)
    const at = server.clock.now().toISOString()
    server.clock.advance(MINUTE)
    for (let i = 0; i < many; i++) {
      await bucket.put('a', `later ${i}`)
      server.clock.advance(1000)
    }
    const { items } = await server.admin.listVersions({ params: bucket.params, query: { key: 'a', limit: 1000 } })
    const first = items.find(({ size }) => size === 20)
    await bucket.remove('a', `?version_id=${first?.version_id}`)
    await upgrade(bucket, at)
    server.clock.advance(MINUTE)
    assert.equal(await bucket.text('a', 'of-before'), 'kept by the snapshot')
  })
})
