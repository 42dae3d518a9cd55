import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Refusal } from '../../server/base/refusal.ts'
import { ConfigError, readConfig } from '../../server/config/config.ts'
import { withSecretFiles } from '../../server/config/secret-files.ts'
import { type Variable, variables } from '../../server/config/variables.ts'
import { openDatabase } from '../../server/db/open.ts'
import { withKeptKey, withServiceKey } from '../../server/process/instance/secret-key.ts'
import { keyId } from '../../server/secrets/derive.ts'
import { bareEnv, MAIN } from '../support/process.ts'

const SECRET_KEY = 'x'.repeat(32)

it('has a default for everything but the key', () => {
  const config = readConfig({ SECRET_KEY })
  assert.deepEqual([config.databaseUrl, config.storageUrl], ['sqlite:data/strongroom.db', 'file:data/blobs'])
  assert.deepEqual(
    [config.publicBaseUrl, config.bcryptCost, config.webhooksEnabled],
    ['http://127.0.0.1:8080', 12, true],
  )
  assert.equal(readConfig({ SECRET_KEY, HOST: '::1', PORT: '1' }).publicBaseUrl, 'http://[::1]:1')
  assert.equal(
    readConfig({ SECRET_KEY, PUBLIC_BASE_URL: 'https://x.example/strongroom/' }).publicBaseUrl,
    'https://x.example/strongroom',
  )
})

it('lists all errors at once, without revealing a secret', () => {
  const env = {
    SECRET_KEY: 'too short a key',
    DATABASE_URL: 'mysql://x',
    STORAGE_URL: 'ftp://x',
    PORT: '70000',
    PUBLIC_BASE_URL: 'nonsense',
    TRUSTED_PROXIES: '10.0.0.1, proxy',
    CORS_ORIGINS: 'https://app.example/path',
    RATE_LIMIT_PUBLIC: '-1',
    REQUEST_TIMEOUT_SECONDS: '0',
    MAX_CONNECTIONS: 'many',
    BOOTSTRAP_ADMIN_PASSWORD: 'short',
    WEBHOOKS_ENABLED: 'yes',
    LOG_LEVEL: 'loud',
    BLOB_GRACE_SECONDS: '1',
  }
  assert.throws(
    () => readConfig(env),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      assert.deepEqual(error.faults.map((fault) => fault.split(' ')[0]).sort(), Object.keys(env).sort())
      assert.doesNotMatch(error.message, /too short a key|short\b(?! )/)
      return true
    },
  )
})

it('refuses to serve with a short or missing SECRET_KEY, and exits 1', () => {
  for (const env of [{}, { SECRET_KEY: 'x'.repeat(31), PORT: 'x' }]) {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'serve'], {
      env: { ...bareEnv, ...env },
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stderr, /SECRET_KEY/)
    if ('PORT' in env) assert.match(stderr, /PORT/)
  }
  assert.equal(spawnSync(process.execPath, [MAIN, 'nonsense'], { encoding: 'utf8' }).status, 2)
})

