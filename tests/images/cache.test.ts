// Whose the folder of the image cache is: nothing in it that the cache did not make is ever removed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import sharp from 'sharp'
import { createClient } from '../../client/derived.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { bareEnv, type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const MAIN = path.join(import.meta.dirname, '../..', 'server', 'main.ts')
const MARKER = '.strongroom-image-cache'

describe('the folder of the image cache', () => {
  let folder: string
  let env: Record<string, string>
  let service: ServerProcess | undefined
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cache-'))
    env = serverEnv(path.join(folder, 'data'))
    service = undefined
  })
  afterEach(async () => {
    await service?.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const write = (name: string, contents = name) => {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, contents)
    return file
  }
  const all = (below: string) => fs.readdirSync(path.join(folder, below), { recursive: true }).map(String).sort()
  /** A start that does not come to serve: its exit code and what it said. */
  const refused = async (more: Record<string, string>, args = ['serve']) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...bareEnv, ...env, ...more } })
    const end = setTimeout(() => child.kill('SIGKILL'), 60_000)
    const [said, , [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')])
    clearTimeout(end)
    return { code, said }
  }
  const render = async () => {
    const { url } = service as ServerProcess
    const body = { username: ADMIN.email, password: ADMIN.password }
    const { access_token: token } = await createClient({ baseUrl: url }).login({ body })
    const client = createClient({ baseUrl: url, token })
    await client.createBucket({ body: { name: 'pictures' } })
    const bytes = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await client.putObject({ params: { bucket: 'pictures', key: 'a.png' }, body: bytes as never })
    const image = await fetch(`${url}/api/v1/images/pictures/a.png?w=20`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(image.status, 200)
  }

  it('serve --workers: a folder with foreign files is refused and left intact', async () => {
    const postgres = await createDatabase(await postgresUrl())
    try {
      for (const name of ['fast/blobs/ab/x', 'fast/secret.key', 'fast/7/notes', 'fast/other/y']) write(name)
      const was = all('fast')
      const cache = { IMAGE_CACHE_DIR: path.join(folder, 'fast') }
      for (const database of [postgres.url, 'postgres://nobody@127.0.0.1:1/none']) {
        const { code, said } = await refused({ ...cache, DATABASE_URL: database }, ['serve', '--workers', '2'])
        assert.equal(code, 1)
        assert.match(said, /IMAGE_CACHE_DIR \(.*fast\) contains files that are not the cache's \(/)
        assert.doesNotMatch(said, /\n\s+at /)
        assert.deepEqual(all('fast'), was)
      }
    } finally {
      await postgres.drop()
    }
  })

  it('serve --workers: only marked caches are removed, and only after the start', async () => {
    const postgres = await createDatabase(await postgresUrl())
    try {
      const own = 'fast/strongroom-images'
      for (const name of [
        `${own}/${MARKER}`,
        `${own}/5/${MARKER}`,
        `${own}/5/ab/old`,
        `${own}/6/not marked`,
        `${own}/keep/x`,
      ])
        write(name)
      write('fast/foreign')
      const was = all('fast')
      const cache = { IMAGE_CACHE_DIR: path.join(folder, 'fast') }
      const none = new URL('/none', postgres.url).href
      const failed = await refused({ ...cache, DATABASE_URL: none }, ['serve', '--workers', '2'])
      assert.equal(failed.code, 1)
      assert.deepEqual(all('fast'), was)
      service = await spawnServer({ ...env, ...cache, DATABASE_URL: postgres.url }, ['serve', '--workers', '2'])
      await until(() => !fs.existsSync(path.join(folder, own, '5')))
      assert.deepEqual(
        was.filter((name) => !/^strongroom-images\/5/.test(name)),
        all('fast').filter((name) => !/^strongroom-images\/[01]/.test(name)),
      )
    } finally {
      await service?.kill('SIGKILL')
      await postgres.drop()
    }
  })

  it('is never the folder of the data, of the database or of the blobs, nor above, nor in the blobs', async () => {
    const blobs = path.join(folder, 'elsewhere', 'blobs')
    const storage = { STORAGE_URL: `file:${blobs}` }
    fs.mkdirSync(blobs, { recursive: true })
    fs.mkdirSync(path.join(folder, 'data', 'blobs'), { recursive: true })
    fs.symlinkSync(blobs, path.join(folder, 'link'))
    for (const [given, more, why] of [
      ['data', {}, /is DATA_DIR/],
      ['.', {}, /contains DATA_DIR/],
      ['data/blobs', {}, /is the folder of blobs/],
      ['data/blobs/00/cache', {}, /is inside the folder of blobs/],
      ['link', storage, /is the folder of STORAGE_URL/],
      ['link/new/cache', storage, /is inside the folder of STORAGE_URL/],
      ['elsewhere', storage, /contains the folder of STORAGE_URL/],
    ] as const) {
      const { code, said } = await refused({ ...more, IMAGE_CACHE_DIR: path.join(folder, given) })
      assert.equal(code, 1, given)
      assert.match(said, why)
      assert.doesNotMatch(said, /\n\s+at /)
    }
    write('mine/strongroom-images/x')
    const { said } = await refused({ IMAGE_CACHE_DIR: path.join(folder, 'mine') })
    assert.match(said, /strongroom-images that no cache made/)
    assert.deepEqual(all('mine'), ['strongroom-images', 'strongroom-images/x'])
  })

  it('can be a file system’s root with hidden files; the cache uses only its own folder', async () => {
    fs.mkdirSync(path.join(folder, 'disk', 'lost+found'), { recursive: true })
    write('disk/.hidden')
    service = await spawnServer({ ...env, IMAGE_CACHE_DIR: path.join(folder, 'disk') })
    await render()
    await until(() => all('disk').some((name) => /^strongroom-images\/0\/..\/.{36}\./.test(name)))
    assert.ok(all('disk').includes(`strongroom-images/0/${MARKER}`))
    const outside = all('disk').filter((name) => !name.startsWith('strongroom-images/'))
    assert.deepEqual(outside, ['.hidden', 'lost+found', 'strongroom-images'])
    await service.kill('SIGTERM')
    // It ignores files that are put next to it later.
    write('disk/00/foreign')
    service = await spawnServer({ ...env, IMAGE_CACHE_DIR: path.join(folder, 'disk') })
    assert.ok(fs.existsSync(path.join(folder, 'disk/00/foreign')))
  })
})
