import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDatabase } from '../../server/db/open.ts'
import { prepared } from '../../server/db/prepare.ts'
import type { Tx } from '../../server/db/schema.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'

const insert = prepared(
  (tx: Tx, row: { slot: number; value: number | null }) =>
    tx.insertInto('revisions').values(row as { slot: number; value: number }),
  { blind: true },
)

it('a change that nobody waited for fails its transaction at the commit, whole, and only that one', async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  const database = await openDatabase(url, { connections: 1 })
  const slots = async () =>
    (await database.db.selectFrom('revisions').select('slot').where('slot', '>=', 100).orderBy('slot').execute()).map(
      ({ slot }) => slot,
    )
  try {
    await database.migrate()
    let ended = 0
    const change = (slot: number, value: number | null) =>
      database.transaction(async (tx) => {
        await insert(tx, { slot, value: 1 })
        await insert(tx, { slot: slot + 1, value })
        ended++
      })
    await assert.rejects(change(100, null), { code: '23502' })
    assert.equal(ended, 1)
    assert.deepEqual(await slots(), [])
    await change(100, 1)
    assert.deepEqual(await slots(), [100, 101])
    // One that is found to be taken may be free when it runs again: five times.
    await assert.rejects(change(101, 1), { code: '23505' })
    assert.equal(ended, 7)
    assert.deepEqual(await slots(), [100, 101])
    // A statement after it says what failed, not that something has.
    const after = database.transaction(async (tx) => {
      await insert(tx, { slot: 200, value: null })
      await tx.selectFrom('revisions').select('slot').execute()
    })
    await assert.rejects(after, { code: '23502' })
    // What is refused here is undone, whatever was sent.
    const refused = database.transaction(async (tx) => {
      await insert(tx, { slot: 300, value: 1 })
      await insert(tx, { slot: 301, value: null })
      throw new Error('refused')
    })
    await assert.rejects(refused, /refused/)
    assert.deepEqual(await slots(), [100, 101])
  } finally {
    await database.close()
    await drop()
  }
})
