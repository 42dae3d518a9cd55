import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ProblemError } from '../../client/derived.ts'
import { api, type OperationName } from '../../contract/index.ts'
import { type BucketAction, bucketActions } from '../../contract/permissions.ts'
import type { RouteSpec } from '../../contract/route.ts'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { agent, BUCKET, byKey, cleanup, type Entry, image, inventory, type Made, params, table, who } from './access.ts'

type Who = (typeof who)[number]

describeOnce('who may call what', (engine) => {
  let server: TestServer
  /** Tokens limited to a scope, each with the column that its answers are to be like. */
  const limited: { of: Who; like: Who; token: string }[] = []
  const people = new Map<Who, { login(): Promise<string>; token: string; pat: string }>()
  before(async () => {
    server = await startServer(engine)
    const { admin } = server
    await admin.createBucket({ body: { name: BUCKET } })
    await admin.putObject({ params: byKey, body: 'x' })
    const actions = [...bucketActions]
    const grants = {
      'no group': [],
      'wrong bucket': [{ bucket_pattern: 'elsewhere-*', actions }],
      'wrong prefix': [{ bucket_pattern: 'table-*', prefix: 'other/', actions }],
      right: [{ bucket_pattern: 'table-*', actions }],
    }
    for (const [one, given] of Object.entries(grants)) {
      const email = `${one.replace(' ', '-')}@example.com`
      const password = `password of ${one}`
      const groups = given.length === 0 ? [] : [(await admin.createGroup({ body: { name: one, grants: given } })).id]
      await admin.createUser({ body: { email, display_name: one, password, group_ids: groups } })
      await addPerson(one as Who, () => server.login(email, password))
    }
    await addPerson('admin', () => server.login('admin@example.com', 'correct horse battery'))
    for (const [of, like, bucket] of [
      ['right', 'right', 'table-*'],
      ['right', 'no group', 'nothing-*'],
      ['admin', 'wrong bucket', 'elsewhere-*'],
    ] as const) {
      const body = { name: 'limited', scope: [{ bucket, actions }] }
      limited.push({ of, like, token: (await server.as(people.get(of)?.token).createToken({ body })).token })
    }
  })
  after(() => server.stop())

  async function addPerson(one: Who, login: () => Promise<string>): Promise<void> {
    const token = await login()
    const pat = await server.as(token).createToken({ body: { name: 'table' } })
    people.set(one, { login, token, pat: pat.token })
  }

  function making(one: Who, byToken: boolean, admin = server.admin): Made {
    const theirs = () => server.as(people.get(one)?.token)
    return {
      admin,
      byToken,
      as: server.as,
      login: async () => (await people.get(one)?.login()) ?? 'none',
      user: async () =>
        (await admin.createUser({ body: { email: `${newId()}@example.com`, display_name: 'Made' } })).id,
      group: async () => (await admin.createGroup({ body: { name: newId() } })).id,
      object: async () => {
        const key = `docs/${newId()}`
        await admin.putObject({ params: { bucket: BUCKET, key }, body: 'x' })
        return key
      },
      trashed: async () => {
        const key = `docs/${newId()}`
        await admin.putObject({ params: { bucket: BUCKET, key }, body: 'x' })
        await admin.deleteObject({ params: { bucket: BUCKET, key } })
        return (await admin.listTrash({ params, query: { limit: 1 } })).items[0]?.id ?? ''
      },
      bucket: async () => (await admin.createBucket({ body: { name: `table-${newId().slice(-12)}` } })).name,
      snapshot: async () => (await admin.createSnapshot({ params, body: { name: newId() } })).name,
      upload: async () =>
        (await admin.initUpload({ params, body: { key: `docs/${newId()}`, file_size: 1 } })).upload_id,
      job: async () =>
        (await admin.createJob({ body: { kind: 'delete', source_bucket: BUCKET, prefix: 'docs/none/' } })).id,
      policy: async () => (await admin.createPolicy({ body: { name: 'made', ...cleanup } })).id,
      run: async () => {
        const { id } = await admin.createPolicy({ body: { name: 'made', ...cleanup } })
        return { id, run_id: (await admin.runPolicy({ params: { id }, query: { dry_run: true } })).id }
      },
      inventory: async () => (await admin.createInventory({ body: { name: newId(), ...inventory } })).id,
      inventoryRun: async () => {
        const { id } = await admin.createInventory({ body: { name: newId(), ...inventory } })
        return { id, run_id: (await admin.runInventory({ params: { id } })).id }
      },
      share: async () => (await admin.shareObject({ params: image })).id,
      webhook: async () =>
        (await admin.createWebhook({ body: { name: 'Made', url: 'https://8.8.8.8/', events: ['ping'] } })).id,
      token: async () => (one === 'anonymous' ? newId() : (await theirs().createToken({ body: { name: 'made' } })).id),
      accessKey: async () =>
        one === 'anonymous' ? newId() : (await theirs().createAccessKey({ body: { name: 'made' } })).id,
      agent: async () => (one === 'anonymous' ? newId() : (await theirs().createAgent({ body: agent })).id),
      session: async () => {
        if (one === 'anonymous') return newId()
        await people.get(one)?.login()
        return (await theirs().listSessions({ query: { limit: 1 } })).items[0]?.id ?? ''
      },
    }
  }

  const statusOf = (route: RouteSpec, call: Promise<unknown>): Promise<number> =>
    call.then(
      () => route.status,
      (error: unknown) => {
        if (error instanceof ProblemError) return error.response.status
        throw error
      },
    )

  it('covers every operation', () => assert.deepEqual(Object.keys(table).sort(), Object.keys(api).sort()))

  for (const [name, entry] of Object.entries(table) as [OperationName, Entry][])
    it(`${api[name].method} ${api[name].url}`, async () => {
      // All of them ask from one address.
      await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
      for (const byToken of [false, true])
        for (const [i, one] of who.entries()) {
          if (byToken && one === 'anonymous') continue
          const person = people.get(one)
          const client = server.as(byToken ? person?.pat : person?.token)
          const expected = (byToken ? (entry.byToken ?? entry.expect) : entry.expect)[i]
          const status = await statusOf(api[name], entry.call(client, making(one, byToken)))
          assert.equal(status, expected, `${one}${byToken ? ' by token' : ''}`)
        }
      for (const { of, like, token } of limited) {
        const { ofAccount = false } = api[name] as RouteSpec
        const status = await statusOf(api[name], entry.call(server.as(token), making(of, true)))
        const expected = ofAccount ? 403 : (entry.byScope ?? entry.byToken ?? entry.expect)[who.indexOf(like)]
        assert.equal(status, expected, `a token of ${of} limited like ${like}`)
      }
    })

  it('what its owner has gives a token nothing that is not in its scope', async () => {
    const owner = server.as(people.get('right')?.token)
    const made = making('right', true, owner)
    const ends = async (actions: BucketAction[]) => {
      const scope = [{ bucket: BUCKET, prefix: 'docs/', actions }]
      const client = server.as((await owner.createToken({ body: { name: 'narrow', scope } })).token)
      const done = new Set<string>()
      for (const [name, entry] of Object.entries(table) as [OperationName, Entry][]) {
        const { access, ofAccount = false, status } = api[name] as RouteSpec
        if (access === 'public' || access === 'monitor' || ofAccount) continue
        if ((await statusOf(api[name], entry.call(client, made))) === status) done.add(name)
      }
      // Links of the owner, to the object and for uploads, which the token could not have made.
      const links = [
        await owner.shareObject({ params: image }),
        await owner.createShare({ body: { kind: 'upload', bucket: BUCKET, prefix: 'docs/' } }),
        await owner.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'docs/' } }),
      ]
      for (const { id } of links)
        for (const use of [
          () => client.getShareLink({ params: { id } }),
          () => client.updateShare({ params: { id }, body: { expires_in: 'never', password: null } }),
          () => client.listShareAccesses({ params: { id } }),
          () => client.revokeShare({ params: { id } }),
        ])
          await rejectsWith(use(), 'not_found')
      assert.deepEqual((await client.listShares()).items, [])
      await made.job()
      assert.deepEqual((await client.listJobs()).items, [])
      await made.policy()
      assert.deepEqual((await client.listPolicies()).items, [])
      await made.upload()
      assert.deepEqual(
        await client.listUploads({ params }).then(
          ({ items }) => items,
          () => [],
        ),
        [],
      )
      return [...done].sort()
    }
    const lists = [
      'browse',
      // Which tools there are; each asks for rights.
      'callMcp',
      'countObjects',
      'exportSearch',
      'getBucket',
      'listApprovals',
      'listBuckets',
      'listChanges',
      'listDeleted',
      'listInventories',
      'listJobs',
      'listObjects',
      'listPolicies',
      'listShares',
      'listSnapshots',
      'listTrash',
      'listVersions',
      'me',
      'objectsExist',
      'searchEverywhere',
      'searchObjects',
      'sizeFolders',
      'suggestSearch',
      'usage',
    ]
    assert.deepEqual(await ends(['list', 'share']), lists.toSorted())
    assert.deepEqual(await ends(['list', 'policy']), lists.toSorted())
  })
})
