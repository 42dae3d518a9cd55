import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { ActionName } from '../../contract/actions.ts'
import { type Client, ProblemError } from '../../contract/client.ts'
import { api, type OperationName } from '../../contract/index.ts'
import { bucketActions } from '../../contract/permissions.ts'
import type { RouteSpec } from '../../contract/route.ts'
import { newId } from '../../server/id.ts'
import { type HalfSent, halfSent } from '../support/half-sent.ts'
import { request } from '../support/http.ts'
import { describeEngines, describeOnce, type Seen, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const BUCKET = 'table-b'
const KEY = 'docs/a.txt'
const who = ['anonymous', 'no group', 'wrong bucket', 'wrong prefix', 'right', 'admin'] as const
type Who = (typeof who)[number]
/** Statuses for each of `who`. */
type Expected = readonly [number, number, number, number, number, number]

interface Made {
  admin: Client
  /** Something of the admin's, new for each call. */
  user(): Promise<string>
  group(): Promise<string>
  object(): Promise<string>
  trashed(): Promise<string>
  bucket(): Promise<string>
  upload(): Promise<string>
  job(): Promise<string>
  share(): Promise<string>
  policy(): Promise<string>
  run(): Promise<{ id: string; run_id: string }>
  webhook(): Promise<string>
  /** A token of the one who is to call. */
  token(): Promise<string>
  /** A session of the one who is to call, other than the one they call with. */
  session(): Promise<string>
  /** A new session's access token of theirs. */
  login(): Promise<string>
  as(token: string): Client
  byToken: boolean
}
interface Entry {
  expect: Expected
  /** With a personal access token, where that differs. */
  byToken?: Expected
  call(client: Client, made: Made): Promise<unknown>
}

const everyone = (status: number): Expected => [status, status, status, status, status, status]
const signedIn = (status: number): Expected => [401, status, status, status, status, status]
const managers = (status: number): Expected => [401, 403, 403, 403, 403, status]
/** Anything in the bucket is enough. */
const insider = (status: number): Expected => [401, 403, 403, status, status, status]
const holder = (status: number): Expected => [401, 403, 403, 403, status, status]

/** The same of things of which one who has rights elsewhere in the bucket does not get to know. */
const unseen = (status: number): Expected => [401, 403, 403, 404, status, status]

/** What others do not get to know of. */
const hidden = (status: number): Expected => [401, 404, 404, 404, status, status]

const params = { name: BUCKET }
const cleanup = { bucket_patterns: [BUCKET], prefix: 'docs/none/', older_than_days: 1 }
const byKey = { name: BUCKET, key: KEY }
const image = { bucket: BUCKET, key: KEY }
const unknownLink = { token: 'x' }
const form = () => {
  const data = new FormData()
  data.append('file', new Blob(['x']), 'form.txt')
  return data
}

/** Every operation of the API: TypeScript and the first test refuse one that is missing. */
const table: Record<OperationName, Entry> = {
  login: {
    expect: everyone(401),
    call: (c) => c.login({ body: { username: `${newId()}@x.org`, password: 'wrong one' } }),
  },
  refresh: { expect: everyone(401), call: (c) => c.refresh({ body: { refresh_token: 'x' } }) },
  logout: {
    expect: signedIn(204),
    byToken: signedIn(409),
    call: async (c, { login, as, byToken }) => (byToken ? c : as(await login())).logout(),
  },
  me: { expect: signedIn(200), call: (c) => c.me() },
  authConfig: { expect: everyone(200), call: (c) => c.authConfig() },
  setUp: {
    expect: everyone(410),
    call: (c) => c.setUp({ body: { token: 'x', email: 'x@example.com', password: 'long enough' } }),
  },
  idpLogin: { expect: everyone(403), call: (c) => c.idpLogin() },
  idpCallback: { expect: everyone(403), call: (c) => c.idpCallback({ query: { code: 'x', state: 'x' } }) },
  idpCallbackPost: { expect: everyone(403), call: (c) => c.idpCallbackPost({ body: { code: 'x', state: 'x' } }) },
  redeemHandoff: { expect: everyone(400), call: (c) => c.redeemHandoff({ body: { code: 'x' } }) },
  changePassword: {
    expect: signedIn(422),
    call: (c) => c.changePassword({ body: { current_password: 'wrong one', new_password: 'another one' } }),
  },
  listSessions: { expect: signedIn(200), call: (c) => c.listSessions() },
  endSession: {
    expect: signedIn(204),
    call: async (c, { session }) => c.endSession({ params: { id: await session() } }),
  },
  createToken: { expect: signedIn(201), call: (c) => c.createToken({ body: { name: 'x', expires_in: 60 } }) },
  listTokens: { expect: signedIn(200), call: (c) => c.listTokens() },
  revokeToken: {
    expect: signedIn(204),
    call: async (c, { token }) => c.revokeToken({ params: { id: await token() } }),
  },
  rotateToken: {
    expect: signedIn(201),
    call: async (c, { token }) => c.rotateToken({ params: { id: await token() }, body: {} }),
  },
  listUserTokens: {
    expect: managers(200),
    call: async (c, { user }) => c.listUserTokens({ params: { id: await user() } }),
  },
  createBucket: { expect: holder(201), call: (c) => c.createBucket({ body: { name: `table-${newId().slice(-12)}` } }) },
  listBuckets: { expect: signedIn(200), call: (c) => c.listBuckets() },
  getBucket: { expect: insider(200), call: (c) => c.getBucket({ params }) },
  updateBucket: { expect: holder(200), call: (c) => c.updateBucket({ params, body: { trash_days: 7 } }) },
  deleteBucket: {
    expect: holder(204),
    call: async (c, { bucket }) => c.deleteBucket({ params: { name: await bucket() } }),
  },
  usage: { expect: signedIn(200), call: (c) => c.usage() },
  usageHistory: { expect: insider(200), call: (c) => c.usageHistory({ query: { bucket: BUCKET } }) },
  usageTypes: { expect: insider(200), call: (c) => c.usageTypes({ query: { bucket: BUCKET } }) },
  browse: { expect: holder(200), call: (c) => c.browse({ params, query: { prefix: 'docs/' } }) },
  listObjects: { expect: holder(200), call: (c) => c.listObjects({ params, query: { prefix: 'docs/' } }) },
  uploadForm: { expect: holder(201), call: (c) => c.uploadForm({ params, query: { prefix: 'docs/' }, body: form() }) },
  putObject: {
    expect: holder(201),
    call: (c) => c.putObject({ params: { ...byKey, key: `docs/${newId()}` }, body: 'x' }),
  },
  getObject: { expect: holder(200), call: (c) => c.getObject({ params: byKey }) },
  headObject: { expect: holder(200), call: (c) => c.headObject({ params: byKey }) },
  deleteObject: {
    expect: holder(204),
    call: async (c, { object }) => c.deleteObject({ params: { name: BUCKET, key: await object() } }),
  },
  putObjectByQuery: {
    expect: holder(201),
    call: (c) => c.putObjectByQuery({ params, query: { key: `docs/${newId()}` }, body: 'x' }),
  },
  getObjectByQuery: { expect: holder(200), call: (c) => c.getObjectByQuery({ params, query: { key: KEY } }) },
  headObjectByQuery: { expect: holder(200), call: (c) => c.headObjectByQuery({ params, query: { key: KEY } }) },
  deleteObjectByQuery: {
    expect: holder(204),
    call: async (c, { object }) => c.deleteObjectByQuery({ params, query: { key: await object() } }),
  },
  copyObject: {
    expect: holder(200),
    call: (c) =>
      c.copyObject({ params, body: { source_bucket: BUCKET, source_key: KEY, dest_key: `docs/${newId()}` } }),
  },
  moveObject: {
    expect: holder(200),
    call: async (c, { object }) =>
      c.moveObject({
        params,
        body: { source_bucket: BUCKET, source_key: await object(), dest_key: `docs/${newId()}` },
      }),
  },
  // Whoever may write somewhere in the bucket gets an answer for each key.
  bulkCopy: {
    expect: insider(200),
    call: (c) => c.bulkCopy({ params, body: { source_bucket: BUCKET, keys: [KEY], dest_prefix: `docs/${newId()}/` } }),
  },
  bulkMove: {
    expect: insider(200),
    call: async (c, { object }) =>
      c.bulkMove({ params, body: { source_bucket: BUCKET, keys: [await object()], dest_prefix: `docs/${newId()}/` } }),
  },
  bulkDelete: {
    expect: insider(200),
    call: async (c, { object }) => c.bulkDelete({ params, body: { keys: [await object()] } }),
  },
  objectsExist: { expect: holder(200), call: (c) => c.objectsExist({ params, body: { keys: [KEY] } }) },
  updateObject: {
    expect: holder(200),
    call: (c) => c.updateObject({ params: byKey, body: { content_type: 'text/plain' } }),
  },
  updateObjectByQuery: {
    expect: holder(200),
    call: (c) => c.updateObjectByQuery({ params, query: { key: KEY }, body: { content_type: 'text/plain' } }),
  },
  archiveObjects: {
    expect: holder(200),
    call: async (c) => (await c.archiveObjects({ params, query: { prefix: 'docs/' } })).body?.cancel(),
  },
  archiveSelection: {
    expect: holder(200),
    call: async (c) => (await c.archiveSelection({ params, body: { keys: [KEY] } })).body?.cancel(),
  },
  presignObject: { expect: holder(200), call: (c) => c.presignObject({ params, body: { key: KEY } }) },
  getSigned: { expect: everyone(403), call: (c) => c.getSigned({ params: { token: 'x.y.z' } }) },
  headSigned: { expect: everyone(403), call: (c) => c.headSigned({ params: { token: 'x.y.z' } }) },
  putSigned: { expect: everyone(403), call: (c) => c.putSigned({ params: { token: 'x.y.z' }, body: 'x' }) },
  // A text is no image.
  getImage: { expect: holder(415), call: (c) => c.getImage({ params: image, query: { w: 10 } }) },
  headImage: { expect: holder(200), call: (c) => c.headImage({ params: image }) },
  getImageByQuery: {
    expect: holder(415),
    call: (c) => c.getImageByQuery({ params: { bucket: BUCKET }, query: { key: KEY, format: 'auto' } }),
  },
  headImageByQuery: {
    expect: holder(200),
    call: (c) => c.headImageByQuery({ params: { bucket: BUCKET }, query: { key: KEY } }),
  },
  shareObject: { expect: holder(201), call: (c) => c.shareObject({ params: image }) },
  shareObjectByQuery: {
    expect: holder(201),
    call: (c) => c.shareObjectByQuery({ params: { bucket: BUCKET }, query: { key: KEY } }),
  },
  createShare: {
    expect: holder(201),
    call: (c) => c.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'docs/' } }),
  },
  listShares: { expect: signedIn(200), call: (c) => c.listShares() },
  updateShare: {
    expect: [401, 404, 404, 404, 404, 200],
    call: async (c, { share }) => c.updateShare({ params: { id: await share() }, body: { max_downloads: 3 } }),
  },
  revokeShare: {
    expect: [401, 404, 404, 404, 204, 204],
    call: async (c, { share }) => c.revokeShare({ params: { id: await share() } }),
  },
  listShareAccesses: {
    expect: [401, 404, 404, 404, 200, 200],
    call: async (c, { share }) => c.listShareAccesses({ params: { id: await share() } }),
  },
  unlockShare: { expect: everyone(410), call: (c) => c.unlockShare({ params: unknownLink, body: { password: 'x' } }) },
  openShare: { expect: everyone(410), call: (c) => c.openShare({ params: unknownLink }) },
  headShare: { expect: everyone(410), call: (c) => c.headShare({ params: unknownLink }) },
  openShareAtRoot: { expect: everyone(410), call: (c) => c.openShareAtRoot({ params: unknownLink }) },
  headShareAtRoot: { expect: everyone(410), call: (c) => c.headShareAtRoot({ params: unknownLink }) },
  openShareEntry: { expect: everyone(410), call: (c) => c.openShareEntry({ params: { ...unknownLink, key: KEY } }) },
  headShareEntry: { expect: everyone(410), call: (c) => c.headShareEntry({ params: { ...unknownLink, key: KEY } }) },
  openShareEntryAtRoot: {
    expect: everyone(410),
    call: (c) => c.openShareEntryAtRoot({ params: { ...unknownLink, key: KEY } }),
  },
  headShareEntryAtRoot: {
    expect: everyone(410),
    call: (c) => c.headShareEntryAtRoot({ params: { ...unknownLink, key: KEY } }),
  },
  receiveThroughShareAtRoot: {
    expect: everyone(410),
    call: (c) => c.receiveThroughShareAtRoot({ params: { ...unknownLink, key: KEY }, body: 'x' }),
  },
  receiveThroughShare: {
    expect: everyone(410),
    call: (c) => c.receiveThroughShare({ params: { ...unknownLink, key: KEY }, body: 'x' }),
  },
  initUpload: { expect: holder(201), call: (c) => c.initUpload({ params, body: { key: KEY, file_size: 1 } }) },
  getUpload: {
    expect: [401, 403, 403, 404, 200, 200],
    call: async (c, { upload }) => c.getUpload({ params: { ...params, upload_id: await upload() } }),
  },
  listUploads: { expect: insider(200), call: (c) => c.listUploads({ params }) },
  // One part is named that has not arrived.
  completeUpload: {
    expect: [401, 403, 403, 404, 409, 409],
    call: async (c, { upload }) =>
      c.completeUpload({ params, body: { upload_id: await upload(), parts: [{ part_number: 1, etag: 'x' }] } }),
  },
  abortUpload: {
    expect: [401, 403, 403, 404, 204, 204],
    call: async (c, { upload }) => c.abortUpload({ params, body: { upload_id: await upload() } }),
  },
  putPart: { expect: everyone(403), call: (c) => c.putPart({ params: { token: 'x.y.z' }, body: 'x' }) },
  createJob: {
    expect: holder(202),
    call: (c) =>
      c.createJob({ body: { kind: 'copy', source_bucket: BUCKET, prefix: 'docs/none/', dest_prefix: 'docs/other/' } }),
  },
  listJobs: { expect: signedIn(200), call: (c) => c.listJobs() },
  getJob: {
    expect: [401, 404, 404, 404, 404, 200],
    call: async (c, { job }) => c.getJob({ params: { id: await job() } }),
  },
  cancelJob: {
    expect: [401, 404, 404, 404, 404, 200],
    call: async (c, { job }) => c.cancelJob({ params: { id: await job() } }),
  },
  createPolicy: { expect: holder(201), call: (c) => c.createPolicy({ body: { name: 'x', ...cleanup } }) },
  listPolicies: { expect: signedIn(200), call: (c) => c.listPolicies() },
  previewPolicy: { expect: holder(200), call: (c) => c.previewPolicy({ body: cleanup }) },
  getPolicy: { expect: hidden(200), call: async (c, { policy }) => c.getPolicy({ params: { id: await policy() } }) },
  updatePolicy: {
    expect: hidden(200),
    call: async (c, { policy }) => c.updatePolicy({ params: { id: await policy() }, body: { name: 'y' } }),
  },
  deletePolicy: {
    expect: hidden(204),
    call: async (c, { policy }) => c.deletePolicy({ params: { id: await policy() } }),
  },
  runPolicy: { expect: hidden(202), call: async (c, { policy }) => c.runPolicy({ params: { id: await policy() } }) },
  listPolicyRuns: {
    expect: hidden(200),
    call: async (c, { policy }) => c.listPolicyRuns({ params: { id: await policy() } }),
  },
  getPolicyRun: { expect: hidden(200), call: async (c, { run }) => c.getPolicyRun({ params: await run() }) },
  listPolicyRunItems: {
    expect: hidden(200),
    call: async (c, { run }) => c.listPolicyRunItems({ params: await run() }),
  },
  cancelPolicyRun: { expect: hidden(200), call: async (c, { run }) => c.cancelPolicyRun({ params: await run() }) },
  explainPolicies: { expect: holder(200), call: (c) => c.explainPolicies({ params, query: { key: KEY } }) },
  listTrash: { expect: holder(200), call: (c) => c.listTrash({ params, query: { prefix: 'docs/' } }) },
  restoreTrash: {
    expect: unseen(200),
    call: async (c, { trashed }) => c.restoreTrash({ params, body: { ids: [await trashed()] } }),
  },
  purgeTrash: {
    expect: unseen(200),
    call: async (c, { trashed }) => c.purgeTrash({ params, body: { ids: [await trashed()] } }),
  },
  createUser: {
    expect: managers(201),
    call: (c) => c.createUser({ body: { email: `${newId()}@example.com`, display_name: 'X' } }),
  },
  listUsers: { expect: managers(200), call: (c) => c.listUsers() },
  searchDirectory: { expect: managers(501), call: (c) => c.searchDirectory({ query: { q: 'kim' } }) },
  importUsers: { expect: managers(501), call: (c) => c.importUsers({ body: { external_ids: ['x'] } }) },
  getUser: { expect: managers(200), call: async (c, { user }) => c.getUser({ params: { id: await user() } }) },
  updateUser: {
    expect: managers(200),
    call: async (c, { user }) => c.updateUser({ params: { id: await user() }, body: { display_name: 'Y' } }),
  },
  deleteUser: { expect: managers(204), call: async (c, { user }) => c.deleteUser({ params: { id: await user() } }) },
  endUserSessions: {
    expect: managers(204),
    call: async (c, { user }) => c.endUserSessions({ params: { id: await user() } }),
  },
  createGroup: { expect: managers(201), call: (c) => c.createGroup({ body: { name: newId() } }) },
  listGroups: { expect: managers(200), call: (c) => c.listGroups() },
  getGroup: { expect: managers(200), call: async (c, { group }) => c.getGroup({ params: { id: await group() } }) },
  updateGroup: {
    expect: managers(200),
    call: async (c, { group }) => c.updateGroup({ params: { id: await group() }, body: { description: 'Y' } }),
  },
  deleteGroup: {
    expect: managers(204),
    call: async (c, { group }) => c.deleteGroup({ params: { id: await group() } }),
  },
  listMembers: {
    expect: managers(200),
    call: async (c, { group }) => c.listMembers({ params: { id: await group() } }),
  },
  addMembers: {
    expect: managers(200),
    call: async (c, { group, user }) =>
      c.addMembers({ params: { id: await group() }, body: { user_ids: [await user()] } }),
  },
  replaceMembers: {
    expect: managers(200),
    call: async (c, { group }) => c.replaceMembers({ params: { id: await group() }, body: { user_ids: [] } }),
  },
  removeMembers: {
    expect: managers(200),
    call: async (c, { group, user }) =>
      c.removeMembers({ params: { id: await group() }, body: { user_ids: [await user()] } }),
  },
  explainPermission: {
    expect: managers(200),
    call: async (c, { user }) =>
      c.explainPermission({ query: { user_id: await user(), action: 'read', bucket: BUCKET } }),
  },
  getSettings: { expect: managers(200), call: (c) => c.getSettings() },
  updateSettings: { expect: managers(200), call: (c) => c.updateSettings({ body: { trash: { default_days: 7 } } }) },
  testIdp: { expect: managers(409), call: (c) => c.testIdp() },
  createWebhook: {
    expect: managers(201),
    call: (c) => c.createWebhook({ body: { name: 'X', url: 'https://8.8.8.8/', events: ['ping'] } }),
  },
  listWebhooks: { expect: managers(200), call: (c) => c.listWebhooks() },
  listEvents: { expect: managers(200), call: (c) => c.listEvents() },
  getWebhook: {
    expect: managers(200),
    call: async (c, { webhook }) => c.getWebhook({ params: { id: await webhook() } }),
  },
  updateWebhook: {
    expect: managers(200),
    call: async (c, { webhook }) => c.updateWebhook({ params: { id: await webhook() }, body: { name: 'Y' } }),
  },
  deleteWebhook: {
    expect: managers(204),
    call: async (c, { webhook }) => c.deleteWebhook({ params: { id: await webhook() } }),
  },
  rotateWebhookSecret: {
    expect: managers(200),
    call: async (c, { webhook }) => c.rotateWebhookSecret({ params: { id: await webhook() } }),
  },
  promoteWebhookSecret: {
    expect: managers(409),
    call: async (c, { webhook }) => c.promoteWebhookSecret({ params: { id: await webhook() } }),
  },
  testWebhook: {
    expect: managers(202),
    call: async (c, { webhook }) => c.testWebhook({ params: { id: await webhook() } }),
  },
  recoverWebhook: {
    expect: managers(202),
    call: async (c, { webhook }) =>
      c.recoverWebhook({ params: { id: await webhook() }, body: { since: '2026-01-01T00:00:00Z' } }),
  },
  listDeliveries: {
    expect: managers(200),
    call: async (c, { webhook }) => c.listDeliveries({ params: { id: await webhook() } }),
  },
  getDelivery: {
    expect: managers(200),
    call: async (c, { webhook, admin }) => {
      const id = await webhook()
      const delivery = await admin.testWebhook({ params: { id } })
      return c.getDelivery({ params: { id, delivery_id: delivery.id } })
    },
  },
  // It is queued still.
  resendDelivery: {
    expect: managers(409),
    call: async (c, { webhook, admin }) => {
      const id = await webhook()
      const delivery = await admin.testWebhook({ params: { id } })
      return c.resendDelivery({ params: { id, delivery_id: delivery.id } })
    },
  },
  listAudit: { expect: managers(200), call: (c) => c.listAudit() },
  getAuditRecord: {
    expect: managers(200),
    call: async (c, { admin }) => {
      const { items } = await admin.listAudit({ query: { page_size: 1 } })
      return c.getAuditRecord({ params: { id: items[0]?.id ?? '' } })
    },
  },
  exportAudit: { expect: managers(200), call: async (c) => (await c.exportAudit()).text() },
  verifyAudit: { expect: managers(200), call: (c) => c.verifyAudit() },
  healthz: { expect: everyone(200), call: (c) => c.healthz() },
  readyz: { expect: everyone(200), call: (c) => c.readyz() },
  // From this machine; tests/observe/metrics.test.ts has the others.
  metrics: { expect: everyone(200), call: (c) => c.metrics() },
}

