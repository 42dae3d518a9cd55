import assert from 'node:assert/strict'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { systemActor } from '../../server/access/actors.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext, type System } from '../../server/context.ts'
import { imageCacheWorker, imageStatus } from '../../server/features/images/service.ts'
import { type Running, start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { headerOf, photo, quarters } from '../support/pictures.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, onS3, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'
import { bucket, etagOf, imagePath, problem, withImages } from './images.ts'

describe('the cache of images', { skip: onS3 }, () => {
  const cacheFiles = (folder: string): string[] =>
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== '.strongroom-image-cache')
      .map((entry) => path.join(entry.parentPath, entry.name))
  const diskUse = (folder: string): number =>
    cacheFiles(folder).reduce((sum, file) => {
      // One may go, or get its name, between the listing and the look.
      const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
      return sum + Math.ceil(size / 4096) * 4096
    }, 0)

  it('survives a restart, ignores what is damaged, and forgets what was deleted', async () => {
    const { server, folder, put, get, settle, stop } = await withImages('sqlite')
    let second: Running | undefined
    try {
      await put('a.jpg', await photo(600, 400).jpeg().toBuffer())
      const first = await get('a.jpg', { w: 200, format: 'webp' })
      await settle()
      assert.equal(cacheFiles(folder).length, 2)
      const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
      second = await start(config, { now: server.clock.now, timers: false })
      const ctx = createContext({ database: server.database, config } as System, systemActor)
      const status = () => imageStatus(ctx)
      const ask = (headers = {}) =>
        request({
          url: (second as Running).url,
          path: imagePath('a.jpg', { w: 200, format: 'webp' }),
          headers,
          token: server.adminToken,
        })
      assert.equal((await ask({ 'if-none-match': etagOf(first) })).status, 304)
      const kept = await ask()
      assert.ok(kept.body.equals(first.body))
      const counts = status()
      assert.deepEqual([counts.inspected, counts.renders, counts.hits, counts.unchanged], [0, 0, 1, 1])
      const file = cacheFiles(folder).find((one) => fs.statSync(one).size > 1000) ?? ''
      for (const damage of [
        (bytes: Buffer) => bytes.subarray(0, bytes.length - 10),
        (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 200), Buffer.from('xxxx'), bytes.subarray(204)]),
        () => Buffer.alloc(0),
        () => Buffer.from('{}\n'),
      ]) {
        const { renders } = status()
        fs.writeFileSync(file, damage(fs.readFileSync(file)))
        const answer = await ask()
        assert.ok(answer.body.equals(first.body))
        assert.equal(status().renders, renders + 1)
        await second.tick()
        assert.ok((await ask()).body.equals(first.body))
      }
      await server.admin.deleteObject({ params: { bucket, key: 'a.jpg' } })
      await imageCacheWorker.run(ctx)
      assert.deepEqual(cacheFiles(folder), [])
      assert.equal(status().cache_bytes, 0)
    } finally {
      await second?.stop()
      await stop()
    }
  })

  it('never takes more than its limit, and loses the longest unused first', async () => {
    const limit = 64 * 1024
    const { folder, put, get, settle, status, stop } = await withImages('sqlite', { IMAGE_CACHE_BYTES: String(limit) })
    try {
      await put('a.jpg', await photo(600, 400).jpeg().toBuffer())
      for (let w = 100; w < 140; w++) {
        assert.equal((await get('a.jpg', { w, format: 'webp' })).status, 200)
        // One that is asked for all the time stays.
        await get('a.jpg', { w: 100, format: 'webp' })
        assert.ok(diskUse(folder) <= limit, `${diskUse(folder)} bytes`)
      }
      await settle()
      assert.equal(status().cache_bytes, diskUse(folder))
      const { renders } = status()
      await get('a.jpg', { w: 100, format: 'webp' })
      assert.equal(status().renders, renders)
      await get('a.jpg', { w: 101, format: 'webp' })
      assert.equal(status().renders, renders + 1)
    } finally {
      await stop()
    }
  })

  it('can be switched off', async () => {
    const { folder, put, get, status, stop } = await withImages('sqlite', { IMAGE_CACHE_BYTES: '0' })
    try {
      await put('a.png', await quarters().png().toBuffer())
      for (let i = 0; i < 2; i++) assert.equal((await get('a.png', { w: 20 })).status, 200)
      assert.equal(status().renders, 2)
      assert.equal(fs.existsSync(folder), false)
    } finally {
      await stop()
    }
  })
})

