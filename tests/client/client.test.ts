import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Client as Derived } from '../../client/derived.ts'
import * as published from '../../client/index.ts'
import { bareEnv, spawnServer } from '../support/process.ts'
import { addApp } from '../support/second-factor.ts'
import { ADMIN, SECRET_KEY, startServer, type TestServer } from '../support/server.ts'

const run = promisify(execFile)
const ROOT = path.join(import.meta.dirname, '../..')
const BUCKET = 'files'
const MIB = 1024 ** 2
const DAY = 24 * 3600_000

/**
 * The generated types are those that the contract derives: what each operation takes and answers can be put in the place
 * of the other. The compiler names the operations that differ.
 */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Body<T> = T extends { body?: infer B } ? B : undefined
type Part<T, K extends 'params' | 'query'> = T extends Partial<Record<K, infer P>> ? P : undefined
type Differing = {
  [N in keyof Derived]: Same<Awaited<ReturnType<Derived[N]>>, Awaited<ReturnType<published.Client[N]>>> extends true
    ? Same<Part<Parameters<Derived[N]>[0], 'params'>, Part<published.Call<N>, 'params'>> extends true
      ? Same<Body<Parameters<Derived[N]>[0]>, Body<published.Call<N>>> extends true
        ? never
        : [N, 'body']
      : [N, 'params']
    : [N, 'reply']
  // A JSON Schema, which the contract says is some object.
}[Exclude<keyof Derived, 'listEvents'>]
const differing: never = null as never as Differing

