// Nothing is deleted for its age while the clock is in doubt.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { start } from '../../server/process/start.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { ADMIN, describeEngines, onS3, serverEnv } from '../support/server.ts'

const HOUR = 3600_000
const DAY = 24 * HOUR

describeEngines('a clock that jumps', (engine, itOnce) => {
  if (onS3) return describe('needs no S3', () => {})

  /** A service whose clock and uptime the test moves, with something in the trash, and the audit log kept for 30 days. */
  async function withService(
    work: (service: Awaited<ReturnType<typeof open>>) => Promise<void>,
    { sampled = true }: { sampled?: boolean } = {},
  ) {
    const service = await open(sampled)
    try {
      await work(service)
    } finally {
      await service.close()
    }
  }
  async function open(sampled: boolean) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-clock-'))
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    const env = { ...serverEnv(folder, postgres?.url), LOG_LEVEL: 'warn' }
    const time = { wall: Date.parse('2026-03-01T12:00:00Z'), uptime: 5 * DAY }
    let log = ''
    const logTo = new Writable({
      write(chunk, _encoding, done) {
        log += chunk
        done()
      },
    })
    const begin = () =>
      start(readConfig(env), { now: () => new Date(time.wall), uptime: () => time.uptime, timers: false, logTo })
    let running = await begin()
    const client = async () => {
      const body = { username: ADMIN.email, password: ADMIN.password }
      const { access_token: token } = await createClient({ baseUrl: running.url }).login({ body })
      return createClient({ baseUrl: running.url, token })
    }
    const admin = await client()
    await admin.createBucket({ body: { name: 'kept' } })
    await admin.updateSettings({ body: { audit: { retention_days: 30 } } })
    await admin.putObject({ params: { bucket: 'kept', key: 'a' }, body: 'in the trash' })
    await admin.deleteObject({ params: { bucket: 'kept', key: 'a' } })
    const database = await openDatabase(env.DATABASE_URL)
    const count = async (table: 'trash' | 'audit_sealed' | 'usage_samples') =>
      Number(
        (
          await database.db
            .selectFrom(table)
            .select((e) => e.fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      )
    await running.tick('audit-seal')
    // Before the first sample of the usage: the first day is no exception.
    if (!sampled) assert.equal(await count('usage_samples'), 0)
    else await running.tick()
    const before = { trash: 1, audit: await count('audit_sealed') }
    assert.ok(before.audit > 3)
    return {
      time,
      tick: () => running.tick(),
      restart: async () => {
        await running.stop()
        running = await begin()
      },
      lines: () => log.split('\n').filter((line) => line !== ''),
      errors: () => log.match(/deletion by age is suspended: [^"]+/g) ?? [],
      forget: () => {
        log = ''
      },
      /** Whether all of it is there still. */
      async assertKept() {
        assert.equal(await count('trash'), before.trash)
        assert.ok((await count('audit_sealed')) >= before.audit)
      },
      async assertExpired() {
        assert.equal(await count('trash'), 0)
        assert.ok((await count('audit_sealed')) < before.audit)
      },
      async close() {
        await running.stop()
        await database.close()
        await postgres?.drop()
        fs.rmSync(folder, { recursive: true, force: true })
      },
    }
  }

  it('deletes nothing after a jump, until the clock is set back', () =>
    withService(async ({ time, tick, errors, forget, assertKept, assertExpired }) => {
      time.uptime += 60_000
      time.wall += 60_000 + 400 * DAY
      await tick()
      await assertKept()
      assert.ok(errors().length >= 5)
      assert.match(errors()[0] ?? '', /jumped 9600 hours ahead/)
      // However long that lasts.
      time.uptime += 3 * DAY
      time.wall += 3 * DAY
      await tick()
      await assertKept()
      time.wall -= 400 * DAY
      forget()
      await tick()
      assert.deepEqual(errors(), [])
      await assertKept()
      // Time that has passed is no leap, however much of it between two runs.
      time.uptime += 40 * DAY
      time.wall += 40 * DAY
      await tick()
      assert.deepEqual(errors(), [])
      await assertExpired()
    }))

  itOnce('a change of an hour, and a correction of less than a day, are not jumps', () =>
    withService(async ({ time, tick, errors, assertExpired }) => {
      time.wall += 23 * HOUR
      await tick()
      time.wall -= 46 * HOUR
      await tick()
      assert.deepEqual(errors(), [])
      time.uptime += 40 * DAY
      time.wall += 40 * DAY
      await tick()
      await assertExpired()
    }),
  )

  it('after downtime it waits a day before it deletes, because the clock may be wrong', () =>
    withService(async ({ time, tick, restart, errors, forget, assertKept, assertExpired }) => {
      time.wall += 40 * DAY
      time.uptime = 1000
      await restart()
      await tick()
      await assertKept()
      assert.match(errors()[0] ?? '', /ahead of the newest time in the database when this process started/)
      time.wall += DAY + 1000
      time.uptime += DAY + 1000
      forget()
      await tick()
      assert.deepEqual(errors(), [])
      await assertExpired()
    }))

  itOnce('a service that ran for less than a minute is guarded too, however often it is restarted', () =>
    withService(
      async ({ time, tick, restart, lines, forget, assertKept, assertExpired }) => {
        const right = time.wall
        for (let starts = 0; starts < 3; starts++) {
          time.wall = right + 40 * DAY + starts * HOUR
          time.uptime = 1000
          forget()
          await restart()
          assert.match(lines().join(), /"level":"?(50|error)"?.*deletion by age is suspended: the clock was 96\d hours/)
          await tick()
          await assertKept()
        }
        // Set back by less than it was ahead.
        time.wall = right + 30 * DAY
        time.uptime = 1000
        await restart()
        await tick()
        await assertKept()
        // Nobody has set it right for a day: then that is the time.
        for (const wall of [time.wall + 12 * HOUR, time.wall + DAY + HOUR]) {
          await assertKept()
          time.wall = wall
          time.uptime += 12 * HOUR
          await restart()
          await tick()
        }
        await assertExpired()
      },
      { sampled: false },
    ),
  )

  itOnce('says at the start how far the clock is behind the newest record', () =>
    withService(
      async ({ time, restart, lines, forget, assertKept }) => {
        time.wall -= 5 * 60_000
        forget()
        await restart()
        assert.deepEqual(lines(), [])
        time.wall -= 2 * DAY
        await restart()
        assert.equal(lines().length, 1)
        assert.match(
          lines()[0] ?? '',
          /"level":"?(40|warn)"?.*the clock is 48\.1 hours behind the newest record in the database, 2026-03-01T12:00:00/,
        )
        await assertKept()
      },
      { sampled: false },
    ),
  )

  itOnce('a clock that was wrong at boot and is corrected delays nothing', () =>
    withService(async ({ time, tick, restart, errors, forget, assertKept }) => {
      const [wall, boot] = [time.wall, 1000]
      time.wall += 400 * DAY
      time.uptime = boot
      await restart()
      time.wall = wall + HOUR
      time.uptime += HOUR
      forget()
      await tick()
      assert.deepEqual(errors(), [])
      await assertKept()
      // Wrong in the other direction, and set right: there is nothing to delete in the past, and now is as expected.
      time.wall = Date.parse('1970-01-02T00:00:00Z')
      time.uptime = boot
      await restart()
      await tick()
      time.wall = wall + 2 * HOUR
      time.uptime += 60_000
      forget()
      await tick()
      assert.deepEqual(errors(), [])
      await assertKept()
    }),
  )
})
