import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '../../server/db/open.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'

describe('TLS to PostgreSQL, as DATABASE_URL says', () => {
  let folder: string
  let postgres: Postgres
  let url: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-tls-'))
    for (const name of ['server', 'other'])
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-days',
          '2',
          '-subj',
          '/CN=localhost',
          '-addext',
          'subjectAltName=DNS:localhost',
          '-keyout',
          path.join(folder, `${name}.key`),
          '-out',
          path.join(folder, `${name}.crt`),
        ],
        { stdio: 'ignore' },
      )
    postgres = await startPostgres({ tls: folder })
    url = (await createDatabase(postgres.url)).url
  })
  after(async () => {
    await postgres?.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Whether a connection with these parameters is encrypted; rejects if there is none. */
  async function isEncrypted(query: Record<string, string>, host = 'localhost'): Promise<boolean> {
    const whole = new URL(url)
    whole.hostname = host
    whole.search = new URLSearchParams(query).toString()
    const database = await openDatabase(whole.href)
    try {
      const asked = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      return (await asked.execute(database.db)).rows[0]?.ssl === true
    } finally {
      await database.close()
    }
  }
  const certificate = (name: string): string => path.join(folder, `${name}.crt`)

  it('is used with sslmode=verify-full, with the certificate of its authority', async () => {
    assert.equal(await isEncrypted({ sslmode: 'verify-full', sslrootcert: certificate('server') }), true)
  })
  it('is refused where the certificate is signed by another authority, or unknown', async () => {
    await assert.rejects(isEncrypted({ sslmode: 'verify-full', sslrootcert: certificate('other') }), /certificate/)
    await assert.rejects(isEncrypted({ sslmode: 'verify-full' }), /certificate/)
  })
  it('is refused where the certificate is for another host', async () => {
    await assert.rejects(
      isEncrypted({ sslmode: 'verify-full', sslrootcert: certificate('server') }, '127.0.0.1'),
      /altnames|does not match/,
    )
  })
  it('checks nothing with sslmode=no-verify', async () => {
    assert.equal(await isEncrypted({ sslmode: 'no-verify' }, '127.0.0.1'), true)
  })
  it('is not used without sslmode, nor with disable', async () => {
    assert.equal(await isEncrypted({}), false)
    assert.equal(await isEncrypted({ sslmode: 'disable' }), false)
  })
  it('checks as much with require as with verify-full', async () => {
    await assert.rejects(isEncrypted({ sslmode: 'require' }), /certificate/)
  })
})
