import type { Client } from '../../client/derived.ts'
import type { OperationName } from '../../contract/index.ts'
import { newId } from '../../server/base/id.ts'
import { identities } from './access-identities.ts'

export const BUCKET = 'table-b'

export const KEY = 'docs/a.txt'

export const who = ['anonymous', 'no group', 'wrong bucket', 'wrong prefix', 'right', 'admin'] as const

/** Statuses for each of `who`. */
export type Expected = readonly [number, number, number, number, number, number]

export interface Made {
  admin: Client
  /** Something of the admin's, new for each call. */
  user(): Promise<string>
  group(): Promise<string>
  object(): Promise<string>
  trashed(): Promise<string>
  bucket(): Promise<string>
  snapshot(): Promise<string>
  upload(): Promise<string>
  job(): Promise<string>
  share(): Promise<string>
  policy(): Promise<string>
  run(): Promise<{ id: string; run_id: string }>
  inventory(): Promise<string>
  inventoryRun(): Promise<{ id: string; run_id: string }>
  webhook(): Promise<string>
  /** A token of the one who is to call. */
  token(): Promise<string>
  /** An access key of the one who is to call. */
  accessKey(): Promise<string>
  /** An agent of the one who is to call. */
  agent(): Promise<string>
  /** A session of the one who is to call, other than the one they call with. */
  session(): Promise<string>
  /** A new session's access token of theirs. */
  login(): Promise<string>
  as(token: string): Client
  byToken: boolean
}

export interface Entry {
  expect: Expected
  /** With a personal access token, where that differs. */
  byToken?: Expected
  /** With a token that has a scope, where that differs from one without. */
  byScope?: Expected
  call(client: Client, made: Made): Promise<unknown>
}

export const everyone = (status: number): Expected => [status, status, status, status, status, status]

export const signedIn = (status: number): Expected => [401, status, status, status, status, status]

export const managers = (status: number): Expected => [401, 403, 403, 403, 403, status]

/** Anything in the bucket is enough. */
export const insider = (status: number): Expected => [401, 403, 403, status, status, status]

export const holder = (status: number): Expected => [401, 403, 403, 403, status, status]

/** The same for things that callers with permissions elsewhere in the bucket cannot see. */
export const unseen = (status: number): Expected => [401, 403, 403, 404, status, status]

/** What others do not get to know of. */
export const hidden = (status: number): Expected => [401, 404, 404, 404, status, status]

export const params = { bucket: BUCKET }

/** Of nobody. */
const proof = { current_password: 'wrong one' }

/** Of no device. */
const somePasskey: Parameters<Client['passkeyLogin']>[0]['body']['passkey'] = {
  id: 'x',
  rawId: 'x',
  type: 'public-key',
  response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x', userHandle: 'x' },
}

const NO_ID = '00000000-0000-7000-8000-000000000000'

export const cleanup = { bucket_patterns: [BUCKET], prefix: 'docs/none/', older_than_days: 1 }

/** Of what is under a prefix, written below it. */
export const inventory = { bucket: BUCKET, prefix: 'docs/none/', destination: { bucket: BUCKET, prefix: 'docs/none/' } }

export const byKey = { bucket: BUCKET, key: KEY }

export const image = { bucket: BUCKET, key: KEY }

export const agent: Parameters<Client['createAgent']>[0]['body'] = {
  name: 'made',
  scope: [{ bucket: BUCKET, actions: ['list'] }],
}

export const unknownLink = { token: 'x' }
const unknownUpload = { upload: 'x' }

export const form = () => {
  const data = new FormData()
  data.append('file', new Blob(['x']), 'form.txt')
  return data
}