describeOnce('who may call what', (engine) => {
  let server: TestServer
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
  })
  after(() => server.stop())

  async function addPerson(one: Who, login: () => Promise<string>): Promise<void> {
    const token = await login()
    const pat = await server.as(token).createToken({ body: { name: 'table' } })
    people.set(one, { login, token, pat: pat.token })
  }

  function making(one: Who, byToken: boolean): Made {
    const { admin } = server
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
        await admin.putObject({ params: { name: BUCKET, key }, body: 'x' })
        return key
      },
      trashed: async () => {
        const key = `docs/${newId()}`
        await admin.putObject({ params: { name: BUCKET, key }, body: 'x' })
        await admin.deleteObject({ params: { name: BUCKET, key } })
        return (await admin.listTrash({ params, query: { limit: 1 } })).items[0]?.id ?? ''
      },
      bucket: async () => (await admin.createBucket({ body: { name: `table-${newId().slice(-12)}` } })).name,
      upload: async () =>
        (await admin.initUpload({ params, body: { key: `docs/${newId()}`, file_size: 1 } })).upload_id,
      job: async () =>
        (await admin.createJob({ body: { kind: 'delete', source_bucket: BUCKET, prefix: 'docs/none/' } })).id,
      policy: async () => (await admin.createPolicy({ body: { name: 'made', ...cleanup } })).id,
      run: async () => {
        const { id } = await admin.createPolicy({ body: { name: 'made', ...cleanup } })
        return { id, run_id: (await admin.runPolicy({ params: { id }, query: { dry_run: true } })).id }
      },
      share: async () => (await admin.shareObject({ params: image })).id,
      webhook: async () =>
        (await admin.createWebhook({ body: { name: 'Made', url: 'https://8.8.8.8/', events: ['ping'] } })).id,
      token: async () => (one === 'anonymous' ? newId() : (await theirs().createToken({ body: { name: 'made' } })).id),
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
      for (const byToken of [false, true])
        for (const [i, one] of who.entries()) {
          if (byToken && one === 'anonymous') continue
          const person = people.get(one)
          const client = server.as(byToken ? person?.pat : person?.token)
          const expected = (byToken ? (entry.byToken ?? entry.expect) : entry.expect)[i]
          const status = await statusOf(api[name], entry.call(client, making(one, byToken)))
          assert.equal(status, expected, `${one}${byToken ? ' by token' : ''}`)
        }
    })
})

