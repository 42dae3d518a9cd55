import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import { databaseFile } from '../../server/db/engine.ts'
import { start } from '../../server/process/start.ts'
import { upgradeDatabase } from '../../server/process/upgrade.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { strongroom } from '../support/process.ts'
import { describeEngines, serverEnv } from '../support/server.ts'

describeEngines('upgrade-database', (engine, itOnce) => {
  let folder: string
  let env: Record<string, string>
  let drop: (() => Promise<void>) | undefined
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-upgrade-'))
  })
  beforeEach(async () => {
    await drop?.()
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    env = { ...serverEnv(fs.mkdtempSync(path.join(folder, 'one-')), postgres?.url), LOG_LEVEL: 'silent' }
  })
  after(async () => {
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('creates the schema, says what it applied, and does nothing the second time', async () => {
    const first = await strongroom(['upgrade-database'], env)
    assert.deepEqual([first.code, first.err], [0, ''])
    assert.match(first.out, /^Applied \d+ migration\(s\): 0001-initial, .*\.\n$/)
    assert.equal((await strongroom(['upgrade-database'], env)).out, 'The database is up to date.\n')
    const file = databaseFile(readConfig(env).databaseUrl)
    if (file !== undefined) assert.ok(fs.existsSync(file))
    const running = await start(readConfig(env), { timers: false })
    await running.stop()
  })

  itOnce('touches neither the storage nor the first administrator', async () => {
    const config = readConfig({ ...env, STORAGE_URL: `file:${path.join(folder, 'nowhere')}` })
    await upgradeDatabase(config)
    assert.ok(!fs.existsSync(path.join(folder, 'nowhere')))
    const { out } = await strongroom(['users', 'list'], env)
    assert.equal(out.trim(), '')
  })

  itOnce('refuses another key than that of the database', async () => {
    const running = await start(readConfig(env), { timers: false })
    await running.stop()
    const { code, err } = await strongroom(['upgrade-database'], {
      ...env,
      SECRET_KEY: 'another key that is long enough, too',
    })
    assert.deepEqual([code, /^SECRET_KEY is not the one[^\n]*\n$/.test(err)], [1, true], err)
  })
})
