import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { encodeCursor } from '../../server/base/cursor.ts'
import { answer, type Person, parseGraphSearch, parseScimFilter, startDirectory } from '../support/directories.ts'
import { find, findAll, namesOf, open, people, refused, signal } from './directories.ts'

describe('directory msgraph', () => {
  it('ConsistencyLevel is sent with every page', async () => {
    const fake = await startDirectory('msgraph', people)
    await findAll(open(fake), 'liddell', 1)
    assert.ok(fake.requests.length >= 2)
    for (const { headers } of fake.requests) assert.equal(headers.consistencylevel, 'eventual')
  })

  it('empty pages are passed over, up to five at a time', async () => {
    const fake = await startDirectory('msgraph', people)
    fake.emptyPages = 4
    assert.deepEqual(namesOf(await find(open(fake), 'alice')), ['alice'])
    assert.equal(fake.requests.length, 5)
    fake.emptyPages = 5
    const { users, nextCursor } = await find(open(fake), 'alice')
    assert.deepEqual(users, [])
    assert.notEqual(nextCursor, null)
    assert.equal(fake.requests.length, 10)
    const pages = await findAll(open(fake), 'alice', 5)
    assert.deepEqual(
      pages.map((users) => users.length),
      [0, 1],
    )
  })

  it('a next page elsewhere is refused', async () => {
    const fake = await startDirectory('msgraph', people)
    const { url } = fake.settings
    for (const linkBase of [
      'http://127.0.0.1:1',
      `${url}/beta`,
      url.replace('//', '//user:pw@'),
      url.replace('127.0.0.1', 'localhost'),
    ]) {
      fake.linkBase = linkBase
      await refused(find(open(fake), 'liddell', 1), 'directory_unavailable', /next page/)
    }
  })

  it('a link that is too old is a wrong cursor', async () => {
    const fake = await startDirectory('msgraph', people)
    const cursor = encodeCursor([`${fake.settings.url}/v1.0/users?$skiptoken=old&$search="mail:a"`])
    const error = await refused(open(fake).search('alice', { limit: 5, cursor, signal }), 'invalid_request')
    assert.equal(error.faults[0]?.path, 'query.cursor')
  })

  it('any text comes back out of $search as it went in', async () => {
    const fake = await startDirectory('msgraph', [])
    const directory = open(fake)
    await fc.assert(
      fc.asyncProperty(anyText, async (q) => {
        const asked = fake.requests.length
        await find(directory, q)
        const text = cleaned(q.replace(/[&#%]/g, ' '))
        if (fake.requests.length === asked) return assert.doesNotMatch(text, /[a-z0-9]|\P{ASCII}/iu)
        const clauses = parseGraphSearch(fake.requests.at(-1)?.url.searchParams.get('$search') ?? '')
        assert.deepEqual(
          clauses,
          ['displayName', 'mail', 'userPrincipalName'].map((property) => ({ property, text })),
        )
      }),
      { numRuns: 300 },
    )
  })
})

describe('directory keycloak', () => {
  it('words are looked for anywhere, and all of them', async () => {
    const directory = open(await startDirectory('keycloak', people))
    assert.deepEqual(namesOf(await find(directory, 'iddel')), ['alice', 'carol'])
    assert.deepEqual(namesOf(await find(directory, 'iddel lic')), ['alice'])
    assert.deepEqual(namesOf(await find(directory, 'ID: id:alice')), ['alice'])
  })

  it('service accounts are not users', async () => {
    const robots = Array.from({ length: 12 }, (_, i) => ({
      id: `r${i}`,
      username: `service-account-ali${i}`,
      first: '',
      last: '',
    }))
    const fake = await startDirectory('keycloak', [...robots, ...people])
    assert.deepEqual((await findAll(open(fake), 'ali', 3)).flat().length, 1)
    assert.deepEqual(namesOf(await find(open(fake), 'ali', 3)), ['alice'])
    assert.equal(await open(fake).get('r1', { signal }), null)
  })
})

describe('directory scim2', () => {
  it('servers without co, or even sw, are queried with operators they support', async () => {
    const fake = await startDirectory('scim2', people)
    const directory = open(fake)
    assert.deepEqual(namesOf(await find(directory, 'lic')), ['alice'])
    fake.unknownOperators = ['co']
    assert.deepEqual(namesOf(await find(directory, 'lic')), [])
    assert.deepEqual(namesOf(await find(directory, 'ali')), ['alice'])
    const pages = await findAll(directory, 'c', 1)
    assert.deepEqual(
      pages.flatMap((users) => namesOf({ users })),
      ['carol'],
    )
    fake.unknownOperators = ['co', 'sw']
    assert.deepEqual(namesOf(await find(directory, 'ali')), [])
    assert.deepEqual(namesOf(await find(directory, 'Alice')), ['alice'])
    fake.unknownOperators = ['co', 'sw', 'eq']
    await refused(find(directory, 'alice'), 'directory_unavailable', /filters/)
  })

  it('pages that are shorter than asked do not end the list', async () => {
    const crowd = Array.from({ length: 23 }, (_, i) => ({ id: `p${i}`, username: `peter${i}`, first: 'P', last: 'P' }))
    const fake = await startDirectory('scim2', crowd)
    fake.mostRows = 4
    fake.unknownOperators = ['co']
    const pages = await findAll(open(fake), 'peter', 10)
    assert.deepEqual(
      pages.flat().map((user) => user.externalId),
      crowd.map((person) => person.id),
    )
    assert.equal(fake.requests[0]?.url.searchParams.get('startIndex'), '1')
    // co was tried for the first page alone.
    assert.equal(fake.requests.length, pages.length + 1)
  })

  it('a page without anybody ends the list, whatever the total', async () => {
    const fake = await startDirectory('scim2', people)
    fake.faults.push(answer(200, {}, '{"totalResults":9,"Resources":[]}'))
    assert.deepEqual(await find(open(fake), 'alice'), { users: [], nextCursor: null })
    assert.equal(fake.requests.length, 1)
  })

  it('users are identified by the attribute that their logins carry', async () => {
    const fake = await startDirectory('scim2', people)
    const byExternal = open(fake, { subjectAttribute: 'externalId' })
    // Carol has none.
    assert.deepEqual(
      (await find(byExternal, 'liddell')).users.map((user) => user.externalId),
      ['X-alice'],
    )
    assert.equal((await byExternal.get('X-bob', { signal }))?.username, 'bob')
    for (const id of ['x-bob', 'b2', '', '" or userName pr or userName eq "', '\0', '\\'])
      assert.equal(await byExternal.get(id, { signal }), null)

    const byName = open(fake, { subjectAttribute: 'userName' })
    assert.equal((await byName.get('alice', { signal }))?.externalId, 'alice')
    assert.equal(await byName.get('ALICE', { signal }), null)
    const twins = await startDirectory('scim2', [...people, { ...(people[0] as Person), id: 'z9' }])
    await refused(
      open(twins, { subjectAttribute: 'userName' }).get('alice', { signal }),
      'directory_unavailable',
      /several/,
    )
  })

  it('names and addresses are taken from where they are', async () => {
    const fake = await startDirectory('scim2', people)
    const directory = open(fake)
    for (const [row, expected] of [
      [{ displayName: ' D ', userName: 'u' }, { displayName: 'D' }],
      [{ name: { formatted: 'F', givenName: 'G' } }, { displayName: 'F', username: null }],
      [{ displayName: '', name: { familyName: 'L' } }, { displayName: 'L' }],
      [
        { userName: 'u', name: 'x', emails: 'x' },
        { displayName: 'u', email: null },
      ],
      [
        { displayName: 3, active: 'False' },
        { displayName: 'a1', enabled: false },
      ],
      [{ emails: [null, {}, { value: 'e1' }, { value: 'e2', primary: true }] }, { email: 'e2', enabled: true }],
      [{ emails: [{ value: '' }, { value: 'e1' }, { value: 'e2' }] }, { email: 'e1' }],
      [{ displayName: 'a\0b\ud800' }, { displayName: 'a b\ufffd' }],
    ] as const) {
      fake.faults.push(answer(200, {}, JSON.stringify({ id: 'a1', ...row })))
      assert.partialDeepStrictEqual(await directory.get('a1', { signal }), expected)
    }
  })

  it('a fixed token is used as it is, and once', async () => {
    const fake = await startDirectory('scim2', people)
    Object.assign(fake.settings, { bearerToken: 's3cr-fixed', tokenUrl: null, clientId: null, clientSecret: null })
    assert.deepEqual(namesOf(await find(open(fake), 'alice')), ['alice'])
    assert.equal(fake.issued, 0)
    await refused(find(open(fake, { bearerToken: 's3cr-wrong' }), 'alice'), 'directory_forbidden', /read users/)
    assert.equal(fake.requests.length, 2)
    await refused(find(open(fake, { bearerToken: 's3cr\nü' }), 'alice'), 'directory_unavailable')
  })

  it('any text comes back out of a filter as it went in', async () => {
    const fake = await startDirectory('scim2', [])
    const directory = open(fake)
    const byName = open(fake, { subjectAttribute: 'userName' })
    const lastFilter = () => parseScimFilter(fake.requests.at(-1)?.url.searchParams.get('filter') ?? '')
    await fc.assert(
      fc.asyncProperty(anyText, async (q) => {
        const asked = fake.requests.length
        await find(directory, q)
        const value = cleaned(q)
        if (fake.requests.length === asked) return assert.equal(value, '')
        const [first, second, third] = ['userName', 'displayName', 'emails.value'].map((attribute) => ({
          attribute,
          operator: 'co',
          value,
        }))
        assert.deepEqual(lastFilter(), { operator: 'or', of: [{ operator: 'or', of: [first, second] }, third] })
        await byName.get(q, { signal })
        assert.deepEqual(lastFilter(), { attribute: 'userName', operator: 'eq', value: q })
      }),
      { numRuns: 300 },
    )
  })
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'"\\&\'*()%:# aOR\0\n\ud83e🦊ü'), minLength: 1, maxLength: 12 }),
)

const cleaned = (q: string) =>
  q
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