describe('images under load', { skip: onS3 }, () => {
  it('renders once for a thousand who ask at the same time', async () => {
    const { server, url: base, put, status, stop } = await withImages('sqlite')
    try {
      await put('a.jpg', await photo(1600, 1200).jpeg().toBuffer())
      const agent = new http.Agent({ keepAlive: true, maxSockets: 200 })
      const sizes = new Set<number>()
      const one = () =>
        new Promise<void>((resolve, reject) => {
          const headers = { authorization: `Bearer ${server.adminToken}` }
          const url = `${base}${imagePath('a.jpg', { w: 400, format: 'webp' })}`
          http
            .get(url, { headers, agent }, (response) => {
              let size = response.statusCode === 200 ? 0 : Number.NaN
              response.on('data', (chunk: Buffer) => {
                size += chunk.length
              })
              response.on('end', () => {
                sizes.add(size)
                resolve()
              })
            })
            .on('error', reject)
        })
      await Promise.all(Array.from({ length: 1000 }, one))
      agent.destroy()
      const { renders, inspected, hits, joined } = status()
      assert.deepEqual([renders, inspected, hits + joined, sizes.size], [1, 1, 999, 1])
    } finally {
      await stop()
    }
  })

  it('renders once for each contents while they are replaced, and never gives the old ones afterwards', async () => {
    const { put, get, status, settle, stop } = await withImages('sqlite')
    try {
      const [before, after] = [await photo(1600, 1200).jpeg().toBuffer(), await photo(1200, 1200, 2).jpeg().toBuffer()]
      await put('a.jpg', before)
      const widths: number[] = []
      let replaced = false
      const ask = async () => {
        const begunAfter = replaced
        const answer = await get('a.jpg', { h: 300, format: 'webp' })
        assert.equal(answer.status, 200)
        const { width } = await headerOf(answer.body)
        widths.push(width)
        if (begunAfter) assert.equal(width, 300, 'the old contents were given after the new ones were acknowledged')
      }
      const asking = Array.from({ length: 100 }, ask)
      const replacing = put('a.jpg', after).then(() => {
        replaced = true
      })
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          for (let i = 0; i < 20; i++) await ask()
        }),
      )
      await Promise.all([...asking, replacing])
      await ask()
      assert.equal(widths.at(-1), 300)
      const kinds = new Set(widths)
      assert.equal(status().renders, kinds.size)
      await settle()
      await get('a.jpg', { h: 300, format: 'webp' })
      assert.equal(status().renders, kinds.size)
    } finally {
      await stop()
    }
  })

  it('cancels waiting renders when the client leaves, unless another waits for the same', async () => {
    const { server, url: base, put, get, settle, status, stop } = await withImages('sqlite')
    try {
      await server.admin.updateSettings({ body: { images: { render_slots: 1 } } })
      await put('slow.jpg', await photo(3000, 2000).jpeg().toBuffer())
      await put('a.png', await quarters().png().toBuffer())
      await get('a.png', { w: 10 })
      await get('slow.jpg', { w: 10 })
      const { renders, refused } = status()
      const slow = get('slow.jpg', { w: 1500, format: 'avif' })
      await until(() => status().rendering === 1)
      const leave = new AbortController()
      const leaving = [20, 21, 22].map((w) =>
        fetch(`${base}${imagePath('a.png', { w })}`, {
          headers: { authorization: `Bearer ${server.adminToken}` },
          signal: leave.signal,
        }),
      )
      await until(() => status().queued === 3)
      const staying = get('a.png', { w: 22 })
      // It asks the database before it joins.
      await get('a.png', { w: 10 })
      leave.abort()
      for (const one of leaving) await assert.rejects(one)
      assert.equal((await staying).status, 200)
      assert.equal((await slow).status, 200)
      await settle()
      assert.deepEqual([status().renders, status().refused], [renders + 2, refused])
      assert.deepEqual([status().queued, status().rendering, status().source_bytes, status().pixels], [0, 0, 0, 0])
    } finally {
      await stop()
    }
  })

  it('turns away what does not fit into its queue, and leaks nothing when clients leave', async () => {
    const { server, url: base, put, get, settle, status, stop } = await withImages('sqlite')
    try {
      await server.admin.updateSettings({ body: { images: { queue_length: 4, render_slots: 1 } } })
      await put('a.jpg', await photo(2000, 1500).jpeg().toBuffer())
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => get('a.jpg', { w: 300 + i, format: 'webp' })),
      )
      const busy = answers.filter(({ status }) => status === 503)
      assert.ok(busy.length > 0 && busy.length < 20, String(busy.length))
      assert.ok(answers.every(({ status }) => status === 200 || status === 503))
      for (const answer of busy) {
        assert.equal(problem(answer).code, 'busy')
        assert.deepEqual([answer.headers['retry-after'], answer.headers['cache-control']], ['2', 'no-store'])
      }
      await settle()
      const { renders } = status()
      // A client disconnects: the render finishes, holds its slot until then, and its result is cached.
      const left = new AbortController()
      const url = `${base}${imagePath('a.jpg', { w: 777, format: 'avif' })}`
      const leaving = fetch(url, { headers: { authorization: `Bearer ${server.adminToken}` }, signal: left.signal })
      await until(() => status().renders === renders + 1)
      left.abort()
      await assert.rejects(leaving)
      assert.equal(status().rendering, 1)
      await until(() => status().rendering === 0)
      await settle()
      const kept = await get('a.jpg', { w: 777, format: 'avif' })
      assert.deepEqual([kept.status, status().renders], [200, renders + 1])
      const { queued, rendering, pixels, source_bytes } = status()
      assert.deepEqual([queued, rendering, pixels, source_bytes], [0, 0, 0, 0])
    } finally {
      await stop()
    }
  })

  it('returns 503 when a render takes too long, and keeps its slot occupied', async () => {
    const { server, put, get, status, stop } = await withImages('sqlite')
    try {
      await server.admin.updateSettings({ body: { images: { timeout_seconds: 1, render_slots: 1 } } })
      await put('a.jpg', await photo(3000, 2000).jpeg().toBuffer())
      const slow = [0, 1, 2, 3].map((i) => get('a.jpg', { w: 2400 + i, format: 'avif', q: 90 }))
      const answers = await Promise.all(slow)
      const busy = answers.filter(({ status }) => status === 503)
      assert.ok(busy.length > 0, answers.map(({ status }) => status).join())
      for (const answer of busy) assert.equal(answer.headers['retry-after'], '2')
      await until(() => status().rendering === 0 && status().queued === 0)
    } finally {
      await stop()
    }
  })

  it('stays within bounds under a flood of sizes, and keeps answering others', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-flood-'))
    const limit = 2 * 1024 * 1024
    let service: ServerProcess | undefined
    try {
      service = await spawnServer({
        ...serverEnv(folder),
        IMAGE_CACHE_BYTES: String(limit),
        UV_THREADPOOL_SIZE: '16',
        MALLOC_ARENA_MAX: '2',
      })
      const { url } = service
      const { access_token: token } = await createClient({ baseUrl: url }).login({
        body: { username: ADMIN.email, password: ADMIN.password },
      })
      const client = createClient({ baseUrl: url, token })
      await client.createBucket({ body: { name: bucket } })
      const params = { bucket }
      const sources: [string, Buffer][] = [
        ['base.jpg', await photo(1600, 1200).jpeg().toBuffer()],
        ['prog.jpg', await photo(1600, 1200, 2).jpeg({ progressive: true }).toBuffer()],
        ['a.png', await photo(1000, 800, 3).png({ compressionLevel: 1 }).toBuffer()],
      ]
      for (const [key, bytes] of sources) await client.putObject({ params: { ...params, key }, body: bytes as never })
      await client.putObject({ params: { ...params, key: 'small' }, body: Buffer.alloc(4096) })
      const link = await client.shareObjectByQuery({ params: { bucket }, query: { key: 'prog.jpg' }, body: {} })
      await request({ url, path: imagePath('base.jpg', { w: 20 }), token })
      const before = service.memory().rss
      let flooding = true
      let small = 0
      const others = (async () => {
        while (flooding) {
          const response = await client.getObject({ params: { ...params, key: 'small' } })
          assert.equal((await response.arrayBuffer()).byteLength, 4096)
          small++
        }
      })()
      const statuses = new Map<number, number>()
      let n = 0
      const attacker = async () => {
        while (n < 300) {
          const i = n++
          const key = sources[i % sources.length]?.[0] ?? ''
          const format = i % 10 === 0 ? 'avif' : 'webp'
          const query = { w: 100 + i, q: 1 + (i % 100), format }
          // Every other one comes through a link.
          const { status } = await (i % 2
            ? request({ url, path: `/public/s/${link.token}?${new URLSearchParams(query as never)}` })
            : request({ url, path: imagePath(key, query), token }))
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: 48 }, attacker))
      flooding = false
      await others
      const { rss, peak } = service.memory()
      const mb = (bytes: number) => Math.round(bytes / 1e6)
      console.log(`flood: RSS ${mb(before)} → ${mb(rss)} MB, peak ${mb(peak)} MB; ${small} small reads meanwhile`)
      assert.deepEqual(
        [...statuses.keys()].filter((status) => status !== 200 && status !== 503),
        [],
      )
      assert.ok((statuses.get(200) ?? 0) > 100)
      assert.ok(small > 10)
      assert.ok(peak - before < 200e6, `grew by ${mb(peak - before)} MB`)
      const kept = fs
        .readdirSync(path.join(folder, 'image-cache'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        // One that is being written may get its name meanwhile.
        .map((entry) => fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
      assert.ok(kept.reduce((sum, size) => sum + size, 0) <= limit)
    } finally {
      await service?.kill('SIGTERM')
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})
