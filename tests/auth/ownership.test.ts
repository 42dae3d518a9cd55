import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Client, ProblemError } from '../../client/derived.ts'
import { api, type OperationName } from '../../contract/index.ts'
import { bucketActions } from '../../contract/permissions.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { addApp } from '../support/second-factor.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const routes = Object.entries<RouteSpec>(api) as [OperationName, RouteSpec][]
/** What names one thing of someone. */
const NAMES = ['id', 'upload_id', 'run_id', 'delivery_id']
const takesId = ({ params }: RouteSpec) => Object.keys(params?.properties ?? {}).some((name) => NAMES.includes(name))

/** What Kim owns and Lee knows the id of. */
interface Owned {
  user: string
  group: string
  session: string
  token: string
  accessKey: string
  agent: string
  approval: string
  share: string
  job: string
  upload: string
  trashed: string
  policy: string
  run: string
  inventory: string
  inventoryRun: string
  webhook: string
  delivery: string
  record: string
  factor: string
}
const name = 'kims-bucket'
const cleanup = { bucket_patterns: [name], prefix: 'none/', older_than_days: 1 }

/** Each call is made with an id of Kim's. Every operation that takes an id in its path is here; the first test asserts it. */
const calls: { [N in OperationName]?: (client: Client, of: Owned) => Promise<unknown> } = {
  getAuditRecord: (c, { record }) => c.getAuditRecord({ params: { id: record } }),
  endSession: (c, { session }) => c.endSession({ params: { id: session } }),
  renameSecondFactor: (c, { factor }) => c.renameSecondFactor({ params: { id: factor }, body: { name: 'taken' } }),
  removeSecondFactor: (c, { factor }) =>
    c.removeSecondFactor({ params: { id: factor }, body: { proof: { current_password: 'password of 2' } } }),
  resetSecondFactors: (c, { user }) => c.resetSecondFactors({ params: { id: user } }),
  revokeToken: (c, { token }) => c.revokeToken({ params: { id: token } }),
  rotateToken: (c, { token }) => c.rotateToken({ params: { id: token }, body: {} }),
  listUserTokens: (c, { user }) => c.listUserTokens({ params: { id: user } }),
  revokeAccessKey: (c, { accessKey }) => c.revokeAccessKey({ params: { id: accessKey } }),
  rotateAccessKey: (c, { accessKey }) => c.rotateAccessKey({ params: { id: accessKey }, body: {} }),
  listUserAccessKeys: (c, { user }) => c.listUserAccessKeys({ params: { id: user } }),
  getAgent: (c, { agent }) => c.getAgent({ params: { id: agent } }),
  updateAgent: (c, { agent }) => c.updateAgent({ params: { id: agent }, body: { name: 'taken' } }),
  revokeAgent: (c, { agent }) => c.revokeAgent({ params: { id: agent } }),
  getApproval: (c, { approval }) => c.getApproval({ params: { id: approval } }),
  approve: (c, { approval }) => c.approve({ params: { id: approval } }),
  reject: (c, { approval }) => c.reject({ params: { id: approval } }),
  updateShare: (c, { share }) => c.updateShare({ params: { id: share }, body: { max_downloads: 1 } }),
  getShareLink: (c, { share }) => c.getShareLink({ params: { id: share } }),
  revokeShare: (c, { share }) => c.revokeShare({ params: { id: share } }),
  listShareAccesses: (c, { share }) => c.listShareAccesses({ params: { id: share } }),
  getUpload: (c, { upload }) => c.getUpload({ params: { bucket: name, upload_id: upload } }),
  abortUpload: (c, { upload }) => c.abortUpload({ params: { bucket: name }, body: { upload_id: upload } }),
  completeUpload: (c, { upload }) =>
    c.completeUpload({ params: { bucket: name }, body: { upload_id: upload, parts: [{ part_number: 1, etag: 'x' }] } }),
  getJob: (c, { job }) => c.getJob({ params: { id: job } }),
  cancelJob: (c, { job }) => c.cancelJob({ params: { id: job } }),
  getPolicy: (c, { policy }) => c.getPolicy({ params: { id: policy } }),
  updatePolicy: (c, { policy }) => c.updatePolicy({ params: { id: policy }, body: { name: 'taken' } }),
  deletePolicy: (c, { policy }) => c.deletePolicy({ params: { id: policy } }),
  runPolicy: (c, { policy }) => c.runPolicy({ params: { id: policy } }),
  listPolicyRuns: (c, { policy }) => c.listPolicyRuns({ params: { id: policy } }),
  getPolicyRun: (c, { policy, run }) => c.getPolicyRun({ params: { id: policy, run_id: run } }),
  listPolicyRunItems: (c, { policy, run }) => c.listPolicyRunItems({ params: { id: policy, run_id: run } }),
  cancelPolicyRun: (c, { policy, run }) => c.cancelPolicyRun({ params: { id: policy, run_id: run } }),
  restorePolicyRun: (c, { policy, run }) =>
    c.restorePolicyRun({ params: { id: policy, run_id: run }, body: { bucket: 'lees-bucket' } }),
  getInventory: (c, { inventory }) => c.getInventory({ params: { id: inventory } }),
  updateInventory: (c, { inventory }) => c.updateInventory({ params: { id: inventory }, body: { hour: 3 } }),
  deleteInventory: (c, { inventory }) => c.deleteInventory({ params: { id: inventory } }),
  runInventory: (c, { inventory }) => c.runInventory({ params: { id: inventory } }),
  listInventoryRuns: (c, { inventory }) => c.listInventoryRuns({ params: { id: inventory } }),
  getInventoryRun: (c, { inventory, inventoryRun }) =>
    c.getInventoryRun({ params: { id: inventory, run_id: inventoryRun } }),
  cancelInventoryRun: (c, { inventory, inventoryRun }) =>
    c.cancelInventoryRun({ params: { id: inventory, run_id: inventoryRun } }),
  restoreTrash: (c, { trashed }) => c.restoreTrash({ params: { bucket: name }, body: { ids: [trashed] } }),
  purgeTrash: (c, { trashed }) => c.purgeTrash({ params: { bucket: name }, body: { ids: [trashed] } }),
  getUser: (c, { user }) => c.getUser({ params: { id: user } }),
  updateUser: (c, { user }) => c.updateUser({ params: { id: user }, body: { display_name: 'taken' } }),
  deleteUser: (c, { user }) => c.deleteUser({ params: { id: user } }),
  endUserSessions: (c, { user }) => c.endUserSessions({ params: { id: user } }),
  inviteUser: (c, { user }) => c.inviteUser({ params: { id: user } }),
  revokeInvitation: (c, { user }) => c.revokeInvitation({ params: { id: user } }),
  getGroup: (c, { group }) => c.getGroup({ params: { id: group } }),
  updateGroup: (c, { group }) => c.updateGroup({ params: { id: group }, body: { name: 'taken' } }),
  deleteGroup: (c, { group }) => c.deleteGroup({ params: { id: group } }),
  listMembers: (c, { group }) => c.listMembers({ params: { id: group } }),
  addMembers: (c, { group, user }) => c.addMembers({ params: { id: group }, body: { user_ids: [user] } }),
  replaceMembers: (c, { group }) => c.replaceMembers({ params: { id: group }, body: { user_ids: [] } }),
  removeMembers: (c, { group, user }) => c.removeMembers({ params: { id: group }, body: { user_ids: [user] } }),
  explainPermission: (c, { user }) => c.explainPermission({ query: { user_id: user, action: 'read', bucket: name } }),
  getWebhook: (c, { webhook }) => c.getWebhook({ params: { id: webhook } }),
  updateWebhook: (c, { webhook }) => c.updateWebhook({ params: { id: webhook }, body: { name: 'taken' } }),
  deleteWebhook: (c, { webhook }) => c.deleteWebhook({ params: { id: webhook } }),
  rotateWebhookSecret: (c, { webhook }) => c.rotateWebhookSecret({ params: { id: webhook } }),
  promoteWebhookSecret: (c, { webhook }) => c.promoteWebhookSecret({ params: { id: webhook } }),
  testWebhook: (c, { webhook }) => c.testWebhook({ params: { id: webhook } }),
  recoverWebhook: (c, { webhook }) =>
    c.recoverWebhook({ params: { id: webhook }, body: { since: '2026-01-01T00:00:00Z' } }),
  listDeliveries: (c, { webhook }) => c.listDeliveries({ params: { id: webhook } }),
  getDelivery: (c, { webhook, delivery }) => c.getDelivery({ params: { id: webhook, delivery_id: delivery } }),
  resendDelivery: (c, { webhook, delivery }) => c.resendDelivery({ params: { id: webhook, delivery_id: delivery } }),
}
/** What stays Kim's even where Lee may do everything in the bucket. */
const personal = [
  'renameSecondFactor',
  'removeSecondFactor',
  'resetSecondFactors',
  'endSession',
  'revokeToken',
  'rotateToken',
  'listUserTokens',
  'getAgent',
  'updateAgent',
  'revokeAgent',
  'getApproval',
  'approve',
  'reject',
  'updateShare',
  'getShareLink',
  'getJob',
  'cancelJob',
  'getUser',
  'updateUser',
  'deleteUser',
  'endUserSessions',
  'inviteUser',
  'revokeInvitation',
  'explainPermission',
  'getGroup',
  'updateGroup',
  'addMembers',
  'getWebhook',
  'getDelivery',
  'listDeliveries',
] as OperationName[]

