import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createClient } from '../../client/derived.ts'
import { systemActor } from '../../server/access/actors.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext, type System } from '../../server/context.ts'
import { openDatabase } from '../../server/db/open.ts'
import type { Row } from '../../server/db/schema.ts'
import { hashRow } from '../../server/features/audit/hashes.ts'
import { currentKey } from '../../server/features/audit/keys.ts'
import { verifyChain } from '../../server/features/audit/verify.ts'
import { type Running, start } from '../../server/process/start.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, allActions, describeEngines, SECRET_KEY, serverEnv, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000

describeEngines('retention', (engine) => {
  it('removes expired records, leaves an anchor, records the purge, and the chain still verifies', async () => {
    const server = await startServer(engine)
    try {
      await server.admin.createBucket({ body: { name: 'kept' } })
      const put = async (count: number) => {
        for (let i = 0; i < count; i++)
          await server.admin.putObject({ params: { bucket: 'kept', key: `${randomUUID()}` }, body: 'x' })
      }
      await put(20)
      await server.running.tick()
      const old = (await allActions(server.database)).length
      await server.later(364 * DAY)
      await put(5)
      await server.records([], () => server.running.tick())
      await server.later(2 * DAY)
      await put(3)
      await server.records([{ action: 'audit_purge' }], () => server.running.tick())
      const [{ details, actor } = assert.fail()] = (
        await server.admin.listAudit({ query: { action: ['audit_purge'] } })
      ).items
      assert.equal(actor.type, 'system')
      const { first_seq, last_seq, records, faults, chain_hash } = details
      assert.deepEqual([first_seq, last_seq, records, faults], [1, old, old, 0])
      const found = await server.admin.verifyAudit()
      assert.deepEqual(
        [found.ok, found.first_seq, found.anchor, found.fault_count],
        [true, old + 1, { seq: old, chain_hash }, 0],
      )
      const left = await allActions(server.database)
      assert.ok(left.every(({ time }) => time > '2026-06'))

      // 0 keeps records forever. Unsealed records are never removed, however old.
      await server.admin.updateSettings({ body: { audit: { retention_days: 0 } } })
      await server.later(5000 * DAY)
      await server.records([], () => server.running.tick())
      await server.admin.updateSettings({ body: { audit: { retention_days: 1 } } })
      // Tampered with before its time was over: the record of the purge says so.
      const db = server.database
      const run = (text: string) => db.transaction((tx) => sql.raw(text).execute(tx))
      if (engine === 'sqlite') await run('drop trigger audit_sealed_no_update')
      else await run('alter table audit_sealed disable trigger user')
      await run(`update audit_sealed set object_key = 'x' where id = '${left[2]?.id}'`)
      if (engine === 'postgres') await run('alter table audit_sealed enable trigger user')
      await server.later(10 * DAY)
      await server.running.tick()
      const purges = (await server.admin.listAudit({ query: { action: ['audit_purge'] } })).items
      assert.deepEqual(
        purges.map((one) => one.details.faults),
        [1],
      )
      assert.equal((await server.admin.verifyAudit()).ok, true)
      assert.ok((await allActions(db)).every(({ time }) => Date.parse(time) > server.clock.now().getTime() - 2 * DAY))
    } finally {
      await server.stop()
    }
  })

  it('ignores settings without a record of who set them, and verification reports them', async () => {
    const server = await startServer(engine)
    const set = (settings: string) =>
      server.database.transaction((tx) => tx.updateTable('settings').set({ overrides: settings }).execute())
    try {
      await server.later(40 * DAY)
      await server.records([], () => server.running.tick())
      const before = await allActions(server.database)
      for (const days of [-1000, 1e9, '1', null, 0.5]) {
        await set(JSON.stringify({ audit: { retention_days: days } }))
        await server.records([], () => server.running.tick())
        assert.equal((await server.admin.getSettings()).audit.retention_days, 0)
        assert.equal((await server.admin.verifyAudit()).ok, true)
      }
      // Legal, and shorter than the default that was never changed.
      await set('{"audit":{"retention_days":30}}')
      await server.records([], () => server.running.tick())
      assert.match(server.logged(), /invalid stored settings ignored.*/)
      assert.match(server.logged(), /audit.retention_days was shortened without an audit record/)
      const told = (await server.admin.verifyAudit()).faults.map(({ kind, message }) => [kind, message])
      assert.deepEqual(told, [
        ['retention', 'audit.retention_days is 30 in the settings, but the audit log records 365.'],
      ])
      // Records that this service did not write are not believed, however many there are.
      await server.database.transaction((tx) =>
        tx
          .insertInto('audit_recent')
          .values(Array.from({ length: 45 }, () => forgedRetention(server.clock.now(), 30)))
          .execute(),
      )
      await server.records([], () => server.running.tick())
      assert.deepEqual(
        (await server.admin.verifyAudit()).faults
          .filter(({ kind }) => kind === 'retention')
          .map(({ message }) => message),
        ['audit.retention_days is 30 in the settings, but the audit log records 365.'],
      )
      const ids = new Set((await allActions(server.database)).map(({ id }) => id))
      assert.ok(before.every(({ id }) => ids.has(id)))

      // Set by an administrator it holds, and it holds on when its record has itself been removed.
      await set('{}')
      await server.admin.updateSettings({ body: { audit: { retention_days: 30 } } })
      await server.records([{ action: 'audit_purge' }], () => server.running.tick())
      await server.later(60 * DAY)
      await server.running.tick()
      await server.running.tick()
      assert.equal((await server.admin.listAudit({ query: { action: ['settings_update'] } })).total, 0)
      assert.equal((await server.admin.verifyAudit()).ok, true)
      await set('{"audit":{"retention_days":2}}')
      await server.later(10 * DAY)
      await server.running.tick()
      const [fault] = (await server.admin.verifyAudit()).faults
      assert.deepEqual(
        [fault?.kind, fault?.message],
        ['retention', 'audit.retention_days is 2 in the settings, but the audit log records 30.'],
      )
    } finally {
      await server.stop()
    }
  })
})

