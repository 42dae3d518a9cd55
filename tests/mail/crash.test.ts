import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { enqueueMail } from '../../server/access/mail/enqueue.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { type MailServer, startMailServer } from '../support/mail.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { allActions, describeEngines, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

describeEngines('mail of a process that ends', (engine) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-mail-'))
  let drop: (() => Promise<void>) | undefined
  let env: Record<string, string>
  let database: Database
  let mail: MailServer
  let service: ServerProcess

  before(async () => {
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    mail = await startMailServer()
    env = {
      ...serverEnv(folder, postgres?.url),
      MAIL_HOST: '127.0.0.1',
      MAIL_PORT: `${mail.port}`,
      MAIL_SECURITY: 'none',
      MAIL_FROM: 'box@example.com',
    }
    service = await spawnServer(env)
    database = await openDatabase(env.DATABASE_URL ?? '')
  })
  after(async () => {
    await service.kill('SIGKILL')
    await mail.stop()
    await database.close()
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => mail.forget())

  const enqueue = () =>
    database.transaction((tx) =>
      enqueueMail(
        { tx, config: readConfig(env), now: () => new Date() },
        {
          kind: 'share_opened',
          about: newId(),
          to: { address: 'kim@example.com' },
          message: () => ({ subject: 'Hello', lines: ['Hello.'], path: '/', reason: 'You are in a test.' }),
        },
      ),
    )
  const latest = () =>
    database.db.selectFrom('mails').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()
  /** Ends the lease, for which the test would otherwise wait a minute. */
  const endLease = () =>
    database.transaction((tx) => tx.updateTable('mails').set({ lease_until: '2000-01-01T00:00:00.000Z' }).execute())
  const failures = async () => (await allActions(database)).filter(({ action }) => action === 'mail_failed').length

  it('killed before the contents: sent later, once', async () => {
    let waits = false
    mail.refuse = (step) => {
      if (step !== 'recipient') return undefined
      waits = true
      return 'hang'
    }
    await enqueue()
    await until(() => waits)
    assert.equal((await latest()).status, 'queued')
    await service.kill('SIGKILL')
    mail.refuse = () => undefined
    await endLease()
    service = await spawnServer(env)
    await until(async () => (await latest()).status === 'sent')
    assert.deepEqual([mail.arrived, mail.taken.length, await failures()], [1, 1, 0])
  })

  it('stopped before the contents: sent by the next one, and nothing counts', async () => {
    let waits = false
    mail.refuse = (step) => {
      if (step !== 'recipient') return undefined
      waits = true
      return 'hang'
    }
    await enqueue()
    await until(() => waits)
    assert.equal(await service.kill('SIGTERM'), 0)
    const { status, attempts, lease_token } = await latest()
    assert.deepEqual([status, attempts, lease_token, mail.arrived], ['queued', 0, null, 0])
    mail.refuse = () => undefined
    service = await spawnServer(env)
    await until(async () => (await latest()).status === 'sent')
    assert.deepEqual([mail.arrived, await failures()], [1, 0])
  })

  it('killed after the contents and before the answer: unknown, recorded, and not sent again', async () => {
    mail.refuse = (step) => (step === 'message' ? 'hang' : undefined)
    await enqueue()
    await until(() => mail.arrived === 1)
    assert.equal((await latest()).status, 'sending')
    await service.kill('SIGKILL')
    mail.refuse = () => undefined
    await endLease()
    service = await spawnServer(env)
    await until(async () => (await latest()).status === 'unknown')
    assert.deepEqual([mail.arrived, await failures()], [1, 1])
  })

  it('stopped between contents and answer: it waits for the answer', async () => {
    mail.refuse = (step) => (step === 'message' ? 'hang' : undefined)
    await enqueue()
    await until(() => mail.arrived === 1)
    const stopped = service.kill('SIGTERM')
    mail.refuse = () => undefined
    mail.release()
    assert.equal(await stopped, 0)
    assert.deepEqual([(await latest()).status, mail.arrived, mail.taken.length], ['sent', 1, 1])
    service = await spawnServer(env)
  })
})
