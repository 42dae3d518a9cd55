import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { localPath, parsePlace } from '../../cli/places.ts'
import { request } from '../support/http.ts'
import { bareEnv } from '../support/process.ts'
import { addApp } from '../support/second-factor.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { commandIn } from './command.ts'
import { type CuttingProxy, startProxy } from './proxy.ts'

const BUCKET = 'files'
const MIB = 1024 ** 2
const HOUR = 3600_000

describe('the command (sqlite)', () => {
  let server: TestServer
  let folder: string
  let proxy: CuttingProxy
  let token: string
  before(async () => {
    server = await startServer('sqlite')
    proxy = await startProxy(server.url)
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    await server.admin.createBucket({ body: { name: BUCKET } })
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    server.secrets.add(token)
  })
  after(async () => {
    await proxy.close()
    fs.rmSync(folder, { recursive: true, force: true })
    // Nothing that was ever printed holds a credential; the server looks at its own log and database when it stops.
    assert.doesNotMatch(printed(), /svc_pat_[0-9A-Za-z]{30}|eyJ[\w-]{8,}\.[\w-]+\./)
    assert.equal(printed().includes(ADMIN.password), false)
    await server.stop()
  })

  const env = () => ({
    ...bareEnv,
    HOME: folder,
    STRONGROOM_CONFIG: path.join(folder, 'config', 'config.json'),
    STRONGROOM_URL: proxy.url,
    STRONGROOM_TOKEN: token,
  })
  const { begin, strongroom, ok, printed } = commandIn(() => ({ folder, env: env() }))
  const at = (...names: string[]) => path.join(folder, ...names)
  function write(name: string, contents: string | Buffer, mtime?: Date): void {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true })
    fs.writeFileSync(at(name), contents)
    if (mtime) fs.utimesSync(at(name), mtime, mtime)
  }
  const put = (key: string, body: string) =>
    server.admin.putObjectByQuery({ params: { bucket: BUCKET }, query: { key }, body })
  const keys = async (prefix: string) =>
    (await server.admin.listObjects({ params: { bucket: BUCKET }, query: { prefix, limit: 1000 } })).items.map(
      ({ key }) => key.slice(prefix.length),
    )
  const tree = (name: string): Record<string, string> =>
    Object.fromEntries(
      fs
        .readdirSync(at(name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .sort()
        .map((file) => [path.relative(at(name), file), fs.readFileSync(file, 'utf8')]),
    )
  const uploaded = (key: string) => ({ action: 'upload', bucket: BUCKET, key }) as const

  it('signs in with its own token, readable by its owner alone, and revokes it', async () => {
    const config = { STRONGROOM_URL: '', STRONGROOM_TOKEN: '' }
    const file = env().STRONGROOM_CONFIG
    const none = await strongroom(['ls'], { env: config })
    assert.deepEqual([none.code, /strongroom login/.test(none.err)], [2, true])
    const wrong = await strongroom(['login', server.url, '--email', ADMIN.email], { input: 'wrong', env: config })
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /invalid_grant, request [0-9a-f-]{36}/)
    assert.equal(fs.existsSync(file), false)

    const login = ['login', `${server.url}/console/`, '--email', ADMIN.email]
    const done = await server.records([{ action: 'login' }, { action: 'token_create' }, { action: 'logout' }], () =>
      strongroom(login, { input: `${ADMIN.password}\n`, env: config }),
    )
    assert.deepEqual([done.code, done.err], [0, ''])
    assert.deepEqual([fs.statSync(file).mode & 0o777, fs.statSync(path.dirname(file)).mode & 0o777], [0o600, 0o700])
    const kept = JSON.parse(fs.readFileSync(file, 'utf8')).profiles.default
    server.secrets.add(kept.token)
    assert.deepEqual([kept.url, kept.email, /^svc_pat_/.test(kept.token)], [server.url, ADMIN.email, true])
    const made = (await server.admin.listTokens()).items.find(({ id }) => id === kept.token_id)
    assert.equal(Date.parse(made?.expires_at ?? '') - server.clock.now().getTime(), 90 * 24 * HOUR)
    assert.equal((await strongroom(['ls'], { env: config })).out, `sr:${BUCKET}/\n`)

    // A token of the console, under another name; and signing in again leaves one token, not two.
    const other = await strongroom(['login', server.url, '--token-stdin', '--profile', 'ci'], { input: `${token}\n` })
    assert.equal(other.code, 0, other.err)
    assert.equal((await strongroom(['ls', '--profile', 'ci'], { env: config })).code, 0)
    assert.equal((await strongroom(['ls', '--profile', 'nobody'])).code, 2)
    assert.equal((await strongroom(login, { input: ADMIN.password, env: config })).code, 0)
    const again = JSON.parse(fs.readFileSync(file, 'utf8')).profiles
    server.secrets.add(again.default.token)
    assert.deepEqual(Object.keys(again), ['default', 'ci'])
    const active = (await server.admin.listTokens()).items.filter(({ status, id }) => status === 'active' && id !== '')
    assert.equal(active.length, 2)

    const out = await server.records([{ action: 'token_revoke' }], () => strongroom(['logout'], { env: config }))
    assert.equal(out.code, 0, out.err)
    assert.equal((await strongroom(['logout', '--profile', 'ci'])).code, 0)
    assert.equal(fs.readFileSync(file, 'utf8').includes('svc_pat_'), false)
    assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  })

  it('signs in with a second factor, given on a second line', async () => {
    const [email, password] = ['two-steps@example.com', 'a password of two steps']
    server.secrets.add(password)
    await server.admin.createUser({ body: { email, display_name: 'T', password } })
    const app = await addApp(server, server.as(await server.login(email, password)), { current_password: password })
    const login = (input: string) =>
      strongroom(['login', server.url, '--email', email, '--profile', 'two'], { input, env: { STRONGROOM_URL: '' } })
    const without = await login(`${password}\n`)
    assert.equal(without.code, 1)
    assert.match(without.err, /second_factor_required/)
    const file = () => JSON.parse(fs.readFileSync(env().STRONGROOM_CONFIG, 'utf8')).profiles.two.token
    for (const code of [app.next(), app.recovery_codes?.[0]]) {
      const done = await login(`${password}\n${code}\n`)
      assert.equal(done.code, 0, done.err)
      server.secrets.add(file())
    }
    const wrong = await login(`${password}\n000000\n`)
    assert.match(wrong.err, /invalid_second_factor/)
    assert.equal((await strongroom(['logout', '--profile', 'two'])).code, 0)
  })

  it('accepts no credentials as arguments, and explains incorrect calls', async () => {
    const wrong = [
      ['ls', '--token', 'x'],
      ['cp', 'a'],
      ['cp', 'a', 'b'],
      ['ls', 'files/x'],
      ['cp', '-j', '0', 'a', 'sr:files'],
    ]
    const answers = await Promise.all(wrong.map((args) => strongroom(args)))
    for (const [i, { code, err }] of answers.entries())
      assert.deepEqual([wrong[i], code, err.startsWith('strongroom: ')], [wrong[i], 2, true])
    assert.match(await ok('cp', '--help'), /^usage: strongroom cp /)
    const lost = await strongroom(['cp', `sr:${BUCKET}/nothing`, '-'])
    assert.equal(lost.code, 1)
    assert.match(lost.err, /not_found, request [0-9a-f-]{36}/)
    const away = await strongroom(['ls'], { env: { STRONGROOM_URL: 'http://127.0.0.1:9' } })
    assert.deepEqual([away.code, /cannot be reached/.test(away.err)], [1, true])
  })

  const odd = [
    'ä 漢 🌊',
    'a+b %41 #?&',
    `q'"$(x)`,
    ' lead',
    'new\nline',
    'back\\slash',
    '-dash',
    'sub/..dots',
    'sr:x',
    'stow:x',
    '...',
  ]

  it('copies a tree with odd names up and down, including times', async () => {
    const time = new Date('2020-02-03T04:05:06.789Z')
    for (const name of odd) write(`tree/${name}`, `contents of ${name}`, time)
    write('tree/empty', '', time)
    fs.symlinkSync('/etc/passwd', at('tree/link'))
    const names = [...odd, 'empty'].sort()
    const { out, err, code } = await server.records(
      // In the order of a walk, one at a time.
      [...names.filter((name) => !name.includes('/')), 'sub/..dots'].sort().map((name) => uploaded(`t/${name}`)),
      () => strongroom(['cp', '-r', '-j', '1', 'tree', `sr:${BUCKET}/t`]),
    )
    assert.equal(code, 0, err)
    assert.match(out, /^12 copied /)
    assert.match(err, /link skipped: it is a symbolic link/)
    assert.deepEqual((await keys('t/')).sort(), names)

    const listed = (await ok('ls', '-r', '--json', `sr:${BUCKET}/t`)).trimEnd().split('\n')
    assert.deepEqual(listed.map((line) => JSON.parse(line).key.slice(2)).sort(), names)
    const shown = await ok('ls', `sr:${BUCKET}/t`)
    assert.equal(await ok('ls', `stow:${BUCKET}/t`), shown, 'the scheme of earlier releases')
    assert.equal(shown.includes('new\\x0aline\n') && shown.includes('sub/\n'), true)
    assert.match(await ok('ls', '-l', `sr:${BUCKET}/t/empty`), /^ +0 {2}2020-02-03T04:05:06Z empty\n$/)

    await ok('cp', '-r', `sr:${BUCKET}/t/`, 'back')
    fs.unlinkSync(at('tree/link'))
    assert.deepEqual(tree('back'), tree('tree'))
    assert.equal(fs.statSync(at('back/empty')).mtimeMs, time.getTime())
  })

  it('copies one file up, down, within the service and through pipes', async () => {
    write('one.txt', 'one')
    await server.records([uploaded('c/one.txt'), uploaded('c/two')], async () => {
      await ok('cp', 'one.txt', `sr:${BUCKET}/c/`)
      await ok('cp', 'one.txt', `sr:${BUCKET}/c/two`)
    })
    await server.records([{ action: 'copy', bucket: BUCKET, key: 'c/three' }], () =>
      ok('cp', `sr:${BUCKET}/c/two`, `sr:${BUCKET}/c/three`),
    )
    await server.records([{ action: 'move', bucket: BUCKET, key: 'd/three' }], () =>
      ok('mv', `sr:${BUCKET}/c/three`, `sr:${BUCKET}/d/`),
    )
    await ok('cp', '-r', `sr:${BUCKET}/c`, `sr:${BUCKET}/e`)
    assert.deepEqual(await keys('e/'), ['one.txt', 'two'])
    await ok('mv', '-r', `sr:${BUCKET}/e`, `sr:${BUCKET}/f`)
    assert.deepEqual([await keys('e/'), await keys('f/')], [[], ['one.txt', 'two']])
    const beside = `sr:${BUCKET}/f`
    await server.records([{ action: 'copy', bucket: BUCKET, key: 'f/two (1)' }], () =>
      ok('cp', '--keep-both', `sr:${BUCKET}/c/two`, `${beside}/two`),
    )
    await ok('cp', '-r', '--keep-both', `sr:${BUCKET}/c`, beside)
    await ok('mv', '--keep-both', `sr:${BUCKET}/d/three`, `${beside}/two`)
    assert.deepEqual(await keys('f/'), ['one (1).txt', 'one.txt', 'two', 'two (1)', 'two (2)', 'two (3)'])
    const up = await strongroom(['cp', '--keep-both', 'one.txt', beside])
    assert.deepEqual([up.code, /within the service/.test(up.err)], [2, true])
    const itself = await strongroom(['cp', '-r', `sr:${BUCKET}/c`, `sr:${BUCKET}/c/deeper`])
    assert.deepEqual([itself.code, /overlap/.test(itself.err)], [2, true])

    const bytes = randomBytes(300_000)
    const piped = await server.records([uploaded('p/bytes')], () =>
      strongroom(['cp', '-', `sr:${BUCKET}/p/bytes`], { input: bytes }),
    )
    assert.deepEqual([piped.code, piped.out], [0, ''])
    const child = begin(['cp', `sr:${BUCKET}/p/bytes`, '-'])
    const [back] = await Promise.all([Array.fromAsync(child.stdout), once(child, 'exit')])
    assert.equal(Buffer.concat(back as Buffer[]).equals(bytes), true)
    assert.deepEqual(JSON.parse(await ok('cp', '--json', `sr:${BUCKET}/p/bytes`, 'back/')), {
      files: 1,
      bytes: 300_000,
      failed: [],
    })
    assert.equal(fs.readFileSync(at('back/bytes')).equals(bytes), true)

    await server.records([{ action: 'delete', bucket: BUCKET, key: 'p/bytes' }], () => ok('rm', `sr:${BUCKET}/p/bytes`))
    assert.match(await ok('rm', '-r', `sr:${BUCKET}/f`), /^6 deleted\n$/)
    assert.equal((await strongroom(['rm', '-r', `sr:${BUCKET}/f`])).code, 1)
  })

  it('resumes an interrupted large file, up and down', async () => {
    const bytes = randomBytes(34 * MIB)
    write('big.bin', bytes)
    /** One of three parts arrives, then the command is killed. */
    const cutOff = async (key: string) => {
      proxy.parts = 1
      const child = begin(['cp', 'big.bin', `sr:${BUCKET}/${key}`])
      await until(async () => {
        const { items } = await server.admin.listUploads({ params: { bucket: BUCKET } })
        return items[0]?.received_parts === 1
      })
      child.kill('SIGKILL')
      await once(child, 'exit')
      proxy.parts = Number.POSITIVE_INFINITY
    }
    await cutOff('big.bin')
    proxy.seen.length = 0
    await server.records([uploaded('big.bin')], () => ok('cp', 'big.bin', `sr:${BUCKET}/big.bin`))
    assert.equal(proxy.seen.filter((line) => line.startsWith('PUT /api/v1/parts/')).length, 2)
    const stored = await server.admin.listObjects({ params: { bucket: BUCKET }, query: { prefix: 'big' } })
    assert.match(stored.items[0]?.etag ?? '', /-3$/)
    assert.deepEqual((await server.admin.listUploads({ params: { bucket: BUCKET } })).items, [])

    // The connection breaks once on the way: what came is kept and the rest asked for.
    proxy.seen.length = 0
    proxy.cutAfter = 10 * MIB
    await ok('cp', `sr:${BUCKET}/big.bin`, 'big.back')
    const reads = proxy.seen.filter((line) => line.startsWith(`GET /api/v1/buckets/${BUCKET}/objects/big.bin`))
    assert.deepEqual([reads.length, /bytes=[1-9]\d{5,}-$/.test(reads[1] ?? '')], [2, true])
    assert.equal(fs.readFileSync(at('big.back')).equals(bytes), true)
    assert.deepEqual(
      fs.readdirSync(folder).filter((name) => name.startsWith('.strongroom')),
      [],
    )

    // Another file of the same size under the same key is not mixed with what is left of the first.
    await cutOff('other.bin')
    const changed = randomBytes(34 * MIB)
    write('big.bin', changed)
    await ok('cp', 'big.bin', `sr:${BUCKET}/other.bin`)
    await ok('cp', `sr:${BUCKET}/other.bin`, 'big.back')
    assert.equal(fs.readFileSync(at('big.back')).equals(changed), true)
    assert.match(await ok('sync', '--checksum', '-n', `sr:${BUCKET}/other.bin/`, 'nowhere'), /^0 to transfer/)
    assert.deepEqual((await server.admin.listUploads({ params: { bucket: BUCKET } })).items, [])
  })

  it('finds objects by anything, in one bucket or all', async () => {
    write('found.txt', 'found')
    await ok('cp', 'found.txt', `sr:${BUCKET}/found/found.txt`)
    await server.admin.updateObject({
      params: { bucket: BUCKET, key: 'found/found.txt' },
      body: { tags: { project: 'apollo' } },
    })
    const line = `sr:${BUCKET}/found/found.txt\n`
    await server.records([], async () => {
      assert.equal(await ok('find', 'tag:project=apollo'), line)
      assert.equal(await ok('find', '--bucket', BUCKET, 'tag:project=apollo ext:txt'), line)
      assert.equal(await ok('find', 'tag:project=apollo', 'size:>1KB'), '')
    })
    assert.match(await ok('find', '-l', 'tag:project=apollo'), /^ {14}5 {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ sr:/)
    assert.deepEqual(JSON.parse(await ok('find', '--json', 'tag:project=apollo')).tags, { project: 'apollo' })
  })

  it('syncs up what is new or changed, deletes only if asked, and shows a dry run', async () => {
    const old = new Date('2021-01-01T00:00:00Z')
    write('up/a.txt', 'a', old)
    write('up/deep/b.txt', 'b', old)
    write('up/c.txt', 'c', old)
    const target = `sr:${BUCKET}/up`
    const plan = await server.records([], () => ok('sync', '-n', 'up', target))
    assert.deepEqual(plan.split('\n').slice(0, 3), [
      `would upload sr:${BUCKET}/up/a.txt`,
      `would upload sr:${BUCKET}/up/c.txt`,
      `would upload sr:${BUCKET}/up/deep/b.txt`,
    ])
    await ok('sync', 'up', target)
    assert.equal(await server.records([], () => ok('sync', 'up', target)), '0 transferred, 3 unchanged\n')

    write('up/a.txt', 'A', new Date('2021-01-01T00:10:00Z'))
    write('up/c.txt', 'C', old)
    fs.rmSync(at('up/deep'), { recursive: true })
    await server.records([uploaded('up/a.txt')], () => ok('sync', '-j', '1', 'up', target))
    // The same size and time: only the contents tell.
    await server.records([uploaded('up/c.txt')], () => ok('sync', '--checksum', 'up', target))
    await put('up/marked/', '')
    assert.match(
      await server.records([], () => ok('sync', '-n', '--delete', 'up', target)),
      /would delete .*deep\/b\.txt/,
    )
    const outcome = await server.records([{ action: 'delete', bucket: BUCKET, key: 'up/deep/b.txt' }], () =>
      ok('sync', '--delete', '--json', 'up', target),
    )
    assert.deepEqual(JSON.parse(outcome), { files: 0, bytes: 0, unchanged: 2, deleted: 1, failed: [] })
    assert.deepEqual(await keys('up/'), ['a.txt', 'c.txt', 'marked/'])

    fs.mkdirSync(at('nothing'))
    const empty = await server.records([], () => strongroom(['sync', '--delete', 'nothing', target]))
    assert.deepEqual([empty.code, /--allow-empty/.test(empty.err)], [1, true])
    assert.equal((await strongroom(['sync', '--delete', 'no-such-folder', target])).code, 2)
    // What came another way is known by when it was stored.
    await put('up/d.txt', 'd')
    write('up/d.txt', 'd', old)
    await server.records([], () => ok('sync', 'up', target))
  })

  it('syncs down and within the service', async () => {
    const source = `sr:${BUCKET}/up/`
    await ok('sync', source, 'down')
    assert.deepEqual(tree('down'), { 'a.txt': 'A', 'c.txt': 'C', 'd.txt': 'd' })
    assert.match(await ok('sync', source, 'down'), /^0 transferred, 3 unchanged/)
    write('down/extra/x.txt', 'x')
    fs.symlinkSync(at('one.txt'), at('down/link'))
    await put('up/a.txt', 'AA')
    await ok('sync', source, 'down')
    assert.equal(tree('down')['a.txt'], 'AA')
    assert.match(await ok('sync', '-n', '--delete', source, 'down'), /would delete down\/extra\/x\.txt/)
    assert.match(await ok('sync', '--delete', source, 'down'), /1 deleted/)
    assert.deepEqual(fs.readdirSync(at('down')).sort(), ['a.txt', 'c.txt', 'd.txt', 'link'])

    await server.admin.createBucket({ body: { name: 'copies' } })
    await ok('sync', source, 'sr:copies/up')
    assert.match(await server.records([], () => ok('sync', source, 'sr:copies/up')), /unchanged/)
    await put('up/a.txt', 'AAA')
    await server.admin.deleteObject({ params: { bucket: BUCKET, key: 'up/c.txt' } })
    await server.records(
      [
        { action: 'copy', bucket: 'copies', key: 'up/a.txt' },
        { action: 'delete', bucket: 'copies', key: 'up/c.txt' },
      ],
      () => ok('sync', '--delete', source, 'sr:copies/up'),
    )
  })

  it('never writes outside the target folder, whatever the keys', async () => {
    const bad = ['../../escaped', 'x/../../escaped', '/etc/escaped', 'a//b', './c', 'link/escaped', 'file/below']
    for (const key of ['good', 'file', ...bad]) await put(`evil/${key}`, 'evil')
    fs.mkdirSync(at('outside'))
    fs.mkdirSync(at('in/target'), { recursive: true })
    fs.symlinkSync(at('outside'), at('in/target/link'))
    for (const args of [
      ['cp', '-r', '-j', '1'],
      ['sync', '-j', '1'],
      ['sync', '--delete'],
    ]) {
      const { code, err } = await strongroom([...args, `sr:${BUCKET}/evil/`, 'in/target'])
      assert.equal(code, 1)
      for (const key of bad) assert.ok(err.includes(`sr:${BUCKET}/evil/${key}: `), `${key} in ${err}`)
      assert.deepEqual(tree('in'), { 'target/file': 'evil', 'target/good': 'evil' })
    }
    assert.deepEqual([fs.readdirSync(at('outside')), fs.existsSync(at('escaped'))], [[], false])
    const one = await strongroom(['cp', `sr:${BUCKET}/evil/x/..`, 'in/'])
    assert.equal(one.code, 1)
    // Under a name of one's own any of them can be had.
    await ok('cp', `sr:${BUCKET}/evil/x/../../escaped`, 'in/fine')
    assert.equal(fs.readFileSync(at('in/fine'), 'utf8'), 'evil')
    // A link in the place of a file is replaced, not written through.
    write('outside/kept', 'mine')
    fs.rmSync(at('in/target/good'))
    fs.symlinkSync(at('outside/kept'), at('in/target/good'))
    await ok('cp', `sr:${BUCKET}/evil/good`, 'in/target/good')
    assert.deepEqual([tree('outside'), fs.lstatSync(at('in/target/good')).isFile()], [{ kept: 'mine' }, true])
    for (const rest of ['a\\..\\b', 'C:x', 'nul.txt', 'end.', 'a|b'])
      assert.throws(() => localPath('root', rest, 'win32'), /is not a valid file path/)
  })

  it('one failure is reported, the rest continue, and nothing is deleted', async () => {
    for (const name of ['a', 'c', 'd']) write(`some/${name}.txt`, name)
    await ok('cp', '-r', 'some', `sr:${BUCKET}/some`)
    await put('some/away', 'stays')
    const reader = await server.userWith({
      bucket_pattern: BUCKET,
      prefix: 'some/a',
      actions: ['list', 'read', 'write'],
    })
    server.secrets.add(reader)
    for (const name of ['a', 'c', 'd']) write(`some/${name}.txt`, `more of ${name}`)
    const { code, out, err } = await strongroom(
      ['sync', '--delete', '--checksum', '--json', 'some', `sr:${BUCKET}/some`],
      {
        env: { STRONGROOM_TOKEN: reader },
      },
    )
    assert.equal(code, 1)
    const { files, deleted, failed } = JSON.parse(out)
    assert.deepEqual(
      [files, deleted, failed.map(({ path }: { path: string }) => path)],
      [1, 0, ['some/c.txt', 'some/d.txt']],
    )
    assert.match(err, /some\/c\.txt: .*\(forbidden, request [0-9a-f-]{36}\)/)
    assert.equal((await keys('some/')).includes('away'), true)
  })

  it('shares: the URL opens what was shared, within its limits', async () => {
    await put('shared/a.txt', 'shared')
    const key = 'shared/a.txt'
    const share = async (...args: string[]) => new URL(await ok('share', ...args)).pathname
    const link = await server.records([{ action: 'share_create', bucket: BUCKET, key }], () =>
      share('--expires', '1h', '--max-downloads', '1', '--attachment', `sr:${BUCKET}/${key}`),
    )
    const opened = await request({ url: server.url, path: link })
    assert.deepEqual([opened.status, opened.body.toString()], [200, 'shared'])
    assert.match(String(opened.headers['content-disposition']), /^attachment/)
    assert.equal((await request({ url: server.url, path: link })).status, 410, 'its one download is spent')

    const input = 'open sesame\n'
    const secret = await strongroom(['share', '--password', '--json', `sr:${BUCKET}/${key}`], { input })
    const { url, has_password, expires_at } = JSON.parse(secret.out)
    assert.deepEqual([has_password, Date.parse(expires_at) - server.clock.now().getTime()], [true, 7 * 24 * HOUR])
    server.secrets.add('open sesame')
    const headers = { 'x-share-password': 'open sesame' }
    const { pathname } = new URL(url)
    assert.equal((await request({ url: server.url, path: pathname })).status, 401)
    assert.equal((await request({ url: server.url, path: pathname, headers })).status, 200)

    const folderLink = await request({ url: server.url, path: await share(`sr:${BUCKET}/shared/`) })
    assert.deepEqual(
      folderLink.json<{ items: { name: string }[] }>().items.map(({ name }) => name),
      ['a.txt'],
    )
    assert.equal((await strongroom(['share', '--expires', '0d', `sr:${BUCKET}/${key}`])).code, 1)
  })

  it('local and remote paths are distinguished by their form', () => {
    assert.deepEqual(parsePlace('sr:abc/ä//%41/../'), { kind: 'remote', bucket: 'abc', key: 'ä//%41/../' })
    assert.deepEqual(parsePlace('./sr:abc'), { kind: 'local', path: './sr:abc' })
    assert.deepEqual(parsePlace('s:abc'), { kind: 'local', path: 's:abc' })
    assert.deepEqual(parsePlace('-'), { kind: 'pipe' })
    assert.throws(() => parsePlace('sr:../etc'))
  })

  it('versions: lists what an object was, downloads, deletes and restores it', async () => {
    const bucket = 'kept'
    await server.admin.createBucket({ body: { name: bucket, versioning: 'enabled' } })
    const keep = async (body: string) =>
      (await server.admin.putObjectByQuery({ params: { bucket }, query: { key: 'a/plan.txt' }, body })).version_id ?? ''
    const [one, two] = [await keep('the first'), await keep('the second')]
    const file = `sr:${bucket}/a/plan.txt`
    await ok('rm', file)
    const lines = (await ok('versions', file)).trim().split('\n')
    assert.equal(lines.length, 3)
    assert.match(lines[0] ?? '', /^[0-9a-f-]{36} +0 {2}\d{4}-\d\d-\d\dT[\d:]{8}Z {2}deleted$/)
    assert.ok(lines[1]?.startsWith(`${two} `) && lines[2]?.startsWith(`${one} `))
    const listed = (await ok('versions', '-r', '--json', `sr:${bucket}/`)).trim().split('\n')
    assert.deepEqual(
      listed.map((line) => (JSON.parse(line) as { version_id: string; marker: boolean }).marker),
      [true, false, false],
    )
    await ok('cp', '--version', one, file, at('first.txt'))
    assert.equal(fs.readFileSync(at('first.txt'), 'utf8'), 'the first')
    assert.equal(await ok('cp', '--version', two, file, '-'), 'the second')
    assert.equal((await ok('restore', file)).trim(), '1 restored')
    assert.equal(await ok('cp', file, '-'), 'the second')
    await ok('restore', '--version', one, file)
    assert.equal(await ok('cp', file, '-'), 'the first')
    await ok('rm', '--version', two, file)
    assert.match(await ok('versions', '-r', `sr:${bucket}/a`), /plan\.txt {2}current\n/)
    const fails = async (code: number, ...args: string[]) =>
      assert.equal((await strongroom(args)).code, code, args.join(' '))
    await fails(1, 'restore', file)
    await fails(1, 'cp', '--version', two, file, at('x'))
    await fails(1, 'versions', `sr:${bucket}/none`)
    await fails(2, 'versions', `sr:${bucket}`)
    await fails(2, 'cp', '-r', '--version', one, file, at('x'))
    await fails(2, 'rm', '-r', '--version', one, file)
  })
})