describeEngines('whose it is', (engine, itOnce) => {
  let server: TestServer
  let of: Owned
  let lee: Client
  let colleague: Client
  before(async () => {
    server = await startServer(engine)
    const { admin } = server
    const actions = [...bucketActions]
    const kimsToken = await server.userWith({ bucket_pattern: 'kims-*', actions })
    lee = server.as(await server.userWith({ bucket_pattern: 'lees-*', actions }))
    colleague = server.as(await server.userWith({ bucket_pattern: 'kims-*', actions }))
    const kim = server.as(kimsToken)
    await kim.createBucket({ body: { name } })
    await lee.createBucket({ body: { name: 'lees-bucket' } })
    for (const key of ['plan of kim', 'old plan of kim'])
      await kim.putObject({ params: { bucket: name, key }, body: 'x' })
    await kim.deleteObject({ params: { bucket: name, key: 'old plan of kim' } })
    const { id: user, groups } = await kim.me()
    const pat = await kim.createToken({ body: { name: 'token of kim' } })
    const share = await kim.createShare({ body: { kind: 'object', bucket: name, key: 'plan of kim' } })
    const accessKey = await kim.createAccessKey({ body: { name: 'token of kim' } })
    for (const secret of [pat.token, share.token, accessKey.secret_access_key]) server.secrets.add(secret)
    const agent = await kim.createAgent({
      body: { name: 'token of kim', scope: [{ bucket: name, actions: ['read', 'share'] }] },
    })
    for (const secret of [agent.token, agent.secret_access_key]) server.secrets.add(secret)
    await rejectsWith(
      server.as(agent.token).createShare({ body: { kind: 'object', bucket: name, key: 'plan of kim' } }),
      'approval_required',
    )
    const policy = await kim.createPolicy({ body: { name: 'policy of kim', ...cleanup } })
    const inventory = await kim.createInventory({
      body: { name: 'inventory-of-kim', bucket: name, destination: { bucket: name } },
    })
    const { id: inventoryRun } = await kim.runInventory({ params: { id: inventory.id } })
    const written = { params: { id: inventory.id, run_id: inventoryRun } }
    await until(async () => (await kim.getInventoryRun(written)).finished_at !== null)
    const hook = { name: 'hook', url: 'https://8.8.8.8/', events: ['ping' as const] }
    const webhook = await admin.createWebhook({ body: hook })
    of = {
      user,
      group: groups[0]?.id ?? '',
      session: (await kim.listSessions()).items[0]?.id ?? '',
      token: pat.id,
      accessKey: accessKey.id,
      agent: agent.id,
      approval: (await kim.listApprovals()).items[0]?.id ?? '',
      share: share.id,
      job: (await kim.createJob({ body: { kind: 'delete', source_bucket: name, prefix: 'none/' } })).id,
      upload: (await kim.initUpload({ params: { bucket: name }, body: { key: 'big plan of kim', file_size: 9 } }))
        .upload_id,
      trashed: (await kim.listTrash({ params: { bucket: name } })).items[0]?.id ?? '',
      policy: policy.id,
      run: (await kim.runPolicy({ params: { id: policy.id }, query: { dry_run: true } })).id,
      inventory: inventory.id,
      inventoryRun,
      webhook: webhook.id,
      delivery: (await admin.testWebhook({ params: { id: webhook.id } })).id,
      factor: (await addApp(server, kim, { current_password: 'password of 1' }, 'app of kim')).id,
      record: (await admin.listAudit({ query: { bucket: name } })).items[0]?.id ?? '',
    }
  })
  after(() => server.stop())

  const refusal = (call: Promise<unknown>): Promise<ProblemError> =>
    call.then(
      (answer) => assert.fail(`answered ${JSON.stringify(answer)}`),
      (error: unknown) => {
        if (error instanceof ProblemError) return error
        throw error
      },
    )
  /** Refused, and nothing happened but perhaps a record of the refusal. */
  async function assertKept(call: () => Promise<unknown>, what: string): Promise<void> {
    const before = await allActions(server.database)
    const { problem } = await refusal(call())
    assert.match(String(problem.status), /^40[34]$/, `${what}: ${problem.detail}`)
    assert.doesNotMatch(
      JSON.stringify(problem),
      /plan of kim|token of kim|app of kim|policy of kim|person1@|8\.8\.8\.8/,
      what,
    )
    const made = (await allActions(server.database)).slice(before.length)
    assert.deepEqual(
      made.filter(({ action }) => action !== 'access_denied'),
      [],
      what,
    )
  }

  itOnce('knows every operation that takes an id', () => {
    const missing = routes.filter(([one, route]) => takesId(route) && !(one in calls)).map(([one]) => one)
    assert.deepEqual(missing, [])
  })

  for (const [one, call] of Object.entries(calls))
    itOnce(`${one}: another user's id gives no access`, () => assertKept(() => call(lee, of), one))

  for (const one of personal)
    it(`${one}: not even with every permission in the bucket`, () =>
      assertKept(() => calls[one]?.(colleague, of) ?? Promise.resolve(), one))

  it('does not accept one container’s id in another', async () => {
    const { admin } = server
    const body = { name: 'other', ...cleanup }
    const other = {
      policy: (await admin.createPolicy({ body })).id,
      webhook: (await admin.createWebhook({ body: { name: 'other', url: 'https://8.8.4.4/', events: ['ping'] } })).id,
    }
    const params = { bucket: 'lees-bucket' }
    await assertKept(() => lee.getUpload({ params: { ...params, upload_id: of.upload } }), 'getUpload')
    await assertKept(() => lee.abortUpload({ params, body: { upload_id: of.upload } }), 'abortUpload')
    const part = { part_number: 1, etag: 'x' }
    await assertKept(
      () => lee.completeUpload({ params, body: { upload_id: of.upload, parts: [part] } }),
      'completeUpload',
    )
    const run = { id: other.policy, run_id: of.run }
    for (const call of ['getPolicyRun', 'listPolicyRunItems', 'cancelPolicyRun'] as const)
      await assertKept(() => admin[call]({ params: run }), call)
    await assertKept(() => admin.restorePolicyRun({ params: run, body: { bucket: 'lees-bucket' } }), 'restorePolicyRun')
    const delivery = { id: other.webhook, delivery_id: of.delivery }
    for (const call of ['getDelivery', 'resendDelivery'] as const)
      await assertKept(() => admin[call]({ params: delivery }), call)
    // Answered for each item.
    for (const call of ['restoreTrash', 'purgeTrash'] as const)
      await server.records([], async () => {
        const answer = JSON.stringify(await lee[call]({ params, body: { ids: [of.trashed] } }).catch(String))
        assert.match(answer, /not_found|"succeeded":\[\]|"purged":0/, answer)
        assert.doesNotMatch(answer, /plan of kim/)
      })
    assert.equal((await colleague.listTrash({ params: { bucket: name } })).items.length, 1)
  })

  it('lists nothing that belongs to others', async () => {
    const lists = [
      await lee.listSessions(),
      await lee.listTokens(),
      await lee.getAttention(),
      await lee.listSecondFactors(),
      await lee.listShares(),
      await lee.listJobs(),
      await lee.listPolicies(),
      await lee.listBuckets(),
      await lee.usage(),
      await lee.listUploads({ params: { bucket: 'lees-bucket' } }),
      await lee.listTrash({ params: { bucket: 'lees-bucket' } }),
    ]
    const text = JSON.stringify(lists)
    for (const [what, id] of Object.entries(of)) assert.ok(!text.includes(id), what)
    assert.doesNotMatch(text, /kims-|of kim/)
  })

  /** Bodies that other standards define. */
  const open: readonly string[] = [
    'idpCallbackPost',
    // RFC 7591, 6749 and 7009: what a server does not know, it ignores.
    'registerClient',
    'exchangeToken',
    'revokeOauthToken',
    // Policies, in AWS' language.
    ...[
      'identity_policies.items.properties.document',
      'groups.items.properties.inline_policies.patternProperties.^[\\w+=,.@-]{1,128}$',
      'users.items.properties.inline_policies.patternProperties.^[\\w+=,.@-]{1,128}$',
      'roles.items.properties.trust',
      'roles.items.properties.inline_policies.patternProperties.^[\\w+=,.@-]{1,128}$',
      'buckets.items.properties.policy.anyOf.0',
      'access_keys.items.properties.policy.anyOf.0',
    ].map((where) => `apply.properties.configuration.properties.${where}`),
    'receiveEvents',
  ]
  const intruders = { id: 'x', is_admin: true, created_by: 'x', used_bytes: 0, secret: 'x', token: 'x', user_id: 'x' }
  for (const [one, route] of routes) {
    // The body of the MCP server is JSON-RPC, which its own tests are about.
    if (!route.body || route.consumes === 'bytes' || route.consumes === 'multipart' || one === 'callMcp') continue
    itOnce(`${one}: rejects undeclared fields`, async () => {
      const declared = Object.keys((route.body as { properties?: object }).properties ?? {})
      const extra = Object.entries(intruders).filter(([field]) => !declared.includes(field))
      const form = route.consumes === 'form'
      const path = pathTemplate(route)
        .replace(/\{(name|bucket)\}/, name)
        .replace('{key}', 'plan')
        .replace(/\{token\}/, 'x')
        .replace('{kind}', 'user')
        .replaceAll(/\{\w+\}/g, of.user)
      const send = (body: string) =>
        request({
          url: server.url,
          method: route.method,
          path,
          token: server.adminToken,
          body,
          headers: {
            'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
            // Node sends none with DELETE by itself.
            'content-length': Buffer.byteLength(body),
          },
        })
      const texts = extra.map(([field, value]): [string, string] => [field, String(value)])
      const answer = await send(form ? `${new URLSearchParams(texts)}` : JSON.stringify(Object.fromEntries(extra)))
      // What providers and OAuth clients send along is left unread.
      if (open.includes(one)) return assert.ok(answer.status >= 400)
      assert.equal(answer.status, 422, `${answer.body}`)
      const { errors = [] } = answer.json<{ errors?: { path: string; message: string }[] }>()
      const refused = errors.filter(({ message }) => message === 'is unknown').map(({ path }) => path)
      for (const [field] of extra) assert.ok(refused.includes(`body.${field}`), `${field}: ${answer.body}`)
      if (form) return
      for (const body of ['{"__proto__":{"is_admin":true}}', '{"constructor":{"prototype":{"is_admin":true}}}'])
        assert.match(String((await send(body)).status), /^4(00|22)$/)
      assert.equal(({} as { is_admin?: boolean }).is_admin, undefined)
    })
  }

  itOnce('declares no body that holds an open object', () => {
    const found: string[] = []
    const walk = (schema: unknown, at: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      const { type, additionalProperties } = schema as { type?: unknown; additionalProperties?: unknown }
      if (type === 'object' && additionalProperties !== false) found.push(at)
      for (const [key, one] of Object.entries(schema)) walk(one, `${at}.${key}`)
    }
    for (const [one, route] of routes) if (route.consumes !== 'multipart') walk(route.body, one)
    assert.deepEqual(found, open)
  })
})
