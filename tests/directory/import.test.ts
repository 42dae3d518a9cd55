import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type DirectoryKind, directoryKinds } from '../../server/access/directory/directory.ts'
import { answer, CLIENT_SECRET, type FakeDirectory, hang, type Person, startDirectory } from '../support/directories.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'

const people: Person[] = [
  { id: 'id-anna', username: 'anna', first: 'Anna', last: 'Arendt' },
  { id: 'id-ben', username: 'ben', first: 'Ben', last: 'Arendt', enabled: false },
  { id: 'id-cleo', username: 'cleo', first: 'Cleo', last: 'Arendt' },
  { id: 'id-boss', username: 'boss', first: 'Boss', last: 'Arendt', email: ADMIN.email },
]

describeEngines('import of users', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    server.secrets.add(CLIENT_SECRET)
  })
  after(() => server.stop())
  const search = (q: string, query = {}) => server.admin.searchDirectory({ query: { q, ...query } })
  const importing = (...external_ids: string[]) => server.admin.importUsers({ body: { external_ids } })

  itOnce('reports a missing directory, and requires a query', async () => {
    await server.records([], async () => {
      await rejectsWith(search('anna'), 'directory_not_configured')
      await rejectsWith(importing('x'), 'directory_not_configured')
      for (const q of ['a', ' a ', 'x'.repeat(101)]) await rejectsWith(search(q), 'invalid_request', 'query.q')
      await rejectsWith(importing(), 'invalid_request', 'body.external_ids')
      await rejectsWith(importing('a', 'a'), 'invalid_request', 'body.external_ids')
    })
  })

  async function useDirectory(kind: DirectoryKind): Promise<FakeDirectory> {
    const fake = await startDirectory(kind, people, server.clock.now)
    const { url, tokenUrl, clientId, clientSecret, realm } = fake.settings
    await server.admin.updateSettings({
      body: {
        idp: { issuer_url: `https://idp.example.com/${kind}`, client_id: clientId, client_secret: clientSecret },
        directory: { kind, url, token_url: tokenUrl, realm },
      },
    })
    return fake
  }

  for (const kind of directoryKinds)
    describe(kind, () => {
      it('finds users, says who has an account, and imports them by id', async () => {
        await useDirectory(kind)
        const found = await search('arendt')
        assert.deepEqual(
          found.items.map(({ external_id, enabled, already_imported }) => [external_id, enabled, already_imported]),
          people.map(({ id, enabled = true }) => [id, enabled, false]),
        )
        const { items } = await server.records([{ action: 'user_import' }], () =>
          importing('id-anna', 'id-ben', 'id-nobody', 'id-boss'),
        )
        assert.deepEqual(
          items.map(({ result, user_id }) => [result, user_id !== null]),
          [
            ['created', true],
            ['disabled', false],
            ['not_found', false],
            ['email_in_use', false],
          ],
        )
        const anna = await server.admin.getUser({ params: { id: items[0]?.user_id ?? '' } })
        assert.deepEqual(
          [anna.email, anna.display_name, anna.idp_subject, anna.groups, anna.has_password],
          ['anna@example.com', 'Anna Arendt', 'id-anna', [], false],
        )
        const [again] = (await server.records([], () => importing('id-anna'))).items
        assert.deepEqual(again, { external_id: 'id-anna', result: 'exists', user_id: anna.id })
        assert.deepEqual(
          (await search('anna')).items.map((one) => one.already_imported),
          [true],
        )
        const page = await search('arendt', { limit: 2 })
        const rest = await search('arendt', { limit: 2, cursor: page.next_cursor ?? '' })
        assert.deepEqual(
          [...page.items, ...rest.items].map(({ external_id }) => external_id),
          people.map(({ id }) => id),
        )
        await server.admin.deleteUser({ params: { id: anna.id } })
      })

      itOnce('reports what went wrong in the directory, and imports nothing', async () => {
        const fake = await useDirectory(kind)
        const refusals = [
          [answer(403), 'directory_forbidden'],
          [answer(429, { 'retry-after': '7' }), 'directory_busy'],
          [answer(500), 'directory_unavailable'],
          [answer(200, {}, 'no json'), 'directory_unavailable'],
        ] as const
        await server.records([], async () => {
          for (const [fault, code] of refusals)
            for (const call of [() => search('arendt'), () => importing('id-cleo')]) {
              fake.faults.push(fault)
              const { response } = await rejectsWith(call(), code)
              if (code === 'directory_busy') assert.equal(response.headers.get('retry-after'), '7')
            }
        })
        assert.equal((await server.admin.listUsers()).items.length, 1)
      })

      it('two concurrent imports of one user create one account', async () => {
        await useDirectory(kind)
        const results = await Promise.all([importing('id-cleo'), importing('id-cleo'), importing('id-cleo')])
        const outcomes = results.flatMap(({ items }) => items.map(({ result }) => result)).sort()
        assert.deepEqual(outcomes, ['created', 'exists', 'exists'])
        const ids = new Set(results.flatMap(({ items }) => items.map(({ user_id }) => user_id)))
        assert.equal(ids.size, 1)
        await server.admin.deleteUser({ params: { id: [...ids][0] ?? '' } })
      })
    })

  itOnce('gives up on a directory that does not answer', { timeout: 30_000 }, async () => {
    const fake = await useDirectory('keycloak')
    fake.faults.push(hang)
    await rejectsWith(search('arendt'), 'directory_timeout')
    const failures = (await allActions(server.database)).filter(({ action }) => action === 'login_failed')
    assert.deepEqual(failures, [])
  })
})