it('generates a key once and stores it where no one else can read it', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-config-'))
  try {
    const DATA_DIR = path.join(folder, 'data')
    const [first, ...others] = (await Promise.all(Array.from({ length: 4 }, () => withKeptKey({ DATA_DIR })))).map(
      (env) => env.SECRET_KEY ?? '',
    )
    assert.ok(first && first.length >= 32)
    assert.deepEqual(others, [first, first, first], 'those who begin together have one key')
    assert.equal((await withKeptKey({ DATA_DIR })).SECRET_KEY, first)
    assert.equal((await withKeptKey({ DATA_DIR, SECRET_KEY })).SECRET_KEY, SECRET_KEY)
    if (process.platform !== 'win32') assert.equal(fs.statSync(path.join(DATA_DIR, 'secret.key')).mode & 0o777, 0o600)
    assert.deepEqual(fs.readdirSync(DATA_DIR), ['secret.key'])
    assert.notEqual(keyId(first), keyId(SECRET_KEY))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

it('replaces an empty or partial key file as long as there is no database', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-config-'))
  const file = path.join(folder, 'secret.key')
  try {
    for (const part of ['', 'half of a k', '\n']) {
      fs.writeFileSync(file, part)
      const { SECRET_KEY: made = '' } = await withKeptKey({ DATA_DIR: folder })
      assert.ok(made.length >= 32)
      assert.equal(fs.readFileSync(file, 'utf8'), made)
      assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    }
    const database = await openDatabase(`sqlite:${path.join(folder, 'strongroom.db')}`)
    await database.migrate()
    await database.close()
    fs.writeFileSync(file, 'half of a k')
    for (const find of [withKeptKey, withServiceKey])
      await assert.rejects(find({ DATA_DIR: folder }), (error: Error) => {
        assert.ok(error instanceof Refusal)
        assert.match(error.message, /^[^\n]*secret\.key holds no complete key\.[^\n]*$/)
        return true
      })
    fs.rmSync(file)
    for (const find of [withKeptKey, withServiceKey])
      await assert.rejects(find({ DATA_DIR: folder }), /secret\.key does not exist/)
    assert.deepEqual(fs.readdirSync(folder), ['strongroom.db'])
    assert.ok((await withKeptKey({ DATA_DIR: folder }, true)).SECRET_KEY, 'a new one where the former one is lost')
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

describe('secrets from files', () => {
  let folder: string
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-secrets-'))
  })
  after(() => fs.rmSync(folder, { recursive: true, force: true }))
  const file = (name: string, text: string): string => {
    fs.writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }

  it('can be every variable that is a secret, without the line break at the end', () => {
    const env = withSecretFiles({
      SECRET_KEY_FILE: file('key', `${SECRET_KEY}\n`),
      DATABASE_URL_FILE: file('url', 'postgres://u:p@h/d\r\n'),
      S3_ACCESS_KEY_ID_FILE: file('id', 'id'),
      S3_SECRET_ACCESS_KEY_FILE: file('secret', ' spaces \n\n'),
      PORT: '81',
    })
    assert.deepEqual(
      [env.SECRET_KEY, env.DATABASE_URL, env.S3_ACCESS_KEY_ID, env.S3_SECRET_ACCESS_KEY, env.PORT],
      [SECRET_KEY, 'postgres://u:p@h/d', 'id', ' spaces ', '81'],
    )
    assert.equal(readConfig(env).secretKey, SECRET_KEY)
    const secrets = Object.entries<Variable>(variables).filter(([, { secret }]) => secret)
    for (const [name] of secrets) assert.equal(withSecretFiles({ [`${name}_FILE`]: file('any', 'x') })[name], 'x', name)
    // What grants access is a secret: a new variable of such a name has to be marked.
    for (const name of Object.keys(variables))
      if (/SECRET|PASSWORD|TOKEN$|BEARER/.test(name))
        assert.ok(
          secrets.some(([one]) => one === name),
          name,
        )
  })

  it('are not read for other variables', () => {
    const env = withSecretFiles({ PORT_FILE: file('port', '81'), AUDIT_CHECKPOINT_FILE: path.join(folder, 'none') })
    assert.deepEqual([env.PORT, env.AUDIT_CHECKPOINT_FILE], [undefined, path.join(folder, 'none')])
  })

  it('are errors of the configuration where both are set, or a file is missing or empty; none shows a secret', () => {
    const none = path.join(folder, 'none')
    const env = {
      SECRET_KEY,
      SECRET_KEY_FILE: file('key', 'a key in a file'),
      METRICS_TOKEN_FILE: none,
      IDP_CLIENT_SECRET_FILE: file('empty', '\n'),
    }
    assert.throws(
      () => withSecretFiles(env),
      (error: ConfigError) => {
        assert.deepEqual(error.faults, [
          'SECRET_KEY and SECRET_KEY_FILE are both set; only one of them may be',
          `IDP_CLIENT_SECRET_FILE names ${env.IDP_CLIENT_SECRET_FILE}, which is empty`,
          `METRICS_TOKEN_FILE cannot be read: ENOENT: no such file or directory, open '${none}'`,
        ])
        return true
      },
    )
  })
})

it('names a service that listens on every interface localhost in links', () => {
  for (const HOST of ['0.0.0.0', '::'])
    assert.equal(readConfig({ SECRET_KEY, HOST, PORT: '1' }).publicBaseUrl, 'http://localhost:1')
})
