import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import yauzl from 'yauzl'
import type { Client } from '../../client/derived.ts'
import { systemActor } from '../../server/access/actors.ts'
import { agentGate } from '../../server/access/agent-limits/gate.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext, type System } from '../../server/context.ts'
import type { Blobs } from '../../server/drivers/blobs.ts'
import type { BlobBody } from '../../server/drivers/driver.ts'
import { createLog } from '../../server/observe/log.ts'
import { publish } from '../../server/process/publish.ts'
import { archive } from '../../server/storage/objects/archive/archive.ts'
import { type Answer, request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, onS3, type Seen, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type Unzipped, unzip } from '../support/unzip.ts'

const MIB = 1024 * 1024
const denied: Seen = { action: 'access_denied', result: 'denied' }

describeEngines('archives', (engine, itOnce, itStored) => {
  let server: TestServer
  let admin: Client
  let buckets = 0
  before(async () => {
    server = await startServer(engine, STORED)
    admin = server.admin
  })
  after(() => server.stop())

  const open = async (...keys: string[]) => {
    const name = `zip-${++buckets}`
    await admin.createBucket({ body: { name } })
    for (const key of keys) await put(name, key)
    return name
  }
  const put = (name: string, key: string, body: string | Buffer = `body of ${key}`) =>
    admin.putObjectByQuery({ params: { bucket: name }, query: { key }, body: Buffer.from(body) })
  const ask = (name: string, query: string, token = server.adminToken, method = 'GET'): Promise<Answer> =>
    request({ url: server.url, path: `/api/v1/buckets/${name}/objects/archive${query}`, token, method })
  const select = (name: string, keys: string[], token = server.adminToken): Promise<Answer> =>
    request({
      url: server.url,
      path: `/api/v1/buckets/${name}/objects/archive`,
      token,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ keys }),
    })
  const asText = (all: Unzipped[]) => Object.fromEntries(all.map(({ name, text }) => [name, text]))
  const files = async (answer: Promise<Answer>) => {
    const { status, headers, body } = await answer
    assert.equal(status, 200, body.toString().slice(0, 500))
    assert.equal(headers['content-type'], 'application/zip')
    return asText(await unzip(body))
  }
  const prefixed = (prefix: string) => `?prefix=${encodeURIComponent(prefix)}`
  /** Descriptors of this process that are open files in the blob folder. */
  const openBlobs = (): string[] =>
    fs.readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const file = fs.readlinkSync(`/proc/self/fd/${fd}`)
        return file.startsWith(path.join(server.folder, 'blobs')) && fs.statSync(file).isFile() ? [file] : []
      } catch {
        return []
      }
    })
  const errorsLogged = () =>
    server
      .logged()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line))

  it('holds a folder under its own name, or the whole bucket, as it is', async () => {
    server.clock.advance(3 * 3600_000)
    await server.later(0)
    const name = await open('a.txt', 'dir/b.txt', 'dir/sub/c', 'dir.txt', 'dirt/d', 'other/e')
    await put(name, 'dir/empty', '')
    await put(name, 'dir/big', Buffer.alloc(300_000, 'big'))
    const answer = await server.records([], () => ask(name, prefixed('dir/')))
    assert.equal(answer.headers['content-disposition'], 'attachment; filename=dir.zip')
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    const all = await unzip(answer.body)
    assert.deepEqual(asText(all), {
      'dir/b.txt': 'body of dir/b.txt',
      'dir/big': Buffer.alloc(300_000, 'big').toString(),
      'dir/empty': '',
      'dir/sub/c': 'body of dir/sub/c',
    })
    for (const { entry } of all) {
      assert.deepEqual(
        [entry.compressionMethod, entry.externalFileAttributes >>> 16, entry.versionMadeBy >> 8],
        [0, 0o100644, 3],
      )
      assert.equal(entry.getLastModDate().getTime(), server.clock.now().getTime())
    }
    assert.deepEqual(Object.keys(await files(ask(name, '?prefix='))).toSorted(), [
      'a.txt',
      'dir.txt',
      'dir/b.txt',
      'dir/big',
      'dir/empty',
      'dir/sub/c',
      'dirt/d',
      'other/e',
    ])
    assert.equal((await ask(name, '?prefix=')).headers['content-disposition'], `attachment; filename=${name}.zip`)
    assert.deepEqual(Object.keys(await files(ask(name, prefixed('dir')))).toSorted(), [
      'dir.txt',
      'dir/b.txt',
      'dir/big',
      'dir/empty',
      'dir/sub/c',
      'dirt/d',
    ])
    assert.deepEqual(await files(ask(name, prefixed('dir/sub/'))), { 'sub/c': 'body of dir/sub/c' })
    assert.deepEqual(await files(ask(name, prefixed('dir/s'))), { 'sub/c': 'body of dir/sub/c' })
    assert.deepEqual(await files(ask(name, `${prefixed('dir/sub/')}&download=1`)), { 'sub/c': 'body of dir/sub/c' })
  })

  it('holds a selection under whole keys, asked by URL or by body', async () => {
    const name = await open('a', 'dir/b', 'dir/c', 'ä&=?#+ %', 'd')
    const keys = ['dir/c', 'a', 'ä&=?#+ %']
    const expected = { 'dir/c': 'body of dir/c', a: 'body of a', 'ä&=?#+ %': 'body of ä&=?#+ %' }
    const query = `?${keys.map((key) => `keys=${encodeURIComponent(key)}`).join('&')}`
    await server.records([], async () => {
      assert.deepEqual(await files(ask(name, query)), expected)
      assert.deepEqual(await files(select(name, keys)), expected)
      assert.deepEqual(await files(ask(name, '?keys=d')), { d: 'body of d' })
      assert.deepEqual(await files(select(name, [...keys, 'absent'])), expected)
      assert.deepEqual(await files(select(name, ['absent'])), {})
    })
    assert.equal((await select(name, ['d'])).headers['content-disposition'], `attachment; filename=${name}.zip`)
    for (const bad of [
      '?keys=',
      '?keys=a&keys=a',
      '?keys=a%00',
      '?prefix=a%00',
      '?keys=a&unknown=1',
      '?prefix=&download=2',
    ])
      assert.equal((await ask(name, bad)).status, 422, bad)
    for (const bad of [[], ['a', 'a'], [''], Array.from({ length: 1001 }, (_, i) => `${i}`)])
      assert.equal((await select(name, bad)).status, 422)
    assert.equal((await ask('zip-absent', '?prefix=')).status, 404)
    assert.equal((await select('zip-absent', ['a'])).status, 404)
    assert.equal(
      (await request({ url: server.url, path: `/api/v1/buckets/${name}/objects/archive?prefix=` })).status,
      401,
    )
  })

  it('takes a thousand keys of a thousand bytes', { skip: onS3 && 'about keys' }, async () => {
    const name = await open('seed')
    const keys = Array.from({ length: 1000 }, (_, i) => `${'漢'.repeat(331)}${String(i).padStart(7, '0')}`)
    await server.database.transaction(async (tx) => {
      const row = await tx.selectFrom('objects').selectAll().where('key', '=', 'seed').executeTakeFirstOrThrow()
      for (let i = 0; i < 1000; i += 250)
        await tx
          .insertInto('objects')
          .values(keys.slice(i, i + 250).map((key) => ({ ...row, key })))
          .execute()
      await tx.deleteFrom('objects').where('key', '=', 'seed').execute()
    })
    const found = await files(select(name, keys))
    assert.deepEqual(Object.keys(found).toSorted(), keys)
    assert.deepEqual(new Set(Object.values(found)), new Set(['body of seed']))
  })

  it('leaves out what may not be read, and is refused where nothing may', async () => {
    const name = await open('a/1', 'a/x/2', 'b/3', 'c/4', '5')
    const token = await server.userWith(
      { bucket_pattern: name, prefix: 'a/', actions: ['read'] },
      { bucket_pattern: name, prefix: 'c/', actions: ['read'] },
      { bucket_pattern: name, prefix: 'b/', actions: ['list', 'write', 'delete', 'share'] },
    )
    const mine = ['a/1', 'a/x/2', 'c/4']
    assert.deepEqual(Object.keys(await files(ask(name, '?prefix=', token))), mine)
    assert.deepEqual(Object.keys(await files(ask(name, prefixed('a/x/'), token))), ['x/2'])
    assert.deepEqual(Object.keys(await files(ask(name, '?keys=5&keys=b%2F3&keys=a%2F1', token))), ['a/1'])
    assert.deepEqual(Object.keys(await files(select(name, ['5', 'c/4', 'b/3'], token))), ['c/4'])
    await server.records([denied, denied, denied, denied, denied], async () => {
      const refusals = [
        ask(name, prefixed('b/'), token),
        ask(name, '?keys=5', token),
        select(name, ['b/3', '5'], token),
        ask('zip-absent', '?prefix=', token),
        select('zip-absent', ['a/1'], token),
      ]
      for (const answer of await Promise.all(refusals)) {
        assert.equal(answer.status, 403)
        assert.match(answer.json<{ detail: string }>().detail, /"read"/)
      }
    })
  })

  itOnce('does not reserve its name: an object can be called that', async () => {
    const name = await open('archive', 'archive/a')
    const params = { bucket: name, key: 'archive' }
    assert.equal(await (await admin.getObject({ params })).text(), 'body of archive')
    const part = await request({
      url: server.url,
      path: `/api/v1/buckets/${name}/objects/archive?download=1`,
      token: server.adminToken,
      headers: { range: 'bytes=0-3' },
    })
    assert.deepEqual([part.status, part.body.toString()], [206, 'body'])
    assert.match(String(part.headers['content-disposition']), /^attachment/)
    const head = await ask(name, '', server.adminToken, 'HEAD')
    assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, '15', 0])
    await admin.updateObject({ params, body: { content_type: 'text/plain' } })
    await server.records([{ action: 'delete', bucket: name, key: 'archive' }], () => admin.deleteObject({ params }))
    await rejectsWith(admin.getObject({ params }), 'not_found')
    await admin.putObject({ params, body: Buffer.from('again') })
    assert.equal((await ask(name, '')).body.toString(), 'again')
    assert.deepEqual(Object.keys(await files(ask(name, prefixed('archive/')))), ['archive/a'])
  })

  itOnce('is a valid zip of nothing where there is nothing', async () => {
    const name = await open('a')
    for (const query of [prefixed('none/'), '?keys=none']) {
      const { body } = await ask(name, query)
      assert.deepEqual([await unzip(body), body.length], [[], 22])
    }
    assert.deepEqual(await files(ask(await open(), '?prefix=')), {})
  })

  itOnce('gives every key a path of its own that stays where it is unpacked', async () => {
    const cases: [string, string][] = [
      ['Bär/漢字 😀.txt', 'Bär/漢字 😀.txt'],
      ['../../etc/passwd', '__/__/etc/passwd'],
      ['a/../b', 'a/__/b'],
      ['a/./b', 'a/_/b'],
      ['...', '___'],
      ['/leading', 'leading'],
      ['//twice//in', 'twice/in'],
      ['back\\slash\\..\\x', 'back_slash_.._x'],
      ['C:/windows', 'C_/windows'],
      ['c:evil', 'c_evil'],
      ['x/C:/y', 'x/C:/y'],
      ['line\r\nbreak', 'line\r\nbreak'],
      ['e\u0301', 'e\u0301'],
      ['é', 'é'],
      ['.hidden', '.hidden'],
      ['..hidden', '..hidden'],
      ['%2e%2e/x', '%2e%2e/x'],
      ['con', 'con'],
    ]
    const name = await open(...cases.map(([key]) => key))
    const expected = Object.fromEntries(cases.map(([key, entry]) => [entry, `body of ${key}`]))
    assert.deepEqual(await files(ask(name, '?prefix=')), expected)
    assert.deepEqual(
      await files(
        select(
          name,
          cases.map(([key]) => key),
        ),
      ),
      expected,
    )
    const only = await open('/', '..')
    const { __: dots, ...rest } = await files(ask(only, '?prefix='))
    assert.deepEqual([dots, Object.values(rest)], ['body of ..', ['body of /']])
  })

  itOnce('numbers what would be one path, and keeps all of it', async () => {
    const same = [
      'a/b.txt',
      '/a/b.txt',
      'a//b.txt',
      '//a/b.txt',
      'a\\b',
      'a_b',
      '..',
      '__',
      'x',
      '/x',
      'x (2)',
      '.tar/.gz',
    ]
    const name = await open(...same, '/.tar/.gz')
    const found = await files(ask(name, '?prefix='))
    assert.deepEqual(Object.values(found).toSorted(), [...same, '/.tar/.gz'].map((key) => `body of ${key}`).toSorted())
    for (const entry of ['a/b.txt', 'a/b (2).txt', 'a/b (3).txt', 'a/b (4).txt', 'a_b', 'a_b (2)', '__', '__ (2)', 'x'])
      assert.ok(entry in found, entry)
    assert.deepEqual(await files(ask(name, '?prefix=')), found, 'the same every time')
  })

  itOnce('unpacks where a key is also a folder, and where a folder has a marker', async () => {
    const keys = ['a', 'a-b', 'a/b', 'a/b/c', 'm/x']
    const name = await open(...keys)
    await put(name, 'm/', '')
    await put(name, 'm/sub/', '')
    await put(name, 'm//', '')
    await put(name, '/', '')
    await put(name, 'w/', 'with bytes')
    await put(name, 'w/x')
    const selection = [...keys, 'm/', 'm//', '/', 'm/sub/', 'w/', 'w/x']
    for (const query of [ask(name, '?prefix='), select(name, selection), select(name, selection.toReversed())]) {
      const found = await files(query)
      const paths = Object.keys(found).filter((entry) => !entry.endsWith('/'))
      for (const one of paths)
        assert.ok(!paths.some((other) => other.startsWith(`${one}/`)), `"${one}" is a file and a folder: ${paths}`)
      for (const key of [...keys, 'w/x']) assert.ok(Object.values(found).includes(`body of ${key}`), key)
      assert.ok(Object.values(found).includes('with bytes'))
      assert.equal(found['m/x'], 'body of m/x', 'its marker does not take its place')
    }
  })

  itOnce('names the file to save after the folder, whatever its name', async () => {
    const name = await open('a\r\nSet-Cookie: b=c/x', 'Bär "漢"/x', '../x', '//x')
    for (const [prefix, expected] of [
      ['a\r\nSet-Cookie: b=c/', /^attachment; filename/],
      ['Bär "漢"/', /filename\*=UTF-8''B%C3%A4r%20%22%E6%BC%A2%22\.zip/],
      ['../', /^attachment; filename/],
      ['//', /^attachment; filename/],
      ['none', /filename=none\.zip/],
    ] as const) {
      const { status, headers } = await ask(name, prefixed(prefix))
      assert.equal(status, 200)
      assert.match(String(headers['content-disposition']), expected)
      assert.equal(headers['set-cookie'], undefined)
    }
  })

  itOnce('answers HEAD without reading a byte', { skip: onS3 && 'about open files' }, async () => {
    const name = await open('a', 'b')
    const [file] = await Promise.all(['a'].map((key) => blobFile(name, key)))
    fs.rmSync(file ?? '')
    const before = errorsLogged().length
    const { status, headers, body } = await ask(name, '?prefix=', server.adminToken, 'HEAD')
    assert.deepEqual([status, headers['content-type'], body.length], [200, 'application/zip', 0])
    assert.equal((await ask(name, prefixed('x'), 'nonsense', 'HEAD')).status, 401)
    assert.equal((await ask('zip-absent', '?prefix=', server.adminToken, 'HEAD')).status, 404)
    await server.running.tick()
    assert.deepEqual(errorsLogged().slice(before), [])
  })

  const blobFile = async (name: string, key: string): Promise<string> => {
    const { blob_id } = await server.database.db
      .selectFrom('objects')
      .innerJoin('buckets', 'buckets.id', 'bucket_id')
      .select('blob_id')
      .where('name', '=', name)
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    return path.join(server.folder, 'blobs', server.files().find((file) => file.endsWith(blob_id)) ?? assert.fail())
  }
  /** The answer as it comes: its status, and whether the connection broke before its end. */
  const broken = async (name: string): Promise<{ status: number; broke: boolean }> => {
    const url = `${server.url}/api/v1/buckets/${name}/objects/archive?prefix=`
    const sent = http.get(url, { headers: { authorization: `Bearer ${server.adminToken}` }, agent: false })
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    try {
      for await (const _chunk of response);
    } catch {
      return { status: response.statusCode ?? 0, broke: true }
    }
    return { status: response.statusCode ?? 0, broke: !response.complete }
  }

  itOnce('breaks off rather than end short where bytes are missing', { skip: onS3 && 'about files' }, async () => {
    const big = Buffer.alloc(2 * MIB, 1)
    for (const victim of ['a', 'b', 'c'])
      for (const cut of ['gone', 'shorter'] as const) {
        const name = await open()
        for (const key of ['a', 'b', 'c']) await put(name, key, victim === key && cut === 'gone' ? 'small' : big)
        const file = await blobFile(name, victim)
        if (cut === 'gone') fs.rmSync(file)
        else fs.truncateSync(file, MIB)
        const { status, broke } = await broken(name)
        assert.ok(broke || status === 409, `${victim} ${cut}: ${status}`)
      }
    await until(() => openBlobs().length === 0)
    // Bytes that end while they are read.
    const name = await open()
    await put(name, 'a', Buffer.alloc(24 * MIB, 1))
    const file = await blobFile(name, 'a')
    const sent = http.get(`${server.url}/api/v1/buckets/${name}/objects/archive?prefix=`, {
      headers: { authorization: `Bearer ${server.adminToken}` },
      agent: false,
    })
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    await once(response, 'readable')
    fs.truncateSync(file, 12 * MIB)
    await assert.rejects(buffer(response as Readable))
    await until(() => openBlobs().length === 0)
  })

  itStored('releases everything when the client leaves', async () => {
    const name = await open()
    for (let i = 0; i < 30; i++) await put(name, `small ${i}`)
    for (const key of ['t', 'u', 'v']) await put(name, key, Buffer.alloc(16 * MIB, 1))
    const before = errorsLogged().length
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    try {
      for (const wanted of [0, 1, 1000, 4 * MIB, 20 * MIB]) {
        const sent = http.get(`${server.url}/api/v1/buckets/${name}/objects/archive?prefix=`, {
          headers: { authorization: `Bearer ${server.adminToken}` },
          agent: false,
        })
        sent.on('error', () => {})
        const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
        response.on('error', () => {})
        let got = 0
        for await (const chunk of response) {
          got += (chunk as Buffer).length
          if (got >= wanted) break
        }
        sent.destroy()
        await until(() => openBlobs().length === 0)
      }
      // The process has nothing left to wait for, and whoever stays gets all of it.
      await server.running.tick()
      assert.equal(Object.keys(await files(ask(name, '?prefix='))).length, 33)
      assert.equal(openBlobs().length, 0)
    } finally {
      process.off('warning', warn)
    }
    assert.deepEqual(errorsLogged().slice(before), [])
    assert.deepEqual(warnings, [])
  })
})