describeEngines('the keys of the audit log', (engine) => {
  it('survive a new SECRET_KEY; without the old one, what it signed cannot be verified', async () => {
    const server = await startServer(engine)
    const NEXT = 'another secret key of tests that is long enough'
    const run = async (
      env: Record<string, string>,
      work: (running: Running) => Promise<unknown>,
      accepted = { newKey: false, newStorage: false },
    ) => {
      const running = await start(readConfig({ ...server.env, ...env }), {
        accepted,
        now: server.clock.now,
        timers: false,
        logTo: new PassThrough().resume(),
      })
      try {
        await work(running)
      } finally {
        await running.stop()
      }
    }
    const verify = async ({ url }: Running) => {
      const { access_token } = await createClient({ baseUrl: url }).login({
        body: { username: ADMIN.email, password: ADMIN.password },
      })
      return createClient({ baseUrl: url, token: access_token }).verifyAudit()
    }
    try {
      await server.running.tick()
      const both = { SECRET_KEY: NEXT, SECRET_KEY_PREVIOUS: SECRET_KEY }
      await run(both, async (running) => {
        await running.tick()
        const found = await verify(running)
        assert.deepEqual([found.ok, found.keys.length, found.pending], [true, 1, 1])
      })
      const { runCommand } = await import('../../server/process/commands.ts')
      assert.equal(await runCommand('rotate-secrets', [], { ...server.env, ...both, LOG_LEVEL: 'silent' }), 0)
      await run({ SECRET_KEY: NEXT }, async (running) => {
        await running.tick()
        assert.equal((await verify(running)).ok, true)
      })
      const third = { SECRET_KEY: 'a third secret key, and the second one is lost' }
      const goOn = async (running: Running) => {
        const lost = await verify(running)
        assert.equal(lost.ok, false)
        assert.deepEqual(lost.faults.find(({ kind }) => kind === 'forged')?.seq, 1)
        // The service continues with a new key.
        await running.tick()
        assert.equal((await verify(running)).pending, 1)
      }
      await assert.rejects(run(third, goOn), /--accept-new-key/)
      await run(third, goOn, { newKey: true, newStorage: false })
    } finally {
      await server.stop()
    }
  })
})

