import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { errors } from '../../contract/errors.ts'
import { type DirectorySettings, type DirectoryUser, directoryKinds } from '../../server/access/directory/directory.ts'
import { openDirectory } from '../../server/access/directory/open.ts'
import { encodeCursor } from '../../server/base/cursor.ts'
import {
  answer,
  CLIENT_SECRET,
  type Fault,
  flood,
  hang,
  hangInside,
  hold,
  type Person,
  startDirectory,
} from '../support/directories.ts'
import { find, findAll, namesOf, open, people, refused, signal } from './directories.ts'

/** Whose names hold what means something to a query. */
const special: Person[] = [
  ['Ann "Quote" Abc', '"Quote"'],
  ['Back\\slash Bcd', 'Back\\slash'],
  ['AT&T Cde', 'AT&T'],
  ["Conan O'Brien", "O'Brien"],
  ['Star* Def', 'Star*'],
  ['Eva (extern)', '(extern)'],
  ['Off 50% Efg', '50%'],
  ['Ratio 3:4 Fgh', '3:4'],
  ['Hash #7 Ghi', '#7'],
  ['Plus+Plus Hij', 'Plus+Plus'],
  ['Zoë Müller', 'müller'],
  ['Fuchs 🦊 Ijk', '🦊'],
  ['孙 悟空', '悟空'],
].map(([name = '', q = ''], i) => ({ id: `x${i}`, username: `u${i}`, first: name, last: q, displayName: name }))

/** Texts that would find everybody, somebody or an error if they were not quoted. */
const hostile = [
  '**',
  '*',
  '* *',
  '""',
  '"a"',
  '"alice"',
  '"*"',
  '%%',
  '__',
  '..',
  '\\\\',
  '\\"',
  '"\\',
  "''",
  '()',
  ':',
  '&&',
  '##',
  '" OR "displayName:bob',
  '\\" OR "mail:bob',
  'zz" OR "displayName:bob" OR "mail:zz',
  '"displayName:bob"',
  '%22 OR %22displayName:bob',
  'zz&$filter=x',
  'zz&search=*',
  'zz#',
  'zz&first=0&max=9',
  '$search',
  'zz\r\nX-A: b',
  'id:b2',
  'ID:b2',
  ' id:id: b2',
  '*id:b2',
  'id:',
  'id:id:id:',
  '"id:b2"',
  'zz" or userName co "bob',
  'zz") or (userName pr',
  'zz\\" or userName pr',
  'zz" or userName pr or userName eq "zz',
  '\u0000\u0000',
  '\u0000*\u0000',
  '\ud83e\ud83e',
  'zz\ud800',
  '👩‍👩‍👧',
  'zz.*',
  '[a-z]',
  '(?i)bob',
]