// Without the network, the disk and PostgreSQL between: none of them has a part in the format.
describe('large archives', { skip: onS3 && 'about the format alone' }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', STORED)
  })
  after(() => server.stop())

  /** The pieces of the archive of a bucket whose objects have these bytes, read as fast as they come. */
  async function piecesOf(name: string, bytes: (size: number) => BlobBody): Promise<Uint8Array[]> {
    const { database, clock, env } = server
    const work: Promise<unknown>[] = []
    const system: System = {
      database,
      blobs: { get: async (_id: string, size: number) => bytes(size) } as Partial<Blobs> as Blobs,
      config: readConfig(env),
      now: clock.now,
      log: createLog('silent', undefined),
      background: (one) => void work.push(typeof one === 'function' ? one() : one),
      worksInBackground: false,
      stopping: new AbortController().signal,
      publish,
      agentGate,
    }
    const groups = [{ id: '', name: '', global: ['admin'] as const, grants: [] }]
    const ctx = createContext(system, { ...systemActor, groups })
    const { open } = await archive(ctx, name, { prefix: '' })
    const pieces = await Array.fromAsync(open(() => undefined))
    await Promise.all(work)
    return pieces
  }
  const addObjects = async (name: string, ...rows: [key: string, size: number][]) => {
    await server.database.transaction(async (tx) => {
      const seed = await tx.selectFrom('objects').selectAll().where('key', '=', 'seed').executeTakeFirstOrThrow()
      const { id } = await tx.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
      const values = rows.map(([key, size]) => ({ ...seed, bucket_id: id, key, size }))
      for (let i = 0; i < values.length; i += 500)
        await tx
          .insertInto('objects')
          .values(values.slice(i, i + 500))
          .execute()
    })
  }
  before(async () => {
    for (const name of ['seed', 'many', 'huge']) await server.admin.createBucket({ body: { name } })
    await server.admin.putObject({ params: { bucket: 'seed', key: 'seed' }, body: Buffer.from('x') })
  })

  it('hold more than 65,535 entries', async (t) => {
    await addObjects('many', ...Array.from({ length: 66_000 }, (_, i) => [`k${i}`, 6] as [string, number]))
    const began = performance.now()
    const bytes = Buffer.concat(await piecesOf('many', () => Buffer.from('shared')))
    t.diagnostic(`${Math.round(performance.now() - began)} ms`)
    const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true })
    assert.equal(zip.entryCount, 66_000)
    const names = new Set<string>()
    for await (const entry of zip.eachEntry()) {
      names.add(entry.fileName)
      if (names.size % 10_000 !== 0) continue
      assert.equal((await buffer(await zip.openReadStreamPromise(entry))).toString(), 'shared')
    }
    assert.equal(names.size, 66_000)
  })

  it('hold more than 4 GiB, in one entry and before one', async (t) => {
    const GIB = 1024 * MIB
    const sizes = { b: 4 * GIB + 1, c: 6 }
    await addObjects('huge', ['b', sizes.b], ['c', sizes.c])
    const chunk = Buffer.alloc(MIB, 1)
    const body = (size: number) =>
      size === 6
        ? Buffer.from('shared')
        : Readable.from(
            (function* () {
              for (let left = size; left > 0; left -= MIB) yield left < MIB ? chunk.subarray(0, left) : chunk
            })(),
            // As it is given: a stream of bytes would join chunks, and copy them.
            { objectMode: true },
          )
    const began = performance.now()
    const before = process.memoryUsage().rss
    const pieces = await piecesOf('huge', body)
    t.diagnostic(`${Math.round(performance.now() - began)} ms`)
    // Almost all pieces are the same chunk, if nobody copied it.
    const grown = process.memoryUsage().rss - before
    assert.ok(grown < 300 * MIB, `grew by ${Math.round(grown / MIB)} MiB`)
    const zip = await yauzl.fromRandomAccessReaderPromise(new Pieces(pieces), Pieces.sizeOf(pieces), {
      strictFileNames: true,
      autoClose: false,
    })
    const found: [string, number][] = []
    for await (const entry of zip.eachEntry()) {
      found.push([entry.fileName, entry.uncompressedSize])
      if (entry.uncompressedSize > GIB) continue
      assert.ok(entry.relativeOffsetOfLocalHeader > 4 * GIB)
      assert.equal((await buffer(await zip.openReadStreamPromise(entry))).toString(), 'shared')
    }
    assert.deepEqual(found, [
      ['b', sizes.b],
      ['c', sizes.c],
    ])
  })
})

/** Reads what is in pieces as if it were one file. */
class Pieces extends yauzl.RandomAccessReader {
  readonly #pieces: readonly Uint8Array[]
  constructor(pieces: readonly Uint8Array[]) {
    super()
    this.#pieces = pieces
  }
  static sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
  override _readStreamForRange(start: number, end: number): Readable {
    const found: Uint8Array[] = []
    let at = 0
    for (const piece of this.#pieces) {
      if (at < end && at + piece.length > start) found.push(piece.subarray(Math.max(0, start - at), end - at))
      at += piece.length
    }
    return Readable.from(found, { objectMode: false })
  }
}