describe('strongroom/client', () => {
  let server: TestServer
  let folder: string
  before(async () => {
    server = await startServer('sqlite')
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-client-'))
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(async () => {
    fs.rmSync(folder, { recursive: true, force: true })
    await server.stop()
  })
  const client = (more: Partial<published.ClientOptions> = {}) =>
    published.createClient({ baseUrl: `${server.url}/`, token: server.adminToken, ...more })

  it('has every operation of the contract', () => {
    assert.equal(differing, null)
    const { all: _, baseUrl: _b, fetch: _f, retry: _r, ...operations } = client()
    assert.deepEqual(Object.keys(operations).sort(), Object.keys(server.admin).sort())
  })

  it('any key survives a round trip, whatever URLs do to it', async () => {
    const { putObject, getObject, deleteObject, listObjects } = client()
    for (const key of ['a/b.txt', 'ä/漢 🌊 %41+#?&', '../x', 'a/./b', 'a//b', '/lead', 'trail/', '..']) {
      const params = { bucket: BUCKET, key }
      await server.records([{ action: 'upload', bucket: BUCKET, key }], () => putObject({ params, body: key }))
      assert.equal(await (await getObject({ params })).text(), key)
      assert.deepEqual(
        (await listObjects({ params: { bucket: BUCKET } })).items.map((one) => one.key),
        [key],
      )
      await server.records([{ action: 'delete', bucket: BUCKET, key }], () => deleteObject({ params }))
    }
  })

  it('an error response is a ProblemError with its code, errors and request id', async () => {
    const error = await client()
      .createBucket({ body: { name: 'NO' } })
      .catch((thrown: unknown) => thrown)
    assert.ok(error instanceof published.ProblemError)
    assert.deepEqual(
      [error.name, error.code, error.status, error.errors[0]?.path],
      ['ProblemError', 'invalid_request', 422, 'body.name'],
    )
    assert.match(error.requestId, /^[0-9a-f-]{36}$/)
    const head = await client()
      .headObject({ params: { bucket: BUCKET, key: 'none' } })
      .catch((thrown: unknown) => thrown)
    assert.equal((head as published.ProblemError).status, 404)
  })

  it('iterates complete lists of both pagination styles', async () => {
    const { all, putObject } = client()
    for (const n of [1, 2, 3, 4, 5]) await putObject({ params: { bucket: BUCKET, key: `list/${n}` }, body: '' })
    const query = { prefix: 'list/', limit: 2 }
    const keys: string[] = []
    for await (const object of all.listObjects({ params: { bucket: BUCKET }, query })) keys.push(object.key)
    assert.deepEqual(
      keys,
      [1, 2, 3, 4, 5].map((n) => `list/${n}`),
    )
    const link = await client().createShare({ body: { kind: 'object', bucket: BUCKET, key: 'list/1' } })
    for (let i = 0; i < 3; i++) await fetch(server.url + new URL(link.url).pathname)
    const params = { id: link.id }
    const wait = () => client().listShareAccesses({ params })
    while ((await wait()).total < 3);
    const accesses = await Array.fromAsync(all.listShareAccesses({ params, query: { page_size: 2 } }))
    assert.equal(new Set(accesses.map(({ id }) => id)).size, 3)
    let first = 0
    for await (const _ of all.listAudit({ query: { page_size: 1 } })) if (++first === 2) break
    assert.equal(first, 2)
  })

  it('streams bodies, and aborts on a signal', async () => {
    const { putObject, getObject } = client()
    const params = { bucket: BUCKET, key: 'stream' }
    const chunks = Array.from({ length: 40 }, (_, i) => new Uint8Array(100_000).fill(i))
    await putObject({ params, body: new Blob(chunks).stream() })
    const back = await (await getObject({ params })).bytes()
    assert.equal(Buffer.concat(chunks).equals(back), true)
    const reason = new Error('enough')
    await assert.rejects(getObject({ params, signal: AbortSignal.abort(reason) }), reason)
    const controller = new AbortController()
    const { body } = await getObject({ params, signal: controller.signal })
    controller.abort(reason)
    await assert.rejects(async () => Array.fromAsync(body as never), reason)
  })

  it('retries what is safe to repeat after 429, 503 and lost connections, and obeys Retry-After', async () => {
    const seen: string[] = []
    const faulty =
      (faults: (Response | Error)[]): typeof fetch =>
      async (input, init) => {
        seen.push(`${init?.method} ${new URL(String(input)).pathname}`)
        const fault = faults.shift()
        if (fault instanceof Error) throw fault
        return fault ?? fetch(input, init)
      }
    const busy = (status = 503, headers = {}) => new Response('{}', { status, headers })
    const retry = { firstPause: 1 }
    const calls = async (faults: (Response | Error)[], work: (one: published.Client) => Promise<unknown>) => {
      seen.length = 0
      const outcome = await work(client({ fetch: faulty(faults), retry })).then(
        () => 'done',
        (error: Error) => error.name,
      )
      return [outcome, seen.length]
    }
    const read = (one: published.Client) => one.listBuckets()
    assert.deepEqual(await calls([busy(), busy(429), new TypeError('fetch failed')], read), ['done', 4])
    assert.deepEqual(await calls([busy(), busy(), busy(), busy()], read), ['ProblemError', 4])
    assert.deepEqual(await calls([busy(503, { 'retry-after': '3600' })], read), ['ProblemError', 1])
    assert.deepEqual(await calls([new Response('', { status: 500 })], read), ['ProblemError', 1])
    const create = (one: published.Client) => one.createBucket({ body: { name: 'never' } })
    assert.deepEqual(await calls([busy()], create), ['ProblemError', 1])
    const params = { bucket: BUCKET, key: 'again' }
    const put = (one: published.Client) => one.putObject({ params, body: 'x' })
    assert.deepEqual(await calls([busy(), new TypeError('fetch failed')], put), ['done', 3])
    const stream = (one: published.Client) => one.putObject({ params, body: new Blob(['x']).stream() })
    assert.deepEqual(await calls([busy()], stream), ['ProblemError', 1])
    const onlyNew = (one: published.Client) => one.putObject({ params, body: 'x', headers: { 'If-None-Match': '*' } })
    assert.deepEqual(await calls([new TypeError('fetch failed')], onlyNew), ['TypeError', 1])
    const started = performance.now()
    assert.deepEqual(await calls([busy(503, { 'retry-after': '1' })], read), ['done', 2])
    assert.ok(performance.now() - started >= 990)
    await assert.rejects(
      client({ fetch: faulty([busy(503, { 'retry-after': '20' })]) }).listBuckets({ signal: AbortSignal.timeout(50) }),
      { name: 'TimeoutError' },
    )
  })

  it('a session renews itself once for all concurrent calls, and ends', async () => {
    const kept: published.SessionTokens[] = []
    const options = { baseUrl: server.url, onTokens: (tokens: published.SessionTokens) => void kept.push(tokens) }
    await assert.rejects(published.signIn({ ...options, email: ADMIN.email, password: 'wrong' }), {
      code: 'invalid_grant',
    })
    const session = await published.signIn({ ...options, email: ADMIN.email, password: ADMIN.password })
    const one = client({ token: session })
    assert.equal((await one.me()).email, ADMIN.email)
    // The service's time moves on, ours does not: the token is refused and renewed.
    server.clock.advance(31 * 60_000)
    await Promise.all([one.me(), one.me(), one.listBuckets()])
    assert.equal(kept.length, 2)
    // Its end is known beforehand: renewed before it is refused.
    const resumed = published.resumeSession({
      ...options,
      tokens: { ...session.tokens(), expires_at: Date.now() + 1000 },
    })
    await Promise.all([client({ token: resumed }).me(), client({ token: resumed }).me()])
    assert.equal(kept.length, 3)
    await server.records([{ action: 'logout' }], () => resumed.end())
    await assert.rejects(client({ token: resumed }).me(), { code: 'unauthenticated' })
    await server.later(DAY)
    const later = client({ token: async () => server.adminToken })
    assert.equal((await later.me()).email, ADMIN.email)
  })

  it('signs in with a second factor', async () => {
    const [email, password] = ['two-steps@example.com', 'a password of two steps']
    server.secrets.add(password)
    await server.admin.createUser({ body: { email, display_name: 'T', password } })
    const app = await addApp(server, server.as(await server.login(email, password)), { current_password: password })
    const options = { baseUrl: server.url, email, password }
    await assert.rejects(published.signIn(options), (error: published.ProblemError) => {
      const { code, methods, expires_in } = error.problem
      assert.deepEqual([code, methods, expires_in], ['second_factor_required', ['totp', 'recovery_code'], 300])
      return true
    })
    const spaced = () => app.next().replace(/^.../, '$& ')
    for (const secondFactor of [spaced, async () => app.recovery_codes?.[0] ?? '']) {
      const session = await published.signIn({ ...options, secondFactor })
      assert.equal((await client({ token: session }).me()).email, email)
      await session.end()
    }
    await assert.rejects(published.signIn({ ...options, secondFactor: () => '000000' }), {
      code: 'invalid_second_factor',
    })
  })

  it('uploads several parts at a time, resumes, and aborts what no one will resume', async () => {
    const bytes = Buffer.alloc(18 * MIB, 'abcdefg')
    const file = new Blob([bytes])
    const parts: string[] = []
    let failing = Number.POSITIVE_INFINITY
    const counting: typeof fetch = async (input, init) => {
      if (String(input).includes('/parts/')) {
        if (parts.length >= failing) return new Response('{"code":"internal"}', { status: 500 })
        parts.push(String(input))
      }
      return fetch(input, init)
    }
    const one = client({ fetch: counting, retry: { attempts: 1 } })
    const what = { bucket: BUCKET, key: 'parts.bin', file, partSize: 5 * MIB, partsFrom: MIB, concurrency: 2 }
    const open = async () => (await one.listUploads({ params: { bucket: BUCKET } })).items
    const progress: number[] = []
    const stored = await server.records([{ action: 'upload', bucket: BUCKET, key: 'parts.bin' }], () =>
      published.uploadFile(one, { ...what, onProgress: (sent) => progress.push(sent), metadata: { a: 'b' } }),
    )
    assert.deepEqual(
      [stored.size, stored.etag.slice(-2), parts.length, stored.metadata],
      [file.size, '-4', 4, { a: 'b' }],
    )
    assert.deepEqual([progress[0], progress.at(-1)], [0, file.size])

    failing = 4 + 2
    await assert.rejects(published.uploadFile(one, { ...what, concurrency: 1 }), { code: 'internal' })
    assert.deepEqual(await open(), [], 'nobody asked to go on: it was given up')
    let uploadId = ''
    failing = 6 + 2
    const onStart = (id: string) => {
      uploadId = id
    }
    await assert.rejects(published.uploadFile(one, { ...what, onStart, concurrency: 1 }), { code: 'internal' })
    assert.deepEqual(
      (await open()).map(({ upload_id, received_parts }) => [upload_id, received_parts]),
      [[uploadId, 2]],
    )
    failing = Number.POSITIVE_INFINITY
    parts.length = 0
    const md5 = async (part: Blob) =>
      createHash('md5')
        .update(await part.bytes())
        .digest('hex')
    const again = await published.uploadFile(one, { ...what, resume: { uploadId, md5 } })
    assert.deepEqual([again.etag, parts.length], [stored.etag, 2])

    failing = 2 + 1
    await assert.rejects(published.uploadFile(one, { ...what, onStart, concurrency: 1 }), { code: 'internal' })
    failing = Number.POSITIVE_INFINITY
    const other = new Blob([Buffer.alloc(18 * MIB, 'hijklmn')])
    const mixed = await published.uploadFile(one, { ...what, file: other, resume: { uploadId, md5 } })
    assert.notEqual(mixed.etag, stored.etag)
    assert.deepEqual(await open(), [], 'the upload of the other file was given up')
    const back = await (await one.getObject({ params: { bucket: BUCKET, key: 'parts.bin' } })).bytes()
    assert.equal(createHash('md5').update(back).digest('hex'), await md5(other))
    await assert.rejects(published.uploadFile(one, { ...what, onlyNew: true }), { code: 'precondition_failed' })
    const small = await published.uploadFile(one, {
      bucket: BUCKET,
      key: 's.txt',
      file: new Blob(['s'], { type: 'text/x' }),
    })
    assert.equal(small.content_type, 'text/x')
  })

  describe('the package as it is installed', () => {
    let consumer: string
    before(async () => {
      consumer = path.join(folder, 'consumer')
      const modules = path.join(consumer, 'node_modules')
      fs.mkdirSync(path.join(modules, '@types'), { recursive: true })
      await run(process.execPath, [path.join(ROOT, 'scripts/package.ts')], { cwd: ROOT })
      const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
      const { stdout } = await run('npm', pack, { cwd: ROOT })
      const archive = path.join(folder, stdout.trim().split('\n').at(-1) ?? '')
      await run('tar', ['-xzf', archive, '-C', modules])
      fs.renameSync(path.join(modules, 'package'), path.join(modules, 'strongroom'))
      fs.writeFileSync(path.join(consumer, 'package.json'), '{"type":"module"}')
    })
    const link = (name: string) =>
      fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(consumer, 'node_modules', name))
    const tsc = (...args: string[]) =>
      run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', ...args], {
        cwd: consumer,
      }).catch((error: { stdout: string }) => error)
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2022']

    it('holds the compiled client with its declarations and no source', () => {
      const files = fs.readdirSync(path.join(consumer, 'node_modules/strongroom'), {
        recursive: true,
        encoding: 'utf8',
      })
      for (const file of [
        'dist/client/index.js',
        'dist/client/index.d.ts',
        'bin/strongroom.js',
        'LICENSE',
        'README.md',
      ])
        assert.ok(files.includes(file), file)
      assert.deepEqual(
        files.filter((file) => (/\.ts$/.test(file) && !/\.d\.ts$/.test(file)) || /^(tests|server|\.)/.test(file)),
        [],
      )
      assert.deepEqual(
        files.filter((file) => /^dist\/client\/.*js$/.test(file) && readIn(file).match(/from '(?!\.)/)),
        [],
        'it needs no other package',
      )
    })
    const readIn = (file: string) => fs.readFileSync(path.join(consumer, 'node_modules/strongroom', file), 'utf8')

    it('its types are complete for a strict consumer, in a browser and in Node, without other packages', async () => {
      fs.writeFileSync(
        path.join(consumer, 'sample.ts'),
        `import { createClient, signIn, uploadFile, ProblemError, type Client, type Bucket, type StoredObject, type Reply } from 'strongroom/client'
const client: Client = createClient({ baseUrl: 'https://x', token: async () => 'token' })
const page = await client.listObjects({ params: { bucket: 'b' }, query: { prefix: 'a/', limit: 5 } })
const next: string | null = page.next_cursor
const keys: string[] = page.items.map(({ key }) => key)
for await (const object of client.all.listObjects({ params: { bucket: 'b' } })) { const size: number = object.size; size.toFixed() }
const buckets: Reply<'listBuckets'> = await client.listBuckets()
const bucket: Bucket | undefined = buckets.items[0]
const stored: StoredObject = await uploadFile(client, { bucket: 'b', key: 'k', file: new Blob(['x']) })
const bytes: Response = await client.getObject({ params: { bucket: 'b', key: 'k' }, signal: AbortSignal.timeout(5) })
await client.putObject({ params: { bucket: 'b', key: 'k' }, body: new Uint8Array(3) })
const session = await signIn({ baseUrl: 'https://x', email: 'a', password: 'b' })
createClient({ baseUrl: 'https://x', token: session, retry: { attempts: 2 } })
export function seen(error: unknown) { return error instanceof ProblemError ? [error.code, error.status, error.errors[0]?.path, next, keys, bucket, stored, bytes] : [] }
// @ts-expect-error there is no such operation
client.nothing
// @ts-expect-error a parameter is missing
client.getObject({ params: { bucket: 'b' } })
// @ts-expect-error no parameters at all
client.getObject()
// @ts-expect-error an unknown field of the body
client.createBucket({ body: { name: 'b', quota: 3 } })
// @ts-expect-error not one of the values
client.browse({ params: { bucket: 'b' }, query: { sort: 'colour' } })
// @ts-expect-error not a list
client.all.getObject
// @ts-expect-error no such field of the answer
page.items[0]?.colour
`,
      )
      for (const where of [
        ['--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable', '--types', ''],
        ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', ''],
      ])
        assert.equal((await tsc(...strict, ...where, 'sample.ts')).stdout, '')
      link('@types/node')
      link('undici-types')
      const inNode = ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node']
      fs.copyFileSync(path.join(ROOT, 'examples/backup.ts'), path.join(consumer, 'backup.ts'))
      assert.equal((await tsc(...strict, ...inNode, 'sample.ts', 'backup.ts')).stdout, '')
    })

    it('the example runs', async () => {
      const { token } = await client().createToken({ body: { name: 'example' } })
      server.secrets.add(token)
      fs.mkdirSync(path.join(consumer, 'reports'))
      fs.writeFileSync(path.join(consumer, 'reports/june.txt'), 'June')
      fs.copyFileSync(path.join(ROOT, 'examples/backup.ts'), path.join(consumer, 'backup.ts'))
      const env = { ...bareEnv, STRONGROOM_URL: server.url, STRONGROOM_TOKEN: token }
      const { stdout } = await server.records(
        [
          { action: 'create_bucket', bucket: 'reports' },
          { action: 'upload', bucket: 'reports', key: 'june.txt' },
          { action: 'share_create', bucket: 'reports', key: 'june.txt' },
        ],
        () => run(process.execPath, ['backup.ts', 'reports', 'reports'], { cwd: consumer, env }),
      )
      assert.match(stdout, /^1 files; the newest is june\.txt: http/)
      const { pathname } = new URL(stdout.trim().split(' ').at(-1) ?? '')
      assert.equal(await (await fetch(server.url + pathname)).text(), 'June')
    })

    it('its CLI talks to a service, and starts one', async () => {
      const bin = path.join(consumer, 'node_modules/strongroom/bin/strongroom.js')
      const { token } = await client().createToken({ body: { name: 'installed' } })
      server.secrets.add(token)
      const env = { ...bareEnv, STRONGROOM_URL: server.url, STRONGROOM_TOKEN: token }
      const listed = await run(process.execPath, [bin, 'ls'], { cwd: consumer, env })
      assert.match(listed.stdout, /sr:files\/\n/)
      // The service needs the packages it depends on; npm would have put them here.
      for (const name of fs.readdirSync(path.join(ROOT, 'node_modules')))
        if (!name.startsWith('.') && !fs.existsSync(path.join(consumer, 'node_modules', name))) link(name)
      const data = path.join(folder, 'data')
      const started = await spawnServer(
        { DATA_DIR: data, PORT: '0', SECRET_KEY, BOOTSTRAP_ADMIN_EMAIL: ADMIN.email },
        ['start'],
        bin,
      )
      try {
        assert.equal((await published.createClient({ baseUrl: started.url }).readyz()).status, 'ready', started.log())
      } finally {
        assert.equal(await started.kill('SIGTERM'), 0)
      }
    })
  })
})
