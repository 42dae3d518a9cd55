// Links to each of many objects that agents create: planned, approved, counted, and taken back.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { request } from '../support/http.ts'
import { describeEngines } from '../support/server.ts'
import { agentsWorld } from './agents.ts'
import { connectHttp } from './mcp-client.ts'

interface Link {
  id: string
  key: string
  url: string
  expires_at: string | null
}

describeEngines('links of agents to each of many objects', (engine, itOnce) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn } = world
  const connected = async (...made: Parameters<typeof agentOn>) => {
    const agent = await agentOn(...made)
    return { ...agent, ...(await connectHttp(world.server.url, agent.token)) }
  }
  const nothing = <T>(work: () => Promise<T>) => world.server.records([], work)
  const created = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'share_create' as const, bucket, key }))
  const revoked = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'share_revoke' as const, bucket, key }))
  const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
  const linksIn = (data: { [field: string]: unknown }): Link[] => {
    const links = (data.links ?? []) as Link[]
    for (const { url } of links) world.server.secrets.add(tokenOf(url))
    return links
  }
  const statusOf = async ({ url }: Pick<Link, 'url'>, headers: { [name: string]: string } = {}) =>
    (await request({ url: world.server.url, path: `/public/s/${tokenOf(url)}`, headers })).status
  const listed = async (bucket: string) =>
    (await world.server.admin.listShares({ query: { bucket, state: 'active' } })).items.map(
      ({ object_key }) => object_key,
    )

  it('are planned within the scope, made once, counted each, and nothing more than the budget has', async () => {
    const { server } = world
    const bucket = await bucketWith('in/1', 'in/2', 'out/3')
    const scope = [{ bucket, prefix: 'in/', actions: ['list' as const, 'read' as const, 'share' as const] }]
    const limits = { approval: { actions: [] }, budget: { change_objects_per_hour: 3 } }
    const { call, id } = await connected(bucket, { scope, ...limits })
    const share = { action: 'share', bucket, expires_in: '1h', max_downloads: 1 }
    const { data: plan } = await nothing(() => call('plan', { ...share, prefix: 'in/' }))
    assert.deepEqual([plan.objects, plan.left_out], [2, 0])
    assert.deepEqual(
      plan.actions,
      ['in/1', 'in/2'].map((key) => ({ action: 'share_create', bucket, key, to: null })),
    )
    assert.ok(!JSON.stringify(plan).includes('http'), 'a plan shows no URL')
    assert.deepEqual(await listed(bucket), [])
    // What is out of scope is left out, whether or not it is there; nothing else is said of it.
    const keys = ['out/3', 'out/none', 'in/1', 'in/none']
    const { data: some } = await nothing(() => call('plan', { ...share, keys }))
    assert.deepEqual(some.objects, 1)
    assert.deepEqual(
      (some.errors as { key: string; code: string }[]).map(({ key, code }) => [key, code]),
      [
        ['out/3', 'forbidden'],
        ['out/none', 'forbidden'],
        ['in/none', 'not_found'],
      ],
    )
    for (const wrong of [{ q: 'key:out/*' }, { prefix: 'out/' }]) {
      const { data, error } = await call('plan', { ...share, ...wrong })
      assert.ok(error?.code === 'forbidden' || data.objects === 0)
    }

    const password = 'open sesame of the links'
    server.secrets.add(password)
    const { data: made } = await server.records(created(bucket, 'in/1', 'in/2'), () =>
      call('carry_out', { plan_id: plan.plan_id, password }),
    )
    const links = linksIn(made)
    assert.deepEqual([made.objects, links.map(({ key }) => key)], [2, ['in/1', 'in/2']])
    for (const link of links) {
      assert.equal(link.expires_at, new Date(server.clock.now().getTime() + 3_600_000).toISOString())
      assert.equal(await statusOf(link), 401)
      assert.equal(await statusOf(link, { 'x-share-password': password }), 200)
      assert.equal(await statusOf(link, { 'x-share-password': password }), 410, 'each has its own downloads')
    }
    const { items } = await server.admin.listAudit({ query: { token_id: id, action: ['share_create'] } })
    assert.deepEqual(
      items.map(({ route, auth_method }) => [route, auth_method]),
      [1, 2].map(() => ['/mcp#carry_out', 'agent']),
    )
    const said = JSON.stringify(items)
    for (const secret of [password, ...links.map(({ url }) => tokenOf(url))]) assert.ok(!said.includes(secret))
    assert.equal((await nothing(() => call('carry_out', { plan_id: plan.plan_id }))).error?.code, 'not_found')

    // Each link has counted, and two more do not fit: then none is created.
    const { agent } = (await call('budget')).data as { agent: { used_this_hour: { change_objects: number } } }
    assert.equal(agent.used_this_hour.change_objects, 2)
    const { data: more } = await call('plan', { ...share, prefix: 'in/' })
    const { error } = await nothing(() => call('carry_out', { plan_id: more.plan_id }))
    assert.deepEqual([error?.code, error?.left, error?.needed], ['budget_exceeded', 1, 2])
    const { data: last } = await call('plan', { ...share, keys: ['in/1'] })
    const one = await server.records(created(bucket, 'in/1'), () => call('carry_out', { plan_id: last.plan_id }))
    assert.equal(await statusOf(linksIn(one.data)[0] ?? { url: '' }), 200)
    assert.equal((await call('share', { bucket, key: 'in/2' })).error?.code, 'budget_exceeded')
    assert.equal((await server.admin.verifyAudit()).ok, true)
  })

  it('wait for approval as one request, and are made as they were approved', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2')
    const { call } = await connected(bucket)
    const plan = async () => (await nothing(() => call('plan', { action: 'share', bucket, prefix: 'a/' }))).data.plan_id
    const plan_id = await plan()
    const password = 'approved together with the links'
    server.secrets.add(password)
    const carry = (more: object = { password }) => call('carry_out', { plan_id, ...more })
    const { error } = await server.records([{ action: 'approval_request' }], () => carry())
    assert.equal(error?.code, 'approval_required')
    const id = String(error?.approval_id)
    assert.equal((await nothing(() => carry())).error?.approval_id, id)
    const waiting = await server.admin.getApproval({ params: { id } })
    assert.deepEqual([waiting.reason, waiting.objects], ['share', 2])
    assert.deepEqual(
      waiting.actions.map(({ action, key }) => [action, key]),
      [
        ['share_create', 'a/1'],
        ['share_create', 'a/2'],
      ],
    )
    assert.ok(!JSON.stringify(waiting).includes(password))
    await server.admin.approve({ params: { id } })
    // Without the password, it is something else.
    const { error: other } = await server.records([{ action: 'approval_request' }], () => carry({}))
    assert.notEqual(other?.approval_id, id)
    const { data } = await server.records(created(bucket, 'a/1', 'a/2'), () => carry())
    for (const link of linksIn(data)) assert.equal(await statusOf(link, { 'x-share-password': password }), 200)
    const again = await plan()
    const { error: once } = await server.records([{ action: 'approval_request' }], () =>
      call('carry_out', { plan_id: again, password }),
    )
    assert.equal(once?.code, 'approval_required')
  })

  it('end with the undoing of what the agent did, and no others', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2', 'b/3')
    const { call, id } = await connected(bucket, { approval: { actions: [] } })
    const others = await connected(bucket, { approval: { actions: [] } })
    const share = async (by: typeof others, key: string): Promise<Link> => {
      const { data } = await by.call('share', { bucket, key })
      server.secrets.add(tokenOf(String(data.url)))
      return { ...data, key } as unknown as Link
    }
    const before = await share({ ...others, call }, 'a/1')
    server.clock.advance(1000)
    const since = server.clock.now().toISOString()
    server.clock.advance(1000)
    const { data: plan } = await call('plan', { action: 'share', bucket, prefix: '' })
    const links = linksIn((await call('carry_out', { plan_id: plan.plan_id })).data)
    const foreign = await share(others, 'a/1')
    await call('write', { bucket, key: 'c/new', text: 'x' })
    assert.deepEqual(
      await Promise.all([before, foreign, ...links].map((one) => statusOf(one))),
      [200, 200, 200, 200, 200],
    )
    const undo = async (more: object) => {
      const body = { kind: 'rollback' as const, source_bucket: bucket, to: since, by: { agent: id }, ...more }
      const job = await world.ended((await server.admin.createJob({ body })).id)
      assert.equal(job.status, 'succeeded')
      return { id: job.id, links: job.plan?.links }
    }
    /** What a dry run counts is what the run then revokes. */
    const undoAsCounted = async (count: number, more: object, records: Parameters<typeof server.records>[0]) => {
      const dry = await nothing(() => undo({ dry_run: true, ...more }))
      assert.equal(dry.links, count)
      const run = await server.records(records, () => undo({ planned: dry.id, ...more }))
      assert.equal(run.links, count)
    }
    assert.equal((await nothing(() => undo({ dry_run: true }))).links, 3)
    assert.deepEqual(await Promise.all(links.map((one) => statusOf(one))), [200, 200, 200])
    assert.equal((await nothing(() => undo({ dry_run: true, by: { agent: others.id } }))).links, 1)
    await undoAsCounted(1, { prefix: 'b/' }, revoked(bucket, 'b/3'))
    await undoAsCounted(2, { prefix: 'a/' }, revoked(bucket, 'a/1', 'a/2'))
    await undoAsCounted(0, {}, [{ action: 'delete', bucket, key: 'c/new' }])
    assert.deepEqual(await Promise.all(links.map((one) => statusOf(one))), [410, 410, 410])
    assert.deepEqual(await Promise.all([before, foreign].map((one) => statusOf(one))), [200, 200])
    await undoAsCounted(0, {}, [])
  })

  it('are counted only as far as whoever takes back may revoke them, and revoked only as they were counted', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2')
    server.clock.advance(1000)
    const to = server.clock.now().toISOString()
    server.clock.advance(1000)
    const { call, id } = await connected(bucket, { approval: { actions: [] } })
    const share = async (key: string): Promise<string> => {
      const { data } = await call('share', { bucket, key })
      server.secrets.add(tokenOf(String(data.url)))
      return String(data.id)
    }
    const body = { kind: 'rollback' as const, source_bucket: bucket, to, by: { agent: id } }
    const links = async (client = server.admin, more: object = { dry_run: true }) =>
      (await world.ended((await client.createJob({ body: { ...body, ...more } })).id)).plan?.links
    const first = await share('a/1')
    // The links are the agent's maker's, whom another user who may change the objects cannot speak for.
    const other = server.as(
      await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read', 'write', 'delete'] }),
    )
    assert.equal(await nothing(() => links(other)), 0)
    assert.equal(await nothing(() => links(other, {})), 0)
    const dry = await server.admin.createJob({ body: { ...body, dry_run: true } })
    assert.equal((await world.ended(dry.id)).plan?.links, 1)
    const asPlanned = { ...body, planned: dry.id }
    const refused = async (what: RegExp) => {
      const error = await nothing(() => server.admin.createJob({ body: asPlanned }).catch((reason) => reason))
      assert.equal(error.code, 'conflict')
      assert.match(error.message, what)
    }
    const second = await share('a/2')
    await refused(/links was 1 and is 2/)
    await call('unshare', { bucket, ids: [first] })
    await refused(/as many links are to be revoked, but others/)
    assert.deepEqual(await listed(bucket), ['a/2'])
    await call('unshare', { bucket, ids: [second] })
    await refused(/links was 1 and is 0/)
  })

  itOnce('are revoked by their agent alone, and refused with what to do next', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2')
    const { call } = await connected(bucket, { approval: { actions: [] } })
    const own = await server.admin.createShare({ body: { kind: 'object', bucket, key: 'a/1' } })
    server.secrets.add(own.token)
    const { data: plan } = await call('plan', { action: 'share', bucket, prefix: 'a/' })
    const links = linksIn((await call('carry_out', { plan_id: plan.plan_id })).data)
    const ids = [...links.map(({ id }) => id), own.id]
    const { data } = await server.records(revoked(bucket, 'a/1', 'a/2'), () => call('unshare', { bucket, ids }))
    assert.deepEqual((data.revoked as string[]).toSorted(), links.map(({ id }) => id).toSorted())
    assert.deepEqual(
      (data.errors as { id: string; code: string }[]).map((one) => [one.id, one.code]),
      [[own.id, 'not_found']],
    )
    assert.deepEqual(await listed(bucket), ['a/1'])
    const code = async (name: string, args: object) => (await nothing(() => call(name, args))).error?.code
    const share = { action: 'share', bucket, prefix: 'a/' }
    const { data: stale } = await call('plan', share)
    await server.admin.putObject({ params: { bucket, key: 'a/1' }, body: 'other' })
    assert.equal(await code('carry_out', { plan_id: stale.plan_id }), 'changed')
    const { data: remove } = await call('plan', { action: 'delete', bucket, prefix: 'a/' })
    assert.equal(await code('carry_out', { plan_id: remove.plan_id, password: 'x' }), 'invalid_request')
    const many = Array.from({ length: 201 }, (_, i) => `a/${i}`)
    assert.equal(await code('plan', { action: 'share', bucket, keys: many }), 'limit_reached')
    for (const wrong of [{ to_prefix: 'b/' }, { to_bucket: bucket }, { expires_in: 'soon' }, { max_downloads: 0 }])
      assert.equal(await code('plan', { ...share, ...wrong }), 'invalid_request')
    assert.equal(await code('plan', { action: 'delete', bucket, prefix: 'a/', expires_in: '1h' }), 'invalid_request')
    const readOnly = await connected(bucket, { scope: [{ bucket, actions: ['list', 'read'] }] })
    const denied = [{ action: 'access_denied' as const, result: 'denied' }]
    const { error } = await server.records(denied, () => readOnly.call('plan', share))
    assert.equal(error?.code, 'forbidden')
  })
})