/** Someone with a group of their own, so that anything of theirs can be taken away. */
interface Person {
  id: string
  group: string
  token: string
  pat: string
}
type End =
  | 'session ended'
  | 'sessions closed'
  | 'token revoked'
  | 'disabled'
  | 'grant taken'
  | 'emptied'
  | 'group deleted'
type LinkEnd =
  | 'revoked'
  | 'expired'
  | 'another password'
  | 'maker disabled'
  | 'maker may not write'
  | 'maker may not share'

describeEngines('access revoked while a request is under way', (engine, itOnce) => {
  let server: TestServer
  let count = 0
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(() => server.stop())

  const person = async (grants = [...bucketActions]): Promise<Person> => {
    const n = ++count
    const [email, password] = [`under-way-${n}@example.com`, `password of ${n}`]
    const { admin } = server
    const group = await admin.createGroup({
      body: { name: `Under way ${n}`, grants: [{ bucket_pattern: BUCKET, actions: grants }] },
    })
    const user = await admin.createUser({
      body: { email, display_name: `Under way ${n}`, password, group_ids: [group.id] },
    })
    const token = await server.login(email, password)
    const pat = await server.as(token).createToken({ body: { name: 'under way' } })
    return { id: user.id, group: group.id, token, pat: pat.token }
  }

  const ends: Record<End, { recorded: ActionName; run(one: Person): Promise<unknown> }> = {
    'session ended': { recorded: 'logout', run: ({ token }) => server.as(token).logout() },
    'sessions closed': { recorded: 'logout', run: ({ id }) => server.admin.endUserSessions({ params: { id } }) },
    'token revoked': {
      recorded: 'token_revoke',
      run: async ({ token }) => {
        const { items } = await server.as(token).listTokens()
        await server.as(token).revokeToken({ params: { id: items[0]?.id ?? '' } })
      },
    },
    disabled: {
      recorded: 'user_update',
      run: ({ id }) => server.admin.updateUser({ params: { id }, body: { is_active: false } }),
    },
    'grant taken': {
      recorded: 'group_update',
      run: ({ group }) => server.admin.updateGroup({ params: { id: group }, body: { grants: [] } }),
    },
    emptied: {
      recorded: 'group_update',
      run: ({ group }) => server.admin.replaceMembers({ params: { id: group }, body: { user_ids: [] } }),
    },
    'group deleted': {
      recorded: 'group_delete',
      run: ({ group }) => server.admin.deleteGroup({ params: { id: group }, query: { force: true } }),
    },
  }
  const ofCredential: readonly End[] = ['session ended', 'sessions closed', 'token revoked']
  const ofRights: readonly End[] = ['disabled', 'grant taken', 'emptied', 'group deleted']

  /** What is stored, counted and visible of the bucket. */
  const state = async () => ({
    keys: (await server.admin.listObjects({ params })).items.map(({ key, etag }) => [key, etag]),
    usage: await server.admin.getBucket({ params }),
    stored: await server.stored(),
  })

  /** The rest of a request comes after the end of what let it in: it is refused and leaves nothing. */
  async function refused(
    what: string,
    request: HalfSent,
    { status, code }: { status: number; code: string },
    { recorded, run }: { recorded: readonly Seen[]; run(): Promise<unknown> },
  ): Promise<void> {
    const before = await state()
    const answer = await server.records(recorded, () => halfSent(server.url, request, run))
    assert.deepEqual(answer, { status, code }, what)
    assert.deepEqual(await state(), before, what)
  }

  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const formType = { 'Content-Type': 'multipart/form-data; boundary=cut' }
  const formOf = (name: string) =>
    `--cut\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${'x'.repeat(200)}\r\n--cut--\r\n`
  const objects = `/api/v1/buckets/${BUCKET}/objects`

  const doors: Record<string, (token: string, key: string) => HalfSent> = {
    putObject: (token, key) => ({ line: `PUT ${objects}/${key}`, headers: bearer(token), body: 'half and half' }),
    putObjectByQuery: (token, key) => ({
      line: `PUT /api/v1/buckets/${BUCKET}/object?key=${key}`,
      headers: bearer(token),
      body: 'half and half',
    }),
    uploadForm: (token, key) => ({
      line: `POST ${objects}?prefix=form/`,
      headers: { ...bearer(token), ...formType },
      body: formOf(key),
    }),
  }
  for (const [door, make] of Object.entries(doors))
    for (const by of ['session', 'token'] as const)
      (door === 'putObject' ? it : itOnce)(`${door} by a ${by}`, async () => {
        const others = ofCredential.filter((end) => (end === 'token revoked') === (by === 'token'))
        for (const end of [...others, ...ofRights]) {
          const one = await person()
          const key = `key-${count}`
          const { recorded, run } = ends[end]
          const unknown = ofCredential.includes(end) || end === 'disabled'
          const denied: readonly Seen[] = unknown ? [] : [{ action: 'access_denied', result: 'denied' }]
          await refused(
            end,
            make(by === 'session' ? one.token : one.pat, key),
            unknown ? { status: 401, code: 'unauthenticated' } : { status: 403, code: 'forbidden' },
            { recorded: [{ action: recorded }, ...denied], run: () => run(one) },
          )
        }
      })

  const pathTo = (url: string) => url.slice(new URL(url).origin.length)
  const byUrl: Record<string, (client: Client, key: string) => Promise<HalfSent>> = {
    putSigned: async (client, key) => {
      const { url } = await client.presignObject({ params, body: { key, method: 'PUT' } })
      return { line: `PUT ${pathTo(url)}`, body: 'half and half' }
    },
    putPart: async (client, key) => {
      const { urls } = await client.initUpload({ params, body: { key, file_size: 13 } })
      return { line: `PUT ${pathTo(urls[0] ?? '')}`, body: 'half and half' }
    },
    'putPart of an unknown size': async (client, key) => {
      const { urls } = await client.initUpload({ params, body: { key } })
      return { line: `PUT ${pathTo(urls[0] ?? '')}`, body: 'half and half' }
    },
  }
  for (const [door, make] of Object.entries(byUrl))
    itOnce(door, async () => {
      for (const end of ['token revoked', ...ofRights] as const) {
        const one = await person()
        const { recorded, run } = ends[end]
        const request = await make(server.as(one.pat), `key-${count}`)
        const problem = { status: 403, code: 'forbidden' }
        await refused(end, request, problem, { recorded: [{ action: recorded }], run: () => run(one) })
      }
    })

  it('receiveThroughShare', async () => {
    const { admin } = server
    const changes: Record<LinkEnd, { recorded: ActionName; run(one: Person, id: string): Promise<unknown> }> = {
      revoked: { recorded: 'share_revoke', run: (_, id) => admin.revokeShare({ params: { id } }) },
      expired: { recorded: 'login', run: () => server.later(3600_000) },
      'another password': {
        recorded: 'share_update',
        run: (_, id) => admin.updateShare({ params: { id }, body: { password: 'another one' } }),
      },
      'maker disabled': { recorded: 'user_update', run: (one) => ends.disabled.run(one) },
      'maker may not write': {
        recorded: 'group_update',
        run: ({ group }) =>
          admin.updateGroup({
            params: { id: group },
            body: { grants: [{ bucket_pattern: BUCKET, actions: ['read', 'share'] }] },
          }),
      },
      'maker may not share': {
        recorded: 'group_update',
        run: ({ group }) =>
          admin.updateGroup({
            params: { id: group },
            body: { grants: [{ bucket_pattern: BUCKET, actions: ['read', 'write'] }] },
          }),
      },
    }
    for (const [end, { recorded, run }] of Object.entries(changes)) {
      const one = await person()
      const link = await server.as(one.token).createShare({
        body: { kind: 'upload', bucket: BUCKET, prefix: 'inbox/', expires_in: '1h', password: 'the password' },
      })
      const headers = { 'X-Share-Password': 'the password' }
      const request = { line: `PUT /public/s/${link.token}/file-${count}`, headers, body: 'half and half' }
      await refused(
        end,
        request,
        end === 'another password' ? { status: 401, code: 'unauthenticated' } : { status: 410, code: 'gone' },
        {
          recorded: [{ action: recorded, ...(recorded.startsWith('share_') ? { bucket: BUCKET } : {}) }],
          run: () => run(one, link.id),
        },
      )
    }
  })

  itOnce('every body that is held in memory: the caller is looked at again once it is there', async () => {
    for (const [name, route] of Object.entries(api) as [OperationName, RouteSpec][]) {
      if (!route.body || route.access === 'public' || ['bytes', 'multipart'].includes(route.consumes ?? 'json'))
        continue
      const path = `/api/v1${route.url.replaceAll(/\{\+?\w+\}/g, 'x')}`
      const token = await server.login('admin@example.com', 'correct horse battery')
      const headers = { ...bearer(token), 'Content-Type': 'application/json' }
      const line = `${route.method} ${path}`
      const answer = await server.records([{ action: 'logout' }], () =>
        halfSent(server.url, { line, headers, body: '{"a": 1}' }, () => server.as(token).logout()),
      )
      assert.deepEqual(answer, { status: 401, code: 'unauthenticated' }, name)
    }
    const one = await person(['list', 'read'])
    const headers = { ...bearer(one.token), 'Content-Type': 'application/json' }
    const body = JSON.stringify({ key: KEY })
    const request = { line: `POST ${objects}/presign`, headers, body }
    const recorded: readonly Seen[] = [{ action: 'group_delete' }, { action: 'access_denied', result: 'denied' }]
    await refused(
      'group deleted',
      request,
      { status: 403, code: 'forbidden' },
      {
        recorded,
        run: () => ends['group deleted'].run(one),
      },
    )
  })

  it('what waits for the bucket', { skip: engine === 'sqlite' && 'SQLite has one writer at a time' }, async () => {
    for (const end of ['session ended', 'grant taken'] as const) {
      const one = await person()
      const client = server.as(one.token)
      const { upload_id, urls } = await client.initUpload({ params, body: { key: `parts-${count}`, file_size: 1 } })
      const part = await request({ url: server.url, path: pathTo(urls[0] ?? ''), method: 'PUT', body: 'x' })
      const parts = [{ part_number: 1, etag: String(part.headers.etag) }]
      const problem = end === 'session ended' ? { status: 401 } : { status: 403 }
      const stays = `stays-${count}`
      await client.putObject({ params: { ...params, key: stays }, body: 'x' })
      await client.putObject({ params: { ...params, key: `gone-${count}` }, body: 'x' })
      await client.deleteObject({ params: { ...params, key: `gone-${count}` } })
      const gone = (await client.listTrash({ params })).items.find(({ key }) => key === `gone-${count}`)?.id ?? ''
      const calls = await server.database.transaction(async (tx) => {
        await tx.selectFrom('buckets').select('id').where('name', '=', BUCKET).forUpdate().execute()
        const waiting = [
          client.putObject({ params: { ...params, key: `waits-${count}` }, body: 'x' }),
          client.completeUpload({ params, body: { upload_id, parts } }),
          client.deleteObject({ params: { ...params, key: stays } }),
          client.updateObject({ params: { ...params, key: stays }, body: { content_type: 'text/x-new' } }),
          client.copyObject({ params, body: { source_bucket: BUCKET, source_key: stays, dest_key: 'copied' } }),
          client.restoreTrash({ params, body: { ids: [gone] } }),
        ].map((call) =>
          call.then(
            () => ({ status: 200 }),
            ({ status }: ProblemError) => ({ status }),
          ),
        )
        const blocked = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        const look = sql`select pg_stat_clear_snapshot()`
        await until(
          async () => (await look.execute(tx)) && ((await blocked.execute(tx)).rows[0]?.n ?? 0) >= waiting.length,
        )
        await ends[end].run(one)
        return { waiting }
      })
      for (const call of calls.waiting) assert.deepEqual(await call, problem, end)
    }
  })
})
