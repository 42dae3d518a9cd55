import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const gateway = await cephGateway()

describe('two processes over PostgreSQL and S3', { skip: gateway ? false : noGateway }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-replicas-'))
  let drop: () => Promise<void>
  let env: Record<string, string>
  let replicas: ServerProcess[]
  let token: string
  let turn = 0
  before(async () => {
    const postgres = await createDatabase(await postgresUrl())
    drop = postgres.drop
    if (!gateway) return
    env = {
      ...serverEnv(folder, postgres.url),
      STORAGE_URL: newBucket(gateway),
      S3_ACCESS_KEY_ID: gateway.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: gateway.credentials.secretAccessKey,
    }
    replicas = [await spawnServer(env), await spawnServer(env)]
    const { access_token } = await client(0).login({ body: { username: ADMIN.email, password: ADMIN.password } })
    token = access_token
  })
  after(async () => {
    for (const one of replicas ?? []) await one.kill('SIGKILL')
    await drop()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const client = (i: number): Client =>
    createClient({ baseUrl: replicas[i % 2]?.url ?? '', ...(token ? { token } : {}) })
  const next = () => client(turn++)
  const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

  it('loses nothing acknowledged when one is killed during uploads', { timeout: 100_000 }, async () => {
    await next().createBucket({ body: { name: 'shared' } })
    const acknowledged = new Map<string, string>()
    let refused = 0
    for (let round = 0; round < 2; round++) {
      const uploads = times(60, async (i) => {
        const body = randomBytes(i % 10 === 0 ? 2_000_000 : 5000)
        const params = { bucket: 'shared', key: `r${round}/${i}` }
        try {
          await client(i).putObject({ params, body })
          acknowledged.set(params.key, md5(body))
        } catch {
          refused++
        }
      })
      const victim = round % 2
      const before = acknowledged.size
      await until(() => acknowledged.size >= before + 15)
      await replicas[victim]?.kill('SIGKILL')
      await Promise.all(uploads)
      // The other one continues alone.
      const alone = client(1 - victim)
      await alone.putObject({ params: { bucket: 'shared', key: `alone${round}` }, body: 'x' })
      acknowledged.set(`alone${round}`, md5(Buffer.from('x')))
      replicas[victim] = await spawnServer(env)
    }
    assert.ok(refused > 0, 'the kill came in time')
    for (const [key, hash] of acknowledged) {
      const answer = await next().getObject({ params: { bucket: 'shared', key } })
      assert.equal(md5(Buffer.from(await answer.arrayBuffer())), hash, key)
    }
    const { used_bytes, object_count } = await next().getBucket({ params: { bucket: 'shared' } })
    const all = (await next().listObjects({ params: { bucket: 'shared' }, query: { limit: 1000 } })).items
    assert.deepEqual([object_count, used_bytes], [all.length, all.reduce((sum, { size }) => sum + size, 0)])
  })

  it('continues a multipart upload after another process was killed', async () => {
    const body = randomBytes(12 * 1024 ** 2)
    const params = { bucket: 'shared' }
    const size = 5 * 1024 ** 2
    const init = await client(0).initUpload({ params, body: { key: 'parts', file_size: body.length, part_size: size } })
    const send = async (at: number, number: number, url: string) => {
      const part = body.subarray((number - 1) * size, number * size)
      const { pathname } = new URL(url)
      return fetch(`${replicas[at]?.url}${pathname}`, { method: 'PUT', body: part })
    }
    assert.equal((await send(0, 1, init.urls[0] ?? '')).status, 200)
    await replicas[0]?.kill('SIGKILL')
    replicas[0] = await spawnServer(env)
    const left = await client(1).getUpload({ params: { ...params, upload_id: init.upload_id } })
    assert.deepEqual(
      left.urls.map(({ part_number }) => part_number),
      [2, 3],
    )
    for (const { part_number, url } of left.urls)
      assert.equal((await send(part_number % 2, part_number, url)).status, 200)
    const { parts } = await client(0).getUpload({ params: { ...params, upload_id: init.upload_id } })
    const done = await client(1).completeUpload({
      params,
      body: { upload_id: init.upload_id, parts: parts.map(({ part_number, etag }) => ({ part_number, etag })) },
    })
    assert.match(done.etag, /-3$/)
    const answer = await client(0).getObject({ params: { ...params, key: 'parts' } })
    assert.equal(md5(Buffer.from(await answer.arrayBuffer())), md5(body))
  })
})