/** Every operation of the API: TypeScript and the first test refuse one that is missing. */
export const table: Record<OperationName, Entry> = {
  ...identities,
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
  readInvitation: { expect: everyone(410), call: (c) => c.readInvitation({ body: { token: newId() } }) },
  acceptInvitation: {
    expect: everyone(410),
    call: (c) => c.acceptInvitation({ body: { token: newId(), password: 'long enough' } }),
  },
  beginPasskeyLogin: { expect: everyone(409), call: (c) => c.beginPasskeyLogin() },
  passkeyLogin: {
    expect: everyone(409),
    call: (c) => c.passkeyLogin({ body: { challenge: 'x', passkey: somePasskey } }),
  },
  requestPasswordReset: {
    expect: everyone(409),
    call: (c) => c.requestPasswordReset({ body: { email: 'x@example.com' } }),
  },
  readPasswordReset: { expect: everyone(410), call: (c) => c.readPasswordReset({ body: { token: newId() } }) },
  resetPassword: {
    expect: everyone(410),
    call: (c) => c.resetPassword({ body: { token: newId(), password: 'long enough' } }),
  },
  idpLogin: { expect: everyone(403), call: (c) => c.idpLogin() },
  idpCallback: { expect: everyone(403), call: (c) => c.idpCallback({ query: { code: 'x', state: 'x' } }) },
  idpCallbackPost: { expect: everyone(403), call: (c) => c.idpCallbackPost({ body: { code: 'x', state: 'x' } }) },
  redeemHandoff: { expect: everyone(400), call: (c) => c.redeemHandoff({ body: { code: 'x' } }) },
  updateMe: { expect: signedIn(200), call: (c) => c.updateMe({ body: { language: null } }) },
  changePassword: {
    expect: signedIn(422),
    call: (c) => c.changePassword({ body: { current_password: 'wrong one', new_password: 'another one' } }),
  },
  listSessions: { expect: signedIn(200), call: (c) => c.listSessions() },
  endSession: {
    expect: signedIn(204),
    call: async (c, { session }) => c.endSession({ params: { id: await session() } }),
  },
  verifyLogin: { expect: everyone(400), call: (c) => c.verifyLogin({ body: { challenge: 'x', otp: '123456' } }) },
  replaceExpiredPassword: {
    expect: everyone(400),
    call: (c) => c.replaceExpiredPassword({ body: { challenge: 'x', new_password: 'long enough' } }),
  },
  beginLoginEnrollment: {
    expect: everyone(400),
    call: (c) => c.beginLoginEnrollment({ body: { challenge: 'x', kind: 'totp' } }),
  },
  finishLoginEnrollment: {
    expect: everyone(400),
    call: (c) => c.finishLoginEnrollment({ body: { challenge: 'x', otp: '123456' } }),
  },
  listSecondFactors: { expect: signedIn(200), call: (c) => c.listSecondFactors() },
  challengeSecondFactor: { expect: signedIn(409), call: (c) => c.challengeSecondFactor() },
  beginSecondFactor: { expect: signedIn(200), call: (c) => c.beginSecondFactor({ body: { kind: 'totp' } }) },
  addSecondFactor: {
    expect: signedIn(400),
    call: (c) => c.addSecondFactor({ body: { challenge: 'x', otp: '123456', proof } }),
  },
  renameSecondFactor: {
    expect: signedIn(404),
    call: (c) => c.renameSecondFactor({ params: { id: NO_ID }, body: { name: 'x' } }),
  },
  removeSecondFactor: {
    expect: signedIn(404),
    call: (c) => c.removeSecondFactor({ params: { id: NO_ID }, body: { proof } }),
  },
  createRecoveryCodes: { expect: signedIn(409), call: (c) => c.createRecoveryCodes({ body: { proof } }) },
  resetSecondFactors: {
    expect: managers(204),
    call: async (c, { user }) => c.resetSecondFactors({ params: { id: await user() } }),
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
  createAccessKey: { expect: signedIn(201), call: (c) => c.createAccessKey({ body: { name: 'x', expires_in: 60 } }) },
  listAccessKeys: { expect: signedIn(200), call: (c) => c.listAccessKeys() },
  revokeAccessKey: {
    expect: signedIn(204),
    call: async (c, { accessKey }) => c.revokeAccessKey({ params: { id: await accessKey() } }),
  },
  rotateAccessKey: {
    expect: signedIn(201),
    call: async (c, { accessKey }) => c.rotateAccessKey({ params: { id: await accessKey() }, body: {} }),
  },
  listUserAccessKeys: {
    expect: managers(200),
    call: async (c, { user }) => c.listUserAccessKeys({ params: { id: await user() } }),
  },
  listMachineSessions: { expect: managers(200), call: (c) => c.listMachineSessions() },
  endMachineSessions: { expect: managers(200), call: (c) => c.endMachineSessions({ query: {} }) },
  createAgent: { expect: signedIn(201), call: (c) => c.createAgent({ body: agent }) },
  listAgents: { expect: signedIn(200), call: (c) => c.listAgents() },
  // None of them is one.
  getOwnAgent: { expect: signedIn(404), call: (c) => c.getOwnAgent() },
  getAgent: { expect: signedIn(200), call: async (c, made) => c.getAgent({ params: { id: await made.agent() } }) },
  updateAgent: {
    expect: signedIn(200),
    call: async (c, made) => c.updateAgent({ params: { id: await made.agent() }, body: { name: 'x' } }),
  },
  revokeAgent: {
    expect: signedIn(204),
    call: async (c, made) => c.revokeAgent({ params: { id: await made.agent() } }),
  },
  listApprovals: { expect: signedIn(200), call: (c) => c.listApprovals() },
  getApproval: { expect: signedIn(404), call: (c) => c.getApproval({ params: { id: NO_ID } }) },
  approve: { expect: signedIn(404), call: (c) => c.approve({ params: { id: NO_ID } }) },
  reject: { expect: signedIn(404), call: (c) => c.reject({ params: { id: NO_ID } }) },
  // A session and a token without a scope are refused; all bodies are read before that is known.
  callMcp: {
    expect: signedIn(403),
    byScope: signedIn(200),
    call: (c) =>
      c.callMcp({
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { accept: 'application/json, text/event-stream' },
      }),
  },
  getMcpResource: { expect: everyone(200), call: (c) => c.getMcpResource() },
  getMcpResourceAtRoot: { expect: everyone(200), call: (c) => c.getMcpResourceAtRoot() },
  getAuthorizationServer: { expect: everyone(200), call: (c) => c.getAuthorizationServer() },
  registerClient: {
    expect: everyone(400),
    call: (c) => c.registerClient({ body: { redirect_uris: ['http://example.com/'] } }),
  },
  beginAuthorization: { expect: everyone(400), call: (c) => c.beginAuthorization({ query: {} }) },
  readAuthorization: { expect: signedIn(410), call: (c) => c.readAuthorization({ body: { request: 'x' } }) },
  // Tokens are refused before the request is looked at.
  approveAuthorization: {
    expect: signedIn(410),
    byToken: signedIn(403),
    call: (c) => c.approveAuthorization({ body: { request: 'x', ...agent } }),
  },
  exchangeToken: { expect: everyone(400), call: (c) => c.exchangeToken({ body: {} }) },
  revokeOauthToken: { expect: everyone(400), call: (c) => c.revokeOauthToken({ body: {} }) },
  createBucket: { expect: holder(201), call: (c) => c.createBucket({ body: { name: `table-${newId().slice(-12)}` } }) },
  listBuckets: { expect: signedIn(200), call: (c) => c.listBuckets() },
  getBucket: { expect: insider(200), call: (c) => c.getBucket({ params }) },
  listBucketAccess: { expect: holder(200), call: (c) => c.listBucketAccess({ params, query: { key: KEY } }) },
  listOtherBucketAccess: { expect: holder(200), call: (c) => c.listOtherBucketAccess({ params, query: {} }) },
  updateBucket: { expect: holder(200), call: (c) => c.updateBucket({ params, body: { trash_days: 7 } }) },
  deleteBucket: {
    expect: holder(204),
    call: async (c, { bucket }) => c.deleteBucket({ params: { bucket: await bucket() } }),
  },
  usage: { expect: signedIn(200), call: (c) => c.usage() },
  usageHistory: { expect: holder(200), call: (c) => c.usageHistory({ query: { bucket: BUCKET } }) },
  usageTypes: { expect: holder(200), call: (c) => c.usageTypes({ query: { bucket: BUCKET } }) },
  browse: { expect: holder(200), call: (c) => c.browse({ params, query: { prefix: 'docs/' } }) },
  listObjects: { expect: holder(200), call: (c) => c.listObjects({ params, query: { prefix: 'docs/' } }) },
  countObjects: { expect: holder(200), call: (c) => c.countObjects({ params, query: { prefix: 'docs/' } }) },
  sizeFolders: { expect: holder(200), call: (c) => c.sizeFolders({ params, body: { prefixes: ['docs/'] } }) },
  listChanges: {
    expect: holder(200),
    call: async (c, { admin }) => {
      const { created_at: from } = await admin.getBucket({ params })
      return c.listChanges({ params, query: { from, prefix: 'docs/' } })
    },
  },
  listForkChanges: {
    expect: holder(409),
    call: (c) => c.listForkChanges({ params, query: { prefix: 'docs/' } }),
  },
  searchObjects: {
    expect: holder(200),
    call: (c) => c.searchObjects({ params, query: { prefix: 'docs/', search: 'a' } }),
  },
  searchEverywhere: { expect: signedIn(200), call: (c) => c.searchEverywhere({ query: { q: 'a' } }) },
  exportSearch: {
    expect: insider(200),
    call: async (c) => (await c.exportSearch({ query: { q: 'a', bucket: BUCKET } })).text(),
  },
  suggestSearch: {
    expect: insider(200),
    call: (c) => c.suggestSearch({ query: { field: 'tag', bucket: BUCKET } }),
  },
  uploadForm: { expect: holder(201), call: (c) => c.uploadForm({ params, query: { prefix: 'docs/' }, body: form() }) },
  putObject: {
    expect: holder(201),
    call: (c) => c.putObject({ params: { ...byKey, key: `docs/${newId()}` }, body: 'x' }),
  },
  getObject: { expect: holder(200), call: (c) => c.getObject({ params: byKey }) },
  headObject: { expect: holder(200), call: (c) => c.headObject({ params: byKey }) },
  deleteObject: {
    expect: holder(204),
    call: async (c, { object }) => c.deleteObject({ params: { bucket: BUCKET, key: await object() } }),
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
  getSignedFile: { expect: everyone(403), call: (c) => c.getSignedFile({ params: { token: 'x.y.z', name: 'a.pdf' } }) },
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
  bulkShare: { expect: insider(200), call: (c) => c.bulkShare({ params, body: { keys: [KEY] } }) },
  bulkUnshare: {
    expect: insider(200),
    call: async (c, { share }) => c.bulkUnshare({ params, body: { ids: [await share()] } }),
  },
  listShares: { expect: signedIn(200), call: (c) => c.listShares() },
  updateShare: {
    expect: [401, 404, 404, 404, 404, 200],
    call: async (c, { share }) => c.updateShare({ params: { id: await share() }, body: { max_downloads: 3 } }),
  },
  getShareLink: {
    expect: [401, 404, 404, 404, 404, 200],
    call: async (c, { share }) => c.getShareLink({ params: { id: await share() } }),
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
  archiveShare: { expect: everyone(410), call: (c) => c.archiveShare({ params: unknownLink, body: { path: KEY } }) },
  archiveShareAtRoot: {
    expect: everyone(410),
    call: (c) => c.archiveShareAtRoot({ params: unknownLink, body: { path: KEY } }),
  },
  beginSharedUpload: {
    expect: everyone(410),
    call: (c) => c.beginSharedUpload({ params: unknownLink, body: { name: KEY, size: 1 } }),
  },
  getSharedUpload: { expect: everyone(404), call: (c) => c.getSharedUpload({ params: unknownUpload }) },
  putSharedPart: {
    expect: everyone(404),
    call: (c) => c.putSharedPart({ params: { ...unknownUpload, part_number: 1 }, body: 'x' }),
  },
  completeSharedUpload: { expect: everyone(404), call: (c) => c.completeSharedUpload({ params: unknownUpload }) },
  abortSharedUpload: { expect: everyone(404), call: (c) => c.abortSharedUpload({ params: unknownUpload }) },
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
  // A dry run has deleted nothing.
  restorePolicyRun: {
    expect: hidden(410),
    call: async (c, { run }) => c.restorePolicyRun({ params: await run(), body: { bucket: BUCKET } }),
  },
  explainPolicies: { expect: holder(200), call: (c) => c.explainPolicies({ params, query: { key: KEY } }) },
  listVersions: { expect: holder(200), call: (c) => c.listVersions({ params, query: { prefix: 'docs/' } }) },
  listDeleted: { expect: holder(200), call: (c) => c.listDeleted({ params, query: { prefix: 'docs/' } }) },
  createInventory: {
    expect: holder(201),
    call: (c) => c.createInventory({ body: { name: newId(), ...inventory } }),
  },
  listInventories: { expect: signedIn(200), call: (c) => c.listInventories() },
  getInventory: {
    expect: hidden(200),
    call: async (c, { inventory: made }) => c.getInventory({ params: { id: await made() } }),
  },
  updateInventory: {
    expect: hidden(200),
    call: async (c, { inventory: made }) => c.updateInventory({ params: { id: await made() }, body: { hour: 2 } }),
  },
  deleteInventory: {
    expect: hidden(204),
    call: async (c, { inventory: made }) => c.deleteInventory({ params: { id: await made() } }),
  },
  runInventory: {
    expect: hidden(202),
    call: async (c, { inventory: made }) => c.runInventory({ params: { id: await made() } }),
  },
  listInventoryRuns: {
    expect: hidden(200),
    call: async (c, { inventory: made }) => c.listInventoryRuns({ params: { id: await made() } }),
  },
  getInventoryRun: {
    expect: hidden(200),
    call: async (c, { inventoryRun }) => c.getInventoryRun({ params: await inventoryRun() }),
  },
  cancelInventoryRun: {
    expect: hidden(200),
    call: async (c, { inventoryRun }) => c.cancelInventoryRun({ params: await inventoryRun() }),
  },
  createSnapshot: {
    expect: holder(201),
    call: (c) => c.createSnapshot({ params, body: { name: `s-${newId()}`, expires_at: '2999-01-01T00:00:00.000Z' } }),
  },
  listSnapshots: { expect: insider(200), call: (c) => c.listSnapshots({ params }) },
  getSnapshot: { expect: insider(404), call: (c) => c.getSnapshot({ params: { ...params, name: 'none' } }) },
  deleteSnapshot: {
    expect: holder(204),
    call: async (c, { snapshot }) => c.deleteSnapshot({ params: { ...params, name: await snapshot() } }),
  },
  // The object's only version is the current one.
  restoreVersion: {
    expect: holder(409),
    call: (c) => c.restoreVersion({ params, body: { key: KEY, version_id: 'null' } }),
  },
  // Nothing can be locked in the bucket.
  lockObject: {
    expect: holder(409),
    call: (c) => c.lockObject({ params, body: { key: KEY, mode: null, until: null } }),
  },
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
  inviteUser: { expect: managers(201), call: async (c, { user }) => c.inviteUser({ params: { id: await user() } }) },
  revokeInvitation: {
    expect: managers(204),
    call: async (c, { admin, user }) => {
      const params = { id: await user() }
      await admin.inviteUser({ params })
      return c.revokeInvitation({ params })
    },
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
  setLogo: { expect: managers(415), call: (c) => c.setLogo({ body: new Uint8Array([1]) }) },
  deleteLogo: { expect: managers(404), call: (c) => c.deleteLogo() },
  getLogo: { expect: everyone(404), call: (c) => c.getLogo() },
  listMails: { expect: managers(200), call: (c) => c.listMails() },
  testMail: { expect: managers(409), call: (c) => c.testMail() },
  apply: { expect: managers(200), call: (c) => c.apply({ body: { configuration: {} } }) },
  exportConfiguration: { expect: managers(200), call: (c) => c.exportConfiguration() },
  listStorages: { expect: managers(200), call: (c) => c.listStorages() },
  createStorage: {
    expect: managers(409),
    call: (c) => c.createStorage({ body: { name: 'away', bucket: 'away', endpoint: 'http://127.0.0.1:1' } }),
  },
  testNewStorage: {
    expect: managers(200),
    call: (c) => c.testNewStorage({ body: { bucket: 'away', endpoint: 'http://127.0.0.1:1' } }),
  },
  getStorage: { expect: managers(200), call: (c) => c.getStorage({ params: { storage: 'default' } }) },
  updateStorage: {
    expect: managers(409),
    call: (c) => c.updateStorage({ params: { storage: 'default' }, body: { enabled: false } }),
  },
  listReplications: { expect: managers(200), call: (c) => c.listReplications() },
  getBucketPolicy: { expect: holder(200), call: (c) => c.getBucketPolicy({ params }) },
  putBucketPolicy: {
    expect: holder(422),
    call: (c) => c.putBucketPolicy({ params, body: { document: '{}' } }),
  },
  deleteBucketPolicy: { expect: holder(204), call: (c) => c.deleteBucketPolicy({ params }) },
  describePolicy: {
    expect: holder(200),
    call: (c) => c.describePolicy({ body: { kind: 'bucket', bucket: BUCKET, document: '{}' } }),
  },
  simulatePermission: {
    expect: managers(404),
    call: (c) =>
      c.simulatePermission({
        body: { who: { user_id: NO_ID }, action: 's3:GetObject', bucket: BUCKET, key: KEY },
      }),
  },
  getReplication: { expect: holder(404), call: (c) => c.getReplication({ params: { bucket: BUCKET } }) },
  setReplication: {
    expect: managers(404),
    call: (c) => c.setReplication({ params: { bucket: BUCKET }, body: { storage: 'none' } }),
  },
  deleteReplication: { expect: managers(404), call: (c) => c.deleteReplication({ params: { bucket: BUCKET } }) },
  pauseReplication: { expect: managers(404), call: (c) => c.pauseReplication({ params: { bucket: BUCKET } }) },
  resumeReplication: { expect: managers(404), call: (c) => c.resumeReplication({ params: { bucket: BUCKET } }) },
  listReplicationFailures: {
    expect: holder(404),
    call: (c) => c.listReplicationFailures({ params: { bucket: BUCKET } }),
  },
  verifyReplication: {
    expect: managers(404),
    call: (c) => c.verifyReplication({ params: { bucket: BUCKET }, body: {} }),
  },
  failoverStorage: {
    expect: managers(409),
    call: (c) => c.failoverStorage({ params: { storage: 'default' }, body: {} }),
  },
  deleteStorage: { expect: managers(409), call: (c) => c.deleteStorage({ params: { storage: 'default' } }) },
  testStorage: { expect: managers(200), call: (c) => c.testStorage({ params: { storage: 'default' } }) },
  listKmsKeys: { expect: managers(200), call: (c) => c.listKmsKeys() },
  createKmsKey: {
    expect: managers(422),
    call: (c) => c.createKmsKey({ body: { name: 'away', kind: 'transit', key_id: 'one' } }),
  },
  updateKmsKey: {
    expect: managers(404),
    call: (c) => c.updateKmsKey({ params: { key: 'none' }, body: { enabled: false } }),
  },
  deleteKmsKey: { expect: managers(404), call: (c) => c.deleteKmsKey({ params: { key: 'none' } }) },
  getStorageHealth: { expect: managers(200), call: (c) => c.getStorageHealth({ params: { storage: 'default' } }) },
  createEventsToken: { expect: managers(409), call: (c) => c.createEventsToken({ params: { storage: 'default' } }) },
  deleteEventsToken: { expect: managers(404), call: (c) => c.deleteEventsToken({ params: { storage: 'default' } }) },
  receiveEvents: {
    expect: everyone(401),
    call: (c) => c.receiveEvents({ params: { storage: 'default' }, query: { token: 'x' }, body: {} }),
  },
  startScan: { expect: holder(409), call: (c) => c.startScan({ params }) },
  listScans: { expect: holder(409), call: (c) => c.listScans({ params }) },
  getScan: { expect: signedIn(404), call: (c) => c.getScan({ params: { scan: NO_ID } }) },
  listAbsences: { expect: signedIn(404), call: (c) => c.listAbsences({ params: { scan: NO_ID } }) },
  confirmScan: { expect: managers(404), call: (c) => c.confirmScan({ params: { scan: NO_ID } }) },
  takeOverBucket: { expect: managers(409), call: (c) => c.takeOverBucket({ params }) },
  listFindings: { expect: holder(409), call: (c) => c.listFindings({ params }) },
  releaseBucket: { expect: managers(409), call: (c) => c.releaseBucket({ params }) },
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
  resendDelivery: {
    expect: managers(202),
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
  getAttention: { expect: signedIn(200), call: (c) => c.getAttention() },
  getClock: { expect: managers(200), call: (c) => c.getClock() },
  listDisks: { expect: managers(200), call: (c) => c.listDisks() },
  getBackup: { expect: managers(200), call: (c) => c.getBackup() },
  confirmClock: { expect: managers(200), call: (c) => c.confirmClock() },
  // From this machine; tests/observe/metrics.test.ts has the others.
  metrics: { expect: everyone(200), call: (c) => c.metrics() },
}
