import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { createDatabase, postgresUrl } from './support/postgres.ts'

test('own database', async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select current_database() as name')
  assert.match(rows[0].name, /^stowage_test_/)
  await client.end()
  await drop()
  console.log(process.version, process.env.UV_THREADPOOL_SIZE, process.env.TEST_POSTGRES_URL ? 'shared' : 'own')
})
test('second', async () => {
  await postgresUrl()
  if (process.env.SLOW) await new Promise((resolve) => setTimeout(resolve, Number(process.env.SLOW)))
})