describeEngines('a long audit log', (engine) => {
  it('is verified in pieces and exported in a stream; records without a MAC are forged', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-old-'))
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    const env = { ...serverEnv(folder, postgres?.url), LOG_LEVEL: 'silent' }
    const database = await openDatabase(env.DATABASE_URL)
    try {
      await database.migrate()
      await database.transaction(async (tx) => {
        const key = await currentKey(tx, readConfig(env), new Date())
        const rows = Array.from({ length: 2500 }, (_, i) => oldRecord(i))
        for (let i = 0; i < rows.length; i += 500)
          await tx
            .insertInto('audit_recent')
            .values(rows.slice(i, i + 500).map((row) => ({ ...row, mac: key.mac(hashRow(row)) })))
            .execute()
      })
      let log = ''
      const logTo = new PassThrough().on('data', (chunk) => {
        log += chunk
      })
      const running = await start(readConfig({ ...env, LOG_LEVEL: 'info' }), { timers: false, logTo })
      await running.tick()
      const { access_token } = await createClient({ baseUrl: running.url }).login({
        body: { username: ADMIN.email, password: ADMIN.password },
      })
      const client = createClient({ baseUrl: running.url, token: access_token })
      const found = await client.verifyAudit()
      assert.deepEqual([found.ok, found.first_fault, found.first_seq], [true, null, 1])
      assert.ok(found.checked > 2500)
      assert.equal((await client.listAudit({ query: { action: ['old_action'] } })).total, 2500)

      // With a limit of zero it checks one batch, and the next call continues there.
      const config = readConfig(env)
      const ctx = createContext({ database, config } as System, systemActor)
      let checked = 0
      let rounds = 0
      for (let from: number | undefined; ; rounds++) {
        const part = await verifyChain(ctx, { from, most: -1, checkpoints: [] })
        assert.deepEqual([part.ok, part.complete, part.first_seq], [true, part.next_seq === null, from ?? 1])
        checked += part.checked
        if (part.next_seq === null) break
        from = part.next_seq
      }
      assert.deepEqual([checked, rounds], [found.checked, 5])

      // A client that leaves ends the export.
      const leave = new AbortController()
      const answer = await client.exportAudit({ signal: leave.signal })
      await answer.body?.getReader().read()
      leave.abort()
      await until(() => /an audit export was cut short/.test(log))
      assert.ok(Number(/"records":(\d+),"msg":"an audit export/.exec(log)?.[1]) < 2500)
      await database.transaction((tx) =>
        tx
          .insertInto('audit_recent')
          .values({ ...oldRecord(1), mac: null })
          .execute(),
      )
      await running.tick()
      assert.equal((await client.verifyAudit()).first_fault?.kind, 'forged')
      await running.stop()
    } finally {
      await database.close()
      await postgres?.drop()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** A record that somebody with access to the database alone could insert. */
const forgedRetention = (now: Date, days: number): Row<'audit'> => ({
  ...oldRecord(0),
  time: now.toISOString(),
  action: 'settings_update',
  details: JSON.stringify({ after: { audit: { retention_days: days } } }),
  mac: null,
})

/** So long that an export does not fit into the buffers between the service and its client. */
const PADDING = 'x'.repeat(8000)
function oldRecord(i: number): Omit<Row<'audit'>, 'mac'> {
  const nothing = { status_code: null, error_code: null, token_id: null, session_id: null, actor_ip: null }
  return {
    ...nothing,
    id: newId(),
    time: '2025-12-31T23:59:59.999Z',
    action: 'old_action',
    result: 'success',
    actor_user_id: null,
    actor_email: null,
    actor_type: 'system',
    auth_method: 'system',
    user_agent: null,
    request_id: null,
    method: null,
    route: null,
    bucket: null,
    object_key: `ключ/${i}`,
    resource_type: null,
    resource_id: null,
    details: JSON.stringify({ n: i, long: PADDING }),
  } as Omit<Row<'audit'>, 'mac'>
}

describe('two services over PostgreSQL', () => {
  /** Asserts that every record is in the chain once and that the chain is complete; returns their number. */
  async function checkWhole(url: string, token: string, databaseUrl: string): Promise<number> {
    const client = createClient({ baseUrl: url, token })
    await until(async () => (await client.verifyAudit()).pending <= 1)
    const found = await client.verifyAudit()
    assert.deepEqual([found.ok, found.complete, found.first_fault], [true, true, null])
    const database = await openDatabase(databaseUrl)
    // Of one moment: the verification itself was recorded, and is sealed while this reads.
    const { links, records, recent } = await database.transaction(async (tx) => {
      await sql`set transaction isolation level repeatable read`.execute(tx)
      return {
        links: await tx.selectFrom('audit_chain').select(['seq', 'audit_id']).orderBy('seq').execute(),
        records: await allActions({ db: tx }),
        recent: await tx.selectFrom('audit_recent').select('id').execute(),
      }
    })
    await database.close()
    assert.deepEqual(
      links.map(({ seq }) => seq),
      links.map((_, i) => i + 1),
    )
    assert.equal(new Set(links.map(({ audit_id }) => audit_id)).size, links.length)
    assert.equal(new Set(records.map(({ id }) => id)).size, records.length)
    assert.equal(links.length + recent.length, records.length)
    return links.length
  }
  const login = async (url: string) =>
    (await createClient({ baseUrl: url }).login({ body: { username: ADMIN.email, password: ADMIN.password } }))
      .access_token

  it('seal while eight clients write: one unbroken chain', { timeout: 120_000 }, async (t) => {
    const postgres = await createDatabase(await postgresUrl())
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-seal-'))
    const env = { ...serverEnv(folder, postgres.url), LOG_LEVEL: 'silent' }
    const services = [
      await start(readConfig(env), { timers: false }),
      await start(readConfig(env), { timers: false }),
    ] as const
    try {
      const token = await login(services[0].url)
      const clients = Array.from({ length: 8 }, (_, i) => createClient({ baseUrl: services[i % 2 ? 1 : 0].url, token }))
      await clients[0]?.createBucket({ body: { name: 'busy' } })
      let writing = true
      const sealing = services.map(async (service) => {
        while (writing) await service.tick()
      })
      const deadline = performance.now() + 4000
      let written = 0
      await Promise.all(
        clients.map(async (client, c) => {
          for (let i = 0; performance.now() < deadline; i++, written++)
            await client.putObject({ params: { bucket: 'busy', key: `${c}/${i}` }, body: 'x' })
        }),
      )
      writing = false
      await Promise.all(sealing)
      for (const service of services) await service.tick()
      const count = await checkWhole(services[1].url, token, postgres.url)
      assert.ok(count > written)
      t.diagnostic(`${written} uploads, ${count} links`)
    } finally {
      for (const service of services) await service.stop()
      await postgres.drop()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })

  it('are killed while they seal: nothing is lost, nothing is sealed twice', { timeout: 150_000 }, async (t) => {
    const postgres = await createDatabase(await postgresUrl())
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-seal-'))
    const env = { ...serverEnv(folder, postgres.url), LOG_LEVEL: 'error' }
    let services: ServerProcess[] = [await spawnServer(env), await spawnServer(env)]
    try {
      let token = await login(services[0]?.url ?? '')
      await createClient({ baseUrl: services[0]?.url ?? '', token }).createBucket({ body: { name: 'killed' } })
      let acknowledged = 0
      for (let round = 0; round < 3; round++) {
        const begun = acknowledged
        let dying = false
        const writers = Array.from({ length: 8 }, async (_, c) => {
          const client = createClient({ baseUrl: services[c % 2]?.url ?? '', token })
          try {
            for (let i = 0; !dying; i++) {
              await client.putObject({ params: { bucket: 'killed', key: `${round}/${c}/${i}` }, body: 'x' })
              acknowledged++
            }
          } catch (error) {
            if (!dying) throw error
          }
        })
        const database = await openDatabase(postgres.url)
        const head = async () =>
          (await database.db.selectFrom('audit_head').select('seq').executeTakeFirstOrThrow()).seq
        const before = await head()
        // In the midst: some of this round are sealed, some wait.
        await until(async () => acknowledged > begun + 100 && (await head()) > before)
        dying = true
        await Promise.all(services.map((one) => one.kill('SIGKILL')))
        await Promise.all(writers)
        await database.close()
        services = [await spawnServer(env), await spawnServer(env)]
        token = await login(services[0]?.url ?? '')
        await checkWhole(services[round % 2]?.url ?? '', token, postgres.url)
      }
      const database = await openDatabase(postgres.url)
      const uploads = (await allActions(database)).filter(({ action }) => action === 'upload').length
      await database.close()
      assert.ok(uploads >= acknowledged)
      t.diagnostic(`${acknowledged} acknowledged, ${uploads} recorded`)
      // The end of a service seals what waits and writes a checkpoint.
      for (const one of services) assert.equal(await one.kill('SIGTERM'), 0)
      const after = await openDatabase(postgres.url)
      assert.deepEqual(await after.db.selectFrom('audit_recent').select('id').execute(), [])
      const [last] = await after.db.selectFrom('audit_checkpoints').selectAll().orderBy('n', 'desc').limit(1).execute()
      const head = await after.db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()
      await after.close()
      assert.deepEqual([last?.seq, last?.chain_hash, last?.n], [head.seq, head.chain_hash, head.checkpoints])
    } finally {
      await Promise.all(services.map((one) => one.kill('SIGKILL')))
      await postgres.drop()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})
