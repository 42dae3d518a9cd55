import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { version } from '../../server/base/version.ts'
import { announcement } from '../../server/process/announce.ts'
import { spawnServer, strongroom } from '../support/process.ts'
import { serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

let folder: string
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-announce-'))
})
after(() => fs.rmSync(folder, { recursive: true, force: true }))

it('prints the version', async () => {
  for (const word of ['version', '--version', '-v'])
    assert.deepEqual(await strongroom([word], {}), { out: `strongroom ${version}\n`, err: '', code: 0 })
})

it('announces a start in JSON lines, the setup link among them', async (t) => {
  const { BOOTSTRAP_ADMIN_EMAIL: _email, BOOTSTRAP_ADMIN_PASSWORD: _password, ...env } = serverEnv(folder)
  const child = spawnServer({ ...env, S3_PORT: '0', ANNOUNCE: 'json', LOG_LEVEL: 'info' })
  t.after(async () => (await child).kill('SIGKILL'))
  const server = await child
  await until(() => server.log().includes('setup_link'))
  const lines = server.log().trim().split('\n')
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const serves = said.find(({ msg }) => msg === 'Strongroom serves')
  assert.deepEqual([serves?.url, typeof serves?.s3_url, typeof serves?.time], [server.url, 'string', 'number'])
  assert.ok(said.some(({ setup_link }) => /\/console\/setup#[\w-]{43}$/.test(String(setup_link))))
  assert.equal(await server.kill('SIGTERM'), 0)
  const ended = server
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  assert.deepEqual(
    ended.filter((msg) => msg === 'stopping' || msg === 'stopped'),
    ['stopping', 'stopped'],
  )
})

it('has all of the text in JSON, and nothing for what was not created', () => {
  const first = { admin: { email: 'a@b.example', password: 'p"w' } }
  const said = { url: 'http://x', s3Url: null, processes: 1, first }
  assert.match(
    announcement('text', said),
    /^Strongroom serves at http:\/\/x [^\n]*\nFirst administrator: a@b.example\nPassword, shown only now: p"w\n$/,
  )
  assert.match(announcement('text', { ...said, processes: 4 }), /\nIt uses 4 processes \(--workers 1: only one\)\.\n/)
  const lines = announcement('json', said)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ time, ...line }) => line),
    [
      { level: 30, url: 'http://x', s3_url: null, processes: 1, msg: 'Strongroom serves' },
      { level: 30, email: 'a@b.example', password: 'p"w', msg: 'first administrator created' },
    ],
  )
  const given = announcement('json', { ...said, first: { admin: { email: 'a@b.example', password: null } } })
  assert.ok(!given.includes('password'))
  assert.equal(
    announcement('json', { ...said, first: {} })
      .trim()
      .split('\n').length,
    1,
  )
})
