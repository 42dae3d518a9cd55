import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { spawnServer, strongroom } from '../support/process.ts'

let folder: string
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-first-start-'))
})
after(() => fs.rmSync(folder, { recursive: true, force: true }))

for (const DATA_DIR of [undefined, 'below/data', './here/'])
  it(`a first start makes its folder in the working directory (${DATA_DIR ?? 'by default'})`, async () => {
    const env = { PORT: '0', S3_PORT: '', ...(DATA_DIR === undefined ? {} : { DATA_DIR }) }
    const { out } = await strongroom(['start'], env, { cwd: folder })
    assert.match(out, /serves at/)
    const made = path.join(folder, DATA_DIR ?? 'data')
    assert.deepEqual(
      fs.readdirSync(made).filter((name) => !name.includes('.db')),
      ['blobs', 'secret.key'],
    )
    assert.equal(fs.statSync(path.join(made, 'secret.key')).mode & 0o777, 0o600)
  })

it('a service starts from its sources, whose modules long runs of the tests have joined', async (t) => {
  const DATA_DIR = path.join(folder, 'sources')
  const env = { DATA_DIR, PORT: '0', SECRET_KEY: 'a secret key of tests that is long enough', NODE_OPTIONS: '' }
  const { url, kill } = await spawnServer(env)
  t.after(() => kill('SIGKILL'))
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  assert.equal(await kill('SIGTERM'), 0)
})