for (const kind of directoryKinds)
  describe(`directory ${kind}`, () => {
    const start = (more: readonly Person[] = people, now?: () => Date) => startDirectory(kind, more, now)

    it('finds people by name, login and address, in any case', async () => {
      const directory = open(await start())
      assert.equal(directory.kind, kind)
      assert.deepEqual(namesOf(await find(directory, 'liddell')), ['alice', 'carol'])
      assert.deepEqual(namesOf(await find(directory, 'ALICE@ex')), ['alice'])
      assert.deepEqual(namesOf(await find(directory, ' bob ')), ['bob'])
      assert.deepEqual(await find(directory, 'nobody'), { users: [], nextCursor: null })
    })

    it('tells who they are', async () => {
      const directory = open(await start())
      const { users } = await find(directory, 'alice')
      const login = (name: string) => (kind === 'msgraph' ? `${name}@corp.example.com` : name)
      const alice: DirectoryUser = {
        externalId: 'a1',
        email: 'alice@example.com',
        displayName: 'Alice Liddell',
        username: login('alice'),
        enabled: true,
      }
      assert.deepEqual(users, [alice])
      assert.deepEqual(await directory.get('a1', { signal }), alice)
      assert.deepEqual(await directory.get('b2', { signal }), {
        externalId: 'b2',
        email: kind === 'msgraph' ? login('bob') : null,
        displayName: 'Bob Builder',
        username: login('bob'),
        enabled: false,
      })
      assert.equal((await directory.get('c3', { signal }))?.email, 'carol@example.com')
    })

    it('pages to the end, each person once', async () => {
      const crowd = Array.from({ length: 23 }, (_, i) => ({
        id: `p${i}`,
        username: `peter${i}`,
        first: 'Peter',
        last: 'P',
      }))
      const fake = await start(crowd)
      for (const limit of [1, 5, 23, 25]) {
        const pages = await findAll(open(fake), 'peter', limit)
        assert.deepEqual(
          pages.flat().map((user) => user.externalId),
          crowd.map((person) => person.id),
        )
        assert.equal(pages.length, Math.ceil(23 / limit))
      }
    })

    it('an unknown or empty id matches no user', async () => {
      const fake = await start()
      const directory = open(fake)
      const ids = ['nobody', '', '.', '..', '../b2', 'b2/', '/b2', 'b2?x', 'b2#', 'b2%2F', '%2e%2e', 'B2', ' b2', 'bob']
      for (const id of [...ids, 'bob@corp.example.com', 'b2\0', '\ud800', '*', '" or id pr or id eq "', '👻'])
        assert.equal(await directory.get(id, { signal }), null, id)
      for (const { url } of fake.requests) assert.match(url.pathname, /\/users\/[^/]+$/i)
    })

    it('an id that the directory rejects with 400 matches no user', async () => {
      const fake = await start()
      fake.faults.push(answer(400))
      assert.equal(await open(fake).get('b2', { signal }), null)
    })

    it('text cannot change the query', async () => {
      const fake = await start(people)
      const directory = open(fake)
      for (const q of hostile) {
        const { users, nextCursor } = await find(directory, q)
        // Graph looks for the words of a text alone.
        const meant = kind === 'msgraph' && /^"(a|alice)"$/.test(q) ? ['alice'] : []
        const found = namesOf({ users })
        assert.ok(
          found.every((name) => meant.includes(name ?? '')),
          `${JSON.stringify(q)} finds ${found}`,
        )
        assert.equal(nextCursor, null)
      }
    })

    it('users whose names contain such characters are found, and only they', async () => {
      const directory = open(await start([...people, ...special]))
      for (const { id, last: q } of special) {
        const { users } = await find(directory, q)
        assert.deepEqual(
          users.map((user) => user.externalId),
          [id],
          q,
        )
      }
    })

    it('a cursor that is not one of this list is refused', async () => {
      const fake = await start()
      const elsewhere = 'http://127.0.0.1:1/v1.0/users?$skiptoken=x'
      const parts = [
        ['x'],
        ['-1'],
        ['0', 'co'],
        ['1', 'pr'],
        ['1', 'co or'],
        ['1', '2', '3'],
        [elsewhere],
        [''],
        ['1e3'],
      ]
      const base = fake.settings.url
      const links = [`${base}/v1.0/users/../groups?x`, `${base}/v1.0/me?x`, `${base}@evil.example/v1.0/users?x`]
      for (const cursor of ['', 'x', ...parts.map(encodeCursor), ...links.map((link) => encodeCursor([link]))]) {
        const error = await refused(open(fake).search('alice', { limit: 5, cursor, signal }), 'invalid_request')
        assert.equal(error.faults[0]?.path, 'query.cursor')
      }
      assert.equal(fake.requests.length, 0)
    })

    it('a token serves until a minute before it expires', async () => {
      let time = Date.parse('2026-01-01T00:00:00Z')
      const now = () => new Date(time)
      const fake = await start(people, now)
      const directory = open(fake, {}, 5000, now)
      for (const [after, issued] of [
        [0, 1],
        [3539, 1],
        [1, 2],
        [3539, 2],
        [4000, 3],
      ] as const) {
        time += after * 1000
        await find(directory, 'alice')
        assert.equal(fake.issued, issued)
      }
      fake.lifetime = 60
      fake.revoke()
      await find(directory, 'alice')
      await find(directory, 'alice')
      assert.equal(fake.issued, 5)
    })

    it('20 concurrent searches request one token, and one more when it is rejected', async () => {
      const fake = await start()
      const directory = open(fake)
      const search20 = () => Promise.all(Array.from({ length: 20 }, () => find(directory, 'alice')))
      await search20()
      assert.equal(fake.issued, 1)
      fake.revoke()
      for (const found of await search20()) assert.deepEqual(namesOf(found), ['alice'])
      assert.equal(fake.issued, 2)
    })

    it('a rejected token is replaced once, then the credentials are reported', async () => {
      const fake = await start()
      const directory = open(fake)
      await find(directory, 'alice')
      fake.revoke()
      assert.deepEqual(namesOf(await find(directory, 'alice')), ['alice'])
      assert.equal(fake.issued, 2)
      const asked = fake.requests.length
      fake.faults.push(answer(401), answer(401, {}, 'CONFIDENTIAL'))
      await refused(find(directory, 'alice'), 'directory_forbidden')
      assert.equal(fake.issued, 3)
      assert.equal(fake.requests.length, asked + 2)
    })

    it('one caller who disconnects does not cancel the token request for others', async () => {
      const fake = await start()
      const token = hold()
      fake.tokenFaults.push(token.fault)
      const directory = open(fake)
      const leaving = new AbortController()
      const left = directory.search('alice', { limit: 5, signal: leaving.signal })
      const stayed = find(directory, 'alice')
      await token.held
      const reason = new Error('gone')
      leaving.abort(reason)
      await assert.rejects(left, reason)
      token.release()
      assert.deepEqual(namesOf(await stayed), ['alice'])
      assert.equal(fake.issued, 1)
    })

    it('a caller who has left already asks for nothing', async () => {
      const fake = await start()
      const reason = new Error('gone')
      await assert.rejects(open(fake).get('a1', { signal: AbortSignal.abort(reason) }), reason)
      assert.equal(fake.issued, 0)
    })

    it('a late refusal of an old token does not cost the new one', async () => {
      const fake = await start()
      const directory = open(fake)
      await find(directory, 'alice')
      const late = hold()
      fake.faults.push(late.fault)
      const first = find(directory, 'alice')
      await late.held
      fake.revoke()
      assert.deepEqual(namesOf(await find(directory, 'alice')), ['alice'])
      late.release()
      assert.deepEqual(namesOf(await first), ['alice'])
      assert.equal(fake.issued, 2)
    })

    it('a token that nobody waits for any more may fail', async () => {
      const fake = await start()
      fake.tokenFaults.push(answer(500))
      const leaving = new AbortController()
      const directory = open(fake)
      const left = directory.get('a1', { signal: leaving.signal })
      leaving.abort(new Error('gone'))
      await assert.rejects(left, /gone/)
      // An unhandled rejection meanwhile would fail the test.
      await new Promise((resolve) => setTimeout(resolve, 100))
      assert.equal((await directory.get('a1', { signal }))?.externalId, 'a1')
    })

    it('a caller who leaves ends the request', async () => {
      const fake = await start()
      fake.faults.push(hang)
      const reason = new Error('gone')
      const leaving = new AbortController()
      const call = open(fake).search('alice', { limit: 5, signal: leaving.signal })
      setTimeout(() => leaving.abort(reason), 50)
      await assert.rejects(call, reason)
    })

    it('no answer in time, or half of one, is directory_timeout', async () => {
      const fake = await start()
      for (const [at, fault] of [
        [fake.faults, hang],
        [fake.faults, hangInside],
        [fake.tokenFaults, hang],
        [fake.tokenFaults, hangInside],
      ] as const) {
        at.push(fault)
        await refused(find(open(fake, {}, 100), 'alice'), 'directory_timeout', /within 0\.1 seconds/)
      }
    })

    it('too many requests are directory_busy, with the time to wait', async () => {
      const fake = await start()
      const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
      for (const [headers, seconds] of [
        [{ 'retry-after': '17' }, '17'],
        [{ 'retry-after': '0' }, '1'],
        [{ 'retry-after': '99999' }, '3600'],
        [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT', date }, '90'],
        [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT', date }, '1'],
        [{ 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, '3600'],
        [{ 'retry-after': 'soon' }, '5'],
        [{}, '5'],
      ] as const) {
        fake.faults.push(answer(429, headers, 'CONFIDENTIAL'))
        const error = await refused(find(open(fake), 'alice'), 'directory_busy')
        assert.deepEqual(error.headers, { 'retry-after': seconds })
      }
      fake.tokenFaults.push(answer(429, { 'retry-after': '3' }))
      assert.equal((await refused(find(open(fake), 'alice'), 'directory_busy')).headers['retry-after'], '3')
      assert.equal(errors.directory_busy.status, 503)
    })

    it('refused credentials are directory_forbidden, with what to check', async () => {
      const fake = await start()
      const permission = { msgraph: /User\.Read\.All/, keycloak: /query-users and view-users/, scim2: /read users/ }[
        kind
      ]
      fake.faults.push(answer(403, {}, 'CONFIDENTIAL'), answer(403))
      await refused(find(open(fake), 'alice'), 'directory_forbidden', permission)
      await refused(open(fake).get('a1', { signal }), 'directory_forbidden', permission)
      await refused(find(open(fake, { clientSecret: 's3cr-wrong' }), 'alice'), 'directory_forbidden', /secret/)
      await refused(find(open(fake, { scope: 'other' }), 'alice'), 'directory_forbidden', /scope/)
    })

    it('an invalid response is directory_unavailable', async () => {
      const fake = await start()
      const html: Fault = answer(200, { 'content-type': 'text/html' }, '<p>CONFIDENTIAL')
      const elsewhere = answer(302, { location: `${fake.settings.url}/v1.0/users` })
      for (const fault of [answer(500), answer(503), answer(418), answer(404), html, elsewhere]) {
        fake.faults.push(fault)
        await refused(find(open(fake), 'alice'), 'directory_unavailable')
        fake.tokenFaults.push(fault)
        await refused(find(open(fake), 'alice'), 'directory_unavailable')
      }
      for (const body of ['null', '[1', '"x"', '{"value":{}}', '{"Resources":3}', '']) {
        fake.faults.push(answer(200, {}, body))
        await refused(find(open(fake), 'alice'), 'directory_unavailable')
        fake.tokenFaults.push(answer(200, {}, body))
        await refused(find(open(fake), 'alice'), 'directory_unavailable')
      }
      fake.faults.push(answer(200, {}, '{}'), (response) => response.destroy())
      await refused(open(fake).get('a1', { signal }), 'directory_unavailable')
      await refused(find(open(fake), 'alice'), 'directory_unavailable', /cannot be reached/)
    })

    it('an answer has at most 5 MiB', async () => {
      const fake = await start()
      for (const faults of [fake.faults, fake.tokenFaults]) {
        faults.push(flood)
        await refused(find(open(fake), 'alice'), 'directory_unavailable', /more than 5 MiB/)
      }
      const alice = JSON.stringify({ id: 'a1', username: 'alice', userName: 'alice' })
      const most = 5 * 1024 * 1024
      fake.faults.push(answer(200, {}, alice.padEnd(most)), answer(200, {}, alice.padEnd(most + 1)))
      assert.equal((await open(fake).get('a1', { signal }))?.externalId, 'a1')
      await refused(open(fake).get('a1', { signal }), 'directory_unavailable', /more than 5 MiB/)
    })

    it('a redirect takes our token nowhere', async (t) => {
      const seen: unknown[] = []
      const other = createServer((request, response) => {
        seen.push(request.headers)
        response.end('{"value":[]}')
      }).listen(0, '127.0.0.1')
      t.after(() => other.close())
      await new Promise((resolve) => other.once('listening', resolve))
      const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
      const fake = await start()
      for (const status of [301, 302, 307, 308]) {
        fake.faults.push(answer(status, { location }))
        await refused(find(open(fake), 'alice'), 'directory_unavailable')
        fake.tokenFaults.push(answer(status, { location }))
        await refused(find(open(fake), 'alice'), 'directory_unavailable')
      }
      assert.deepEqual(seen, [])
    })

    it('a server that is not there is directory_unavailable', async () => {
      const fake = await start()
      await refused(
        find(open(fake, { url: 'http://127.0.0.1:1' }), 'alice'),
        'directory_unavailable',
        /127\.0\.0\.1:1 /,
      )
      await refused(find(open(fake, { tokenUrl: 'http://127.0.0.1:1/token' }), 'alice'), 'directory_unavailable')
    })

    it('a token is never revealed, even one that no header can carry', async () => {
      const fake = await start()
      for (const token of ['s3cr et', 's3cr\r\nX-A: b', 's3crü', '']) {
        fake.tokenFaults.push(answer(200, {}, JSON.stringify({ access_token: token, expires_in: 60 })))
        await refused(find(open(fake), 'alice'), 'directory_unavailable', /token/)
      }
      fake.tokenFaults.push(answer(200, {}, '{"access_token":"s3cret",'))
      await refused(find(open(fake), 'alice'), 'directory_unavailable')
    })

    it('settings that cannot be used are refused without their values', () => {
      const url = 'http://127.0.0.1:1'
      const settings: DirectorySettings = {
        kind,
        url,
        tokenUrl: url,
        clientId: 'id',
        clientSecret: CLIENT_SECRET,
        scope: null,
        realm: 'r',
        bearerToken: null,
        subjectAttribute: 'id',
      }
      for (const wrong of [
        { clientSecret: null },
        { clientId: '' },
        { tokenUrl: null },
        { url: 'ftp://s3cr.example' },
        { url: 'http://user:s3cr@127.0.0.1:1' },
        { tokenUrl: 's3cr' },
      ])
        assert.throws(
          () => openDirectory({ ...settings, ...wrong }, () => new Date()),
          (error: Error) => !/s3cr/.test(inspect(error, { depth: 10 })),
        )
    })
  })
