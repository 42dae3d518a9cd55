import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { createClient } from '../../client/derived.ts'
import { api } from '../../contract/index.ts'
import { isKeyText } from '../../contract/names.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { newId } from '../../server/base/id.ts'
import { openDatabase } from '../../server/db/open.ts'
import { type Hostile, hostileBodies, hostileQueries, worstLegal } from '../support/hostile.ts'
import { request } from '../support/http.ts'
import { ADMIN, onS3, serverEnv } from '../support/server.ts'
import { spawnWatched } from '../support/stretches.ts'

/** How much longer than alone another request may have to wait, whatever is asked, in milliseconds. */
const BOUND = 250
/** What is seen only in some tries is the collector of memory or another process. */
const TRIES = 3
const OBJECTS = Number(process.env.WAITING_OBJECTS ?? 100_000)
const NO_ID = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

type Name = keyof typeof api
type Asked = Partial<Hostile> & { path?: string; method?: string; as?: 'admin' | 'nobody'; bucket?: string }

/** Operations that are as bad as their shapes let them be. */
const asGenerated: readonly Name[] = [
  'login',
  'refresh',
  'me',
  'updateMe',
  'authConfig',
  'setUp',
  'idpLogin',
  'idpCallback',
  'idpCallbackPost',
  'verifyLogin',
  'beginLoginEnrollment',
  'finishLoginEnrollment',
  'listSecondFactors',
  'challengeSecondFactor',
  'beginSecondFactor',
  'addSecondFactor',
  'renameSecondFactor',
  'removeSecondFactor',
  'createRecoveryCodes',
  'resetSecondFactors',
  'redeemHandoff',
  'changePassword',
  'listSessions',
  'endSession',
  'createToken',
  'listTokens',
  'revokeToken',
  'rotateToken',
  'listUserTokens',
  'createAgent',
  'listAgents',
  'getOwnAgent',
  'getAgent',
  'updateAgent',
  'revokeAgent',
  'listApprovals',
  'getApproval',
  'approve',
  'reject',
  'callMcp',
  'getMcpResource',
  'getMcpResourceAtRoot',
  'getAuthorizationServer',
  'registerClient',
  'beginAuthorization',
  'readAuthorization',
  'approveAuthorization',
  'exchangeToken',
  'revokeOauthToken',
  'createBucket',
  'listBuckets',
  'getBucket',
  'createAccessKey',
  'listAccessKeys',
  'revokeAccessKey',
  'rotateAccessKey',
  'listUserAccessKeys',
  'listMachineSessions',
  'endMachineSessions',
  'updateBucket',
  'deleteBucket',
  'usage',
  'usageHistory',
  'usageTypes',
  'uploadForm',
  'putObject',
  'getObject',
  'headObject',
  'deleteObject',
  'putObjectByQuery',
  'getObjectByQuery',
  'headObjectByQuery',
  'deleteObjectByQuery',
  'copyObject',
  'moveObject',
  'updateObject',
  'updateObjectByQuery',
  'archiveObjects',
  'presignObject',
  'getSigned',
  'getSignedFile',
  'headSigned',
  'putSigned',
  'getImage',
  'headImage',
  'getImageByQuery',
  'headImageByQuery',
  'initUpload',
  'getUpload',
  'listUploads',
  'completeUpload',
  'abortUpload',
  'putPart',
  'shareObject',
  'shareObjectByQuery',
  'createShare',
  'bulkShare',
  'bulkUnshare',
  'listShares',
  'updateShare',
  'getShareLink',
  'revokeShare',
  'listShareAccesses',
  'unlockShare',
  'openShare',
  'headShare',
  'openShareEntry',
  'headShareEntry',
  'receiveThroughShare',
  'receiveThroughShareAtRoot',
  'openShareAtRoot',
  'headShareAtRoot',
  'openShareEntryAtRoot',
  'archiveShare',
  'archiveShareAtRoot',
  'beginSharedUpload',
  'getSharedUpload',
  'putSharedPart',
  'completeSharedUpload',
  'abortSharedUpload',
  'headShareEntryAtRoot',
  'createJob',
  'listJobs',
  'getJob',
  'cancelJob',
  'createPolicy',
  'listPolicies',
  'getPolicy',
  'updatePolicy',
  'deletePolicy',
  'runPolicy',
  'listPolicyRuns',
  'getPolicyRun',
  'listPolicyRunItems',
  'cancelPolicyRun',
  'restorePolicyRun',
  'explainPolicies',
  'createInventory',
  'listInventories',
  'getInventory',
  'updateInventory',
  'deleteInventory',
  'runInventory',
  'listInventoryRuns',
  'getInventoryRun',
  'cancelInventoryRun',
  'createSnapshot',
  'listSnapshots',
  'getSnapshot',
  'deleteSnapshot',
  'listTrash',
  'restoreTrash',
  'purgeTrash',
  'createUser',
  'listUsers',
  'searchDirectory',
  'importUsers',
  'getUser',
  'updateUser',
  'deleteUser',
  'endUserSessions',
  'createGroup',
  'listGroups',
  'getGroup',
  'updateGroup',
  'deleteGroup',
  'listMembers',
  'addMembers',
  'replaceMembers',
  'removeMembers',
  'explainPermission',
  'describePolicy',
  'simulatePermission',
  'getBucketPolicy',
  'putBucketPolicy',
  'deleteBucketPolicy',
  'listRoles',
  'createRole',
  'getRole',
  'updateRole',
  'deleteRole',
  'listOidcProviders',
  'createOidcProvider',
  'updateOidcProvider',
  'deleteOidcProvider',
  'listIdentityPolicies',
  'createIdentityPolicy',
  'getIdentityPolicy',
  'updateIdentityPolicy',
  'deleteIdentityPolicy',
  'getPoliciesOf',
  'getInlinePolicy',
  'putInlinePolicy',
  'deleteInlinePolicy',
  'attachPolicy',
  'detachPolicy',
  'getSettings',
  'updateSettings',
  'testIdp',
  'testMail',
  'listMails',
  'setLogo',
  'deleteLogo',
  'getLogo',
  'createWebhook',
  'listWebhooks',
  'rotateWebhookSecret',
  'listEvents',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'promoteWebhookSecret',
  'testWebhook',
  'recoverWebhook',
  'listDeliveries',
  'getDelivery',
  'inviteUser',
  'revokeInvitation',
  'readInvitation',
  'acceptInvitation',
  'beginPasskeyLogin',
  'passkeyLogin',
  'requestPasswordReset',
  'readPasswordReset',
  'resetPassword',
  'replaceExpiredPassword',
  'resendDelivery',
  'listAudit',
  'getAuditRecord',
  'exportAudit',
  'verifyAudit',
  'getAttention',
  'listStorages',
  'createStorage',
  'testNewStorage',
  'getStorage',
  'updateStorage',
  'deleteStorage',
  'testStorage',
  'getStorageHealth',
  'listKmsKeys',
  'createKmsKey',
  'updateKmsKey',
  'deleteKmsKey',
  'createEventsToken',
  'deleteEventsToken',
  'receiveEvents',
  'startScan',
  'listScans',
  'getScan',
  'listAbsences',
  'confirmScan',
  'releaseBucket',
  'takeOverBucket',
  'listFindings',
  'apply',
  'exportConfiguration',
  'listBucketAccess',
  'listOtherBucketAccess',
  'listVersions',
  'listDeleted',
  'restoreVersion',
  'lockObject',
  'listDisks',
  'failoverStorage',
  'listReplications',
  'getReplication',
  'setReplication',
  'deleteReplication',
  'pauseReplication',
  'resumeReplication',
  'listReplicationFailures',
  'verifyReplication',
  'getBackup',
  'getClock',
  'confirmClock',
  'healthz',
  'readyz',
  'metrics',
  'logout',
]
const long = (i: number) => `${'k'.repeat(1000)}/${i}`
const many = (n: number, keyOf: (i: number) => string) => Array.from({ length: n }, (_, i) => keyOf(i))
const json = (body: object) => ({ media: 'application/json', body: JSON.stringify(body) })
/** Operations whose cost lies in what there is: these requests too, each of which must be answered with success. */
const byHand: Partial<Record<Name, readonly Asked[]>> = {
  browse: [
    { query: 'prefix=wide/&sort=size&offset=99000&limit=1000' },
    { query: 'prefix=wide/&sort=modified&order=desc&offset=50000&limit=1000&folders=first' },
    { query: 'prefix=wide/&offset=99000&limit=1000&order=desc' },
    { query: 'prefix=wide/&limit=1000' },
    { query: 'prefix=deep/&sort=size&offset=9000&limit=1000' },
  ],
  listObjects: [
    { query: 'search=nothing%20has%20this&limit=1000' },
    { query: 'search=e&limit=1000' },
    { query: 'prefix=wide/&search=99&limit=1000' },
  ],
  countObjects: [{ query: '' }, { query: 'prefix=wide/' }],
  sizeFolders: [
    json({ prefixes: ['', 'wide/', 'deep/'] }),
    json({ prefixes: many(100, (i) => 'wide/'.slice(0, 1 + (i % 5)) + (i < 5 ? '' : long(i))) }),
  ],
  listChanges: [{ query: 'from={created}' }, { query: 'from={created}&prefix=wide/&limit=1000' }],
  listForkChanges: [
    { query: '', bucket: 'waits-fork' },
    { query: 'prefix=wide/&only=conflicts&limit=1000', bucket: 'waits-fork' },
  ],
  searchObjects: [
    { query: 'search=nothing%20has%20this&limit=1000' },
    { query: 'search=e&limit=1000&sort=size' },
    { query: 'prefix=wide/&search=9&limit=1000&sort=modified&order=desc&kind=other' },
    { query: 'search=e&limit=1000&order=desc&min_size=1000000' },
    { query: 'prefix=nested/&search=a&limit=1000' },
    { query: 'prefix=nested/&search=b/a&limit=1000' },
    { query: 'prefix=nested/&search=b&sort=modified&order=desc' },
    { query: 'q=nothing%20has%20-this&limit=1000' },
    { query: 'q=name:*9*%20-tag:none%20-type:image/*&limit=1000&sort=size' },
  ],
  searchEverywhere: [{ query: 'q=e%20-meta:none&limit=1000' }, { query: 'q=kind:other%20size:%3E1MB&limit=1000' }],
  exportSearch: [{ query: 'q=e%20-meta:none' }, { query: 'q=nothing%20has%20-this&bucket=waits&format=ndjson' }],
  suggestSearch: [{ query: 'field=tag' }, { query: 'field=type&limit=100' }],
  objectsExist: [json({ keys: many(1000, long) })],
  bulkCopy: [json({ source_bucket: 'waits', keys: many(1000, long), dest_prefix: 'copied/' })],
  bulkMove: [json({ source_bucket: 'waits', keys: many(1000, (i) => `copied/${i}`), dest_prefix: 'moved/' })],
  bulkShare: [
    json({ keys: many(1000, (i) => `k${i}`) }),
    json({ query: 'name:*a*b*c*', dry_run: true }),
    json({ prefix: 'k', dry_run: true }),
  ],
  bulkUnshare: [json({ ids: many(1000, newId) })],
  bulkDelete: [json({ keys: many(1000, (i) => `moved/${i}`) })],
  archiveSelection: [json({ keys: many(1000, long) })],
  previewPolicy: [
    json({ bucket_patterns: ['waits'], prefix: 'k', glob: `${'?*'.repeat(8)}x`, older_than_days: 0 }),
    json({ bucket_patterns: ['waits'], prefix: 'wide/', glob: '**/*a*b*c*d*', older_than_days: 0 }),
  ],
}

const ajv = new Ajv({ strict: false, formats: { password: true, 'date-time': true } })
ajv.addFormat('object-key', (text: string) => isKeyText(text, 1))
ajv.addFormat('key-prefix', (text: string) => isKeyText(text, 0))

describe('no request blocks the process', { skip: onS3 && 'starts a service of its own, with files' }, () => {
  let folder: string
  let server: Awaited<ReturnType<typeof spawnWatched>>
  let adminToken: string
  let nobody: string
  /** When the bucket was created. */
  let created: string

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-waiting-'))
    const env = { ...serverEnv(folder), LOG_LEVEL: 'error' }
    server = await spawnWatched(env)
    const login = async (username: string, password: string) =>
      (await createClient({ baseUrl: server.url }).login({ body: { username, password } })).access_token
    adminToken = await login(ADMIN.email, ADMIN.password)
    const admin = createClient({ baseUrl: server.url, token: adminToken })
    const person = { email: 'nobody@example.com', password: 'a password of nobody' }
    await admin.createUser({ body: { ...person, display_name: 'Nobody' } })
    nobody = await login(person.email, person.password)
    created = (await admin.createBucket({ body: { name: 'waits' } })).created_at
    await admin.putObject({ params: { bucket: 'waits', key: 'seed' }, body: 'x' })
    // Its fork is filled as well: all of that both have changed.
    await admin.createBucket({ body: { name: 'waits-fork', from: { bucket: 'waits' } } })
    for (const bucket of ['waits', 'waits-fork'])
      await admin.putObject({ params: { bucket, key: 'seed' }, body: `x of ${bucket}` })
    await fill(env.DATABASE_URL)
  })
  after(async () => {
    await server?.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** A folder of many objects, one of many folders, and thousands of keys as long as keys may be, all of the bytes of one. */
  async function fill(url: string): Promise<void> {
    const database = await openDatabase(url)
    const keys = [
      [OBJECTS, sql`'wide/' || n || '-' || hex(n * 7919) || '.jpg'`],
      [10_000, sql`'deep/' || n || '/x'`],
      [1000, sql`${'k'.repeat(1000)} || '/' || n`],
      // As many folders in one key as there can be, and none of them in another key.
      [5000, sql`'nested/' || n || ${'/ab'.repeat(330)}`],
    ] as const
    for (const [count, key] of keys)
      await database.transaction(async (tx) => {
        const seed = await tx.selectFrom('objects').selectAll().where('key', '=', 'seed').executeTakeFirstOrThrow()
        const columns = Object.keys(seed).map((name) => sql.ref(name))
        const values = Object.keys(seed).map((name) =>
          name === 'key' ? key : name === 'size' && count === OBJECTS ? sql`n * 7919 % 100003` : sql.ref(`o.${name}`),
        )
        await sql`
          with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
          insert into objects (${sql.join(columns)})
          select ${sql.join(values)} from numbers, objects o where o.key = 'seed'`.execute(tx)
      })
    await database.close()
  }

  const pathOf = (route: RouteSpec, bucket = 'waits') =>
    pathTemplate(route)
      .replace(/\{(name|bucket)\}/, bucket)
      .replace('{key}', 'no')
      .replace('{token}', 'no')
      .replaceAll(/\{\w*id\}/g, NO_ID)

  /** A request's status, and the least time it blocked others, in milliseconds of CPU time. */
  async function ask(route: RouteSpec, one: Asked, tries = TRIES): Promise<{ status: number; longestMs: number }> {
    let best = Number.POSITIVE_INFINITY
    let status = 0
    for (let i = 0; i < tries && best > BOUND; i++) {
      const { media, body, as = 'admin' } = one
      const query = one.query?.replace('{created}', () => created)
      const { result, longestMs } = await server.stretches.during(() =>
        request({
          url: server.url,
          path: `${pathOf(route, one.bucket)}${query ? `?${query}` : ''}`,
          method: route.method,
          ...(route.access === 'public' ? {} : { token: as === 'admin' ? adminToken : nobody }),
          headers: media === undefined ? {} : { 'content-type': media },
          ...(body === undefined ? {} : { body }),
        }).catch((error: NodeJS.ErrnoException) => {
          // What is refused before it was read may be cut off.
          if (error.code === 'EPIPE' || error.code === 'ECONNRESET') return { status: 0 }
          throw error
        }),
      )
      if (i === 0) status = result.status
      best = Math.min(best, longestMs)
    }
    return { status, longestMs: best }
  }
  const slow = new Map<string, number>()
  const judge = (what: string, longestMs: number) => {
    if (longestMs > BOUND) slow.set(what, Math.round(longestMs))
  }

  it('has an entry here for every operation, and a body for each that takes one', () => {
    assert.deepEqual([...new Set([...asGenerated, ...Object.keys(byHand)])].sort(), Object.keys(api).sort())
    for (const [name, route] of Object.entries<RouteSpec>(api)) {
      if (!route.body) continue
      const body = worstLegal(route)
      assert.ok(ajv.validate(route.body, JSON.parse(body)), `${name}: ${ajv.errorsText()} ${body.slice(0, 300)}`)
    }
  })

  it('answers others meanwhile, however bad the body or the query', async (t) => {
    slow.clear()
    let most = { what: '', longestMs: 0 }
    for (const [name, route] of Object.entries<RouteSpec>(api)) {
      // Logging out would end the run, and address limits must not lock this client out.
      if (name === 'logout' || name === 'login') continue
      const asked: Asked[] = [...hostileBodies(route), ...hostileQueries(route)]
      for (const one of asked.flatMap((each): Asked[] =>
        (route.bodyLimit ?? 0) > 65_536 && / of 1$/.test(each.what ?? '') ? [each, { ...each, as: 'nobody' }] : [each],
      )) {
        const { status, longestMs } = await ask(route, one)
        const what = `${name} ${one.what} as ${one.as ?? 'admin'}: ${status}`
        assert.ok(status < 500 || status === 501 || status === 503, what)
        if (process.env.WAITING_ALL) t.diagnostic(`${what} ${Math.round(longestMs)} ms`)
        if (longestMs > most.longestMs) most = { what, longestMs }
        judge(what, longestMs)
      }
    }
    t.diagnostic(`longest ${Math.round(most.longestMs)} ms: ${most.what}`)
    assert.deepEqual(Object.fromEntries(slow), {})
  })

  it('answers others meanwhile, however much there is to read', async (t) => {
    slow.clear()
    for (const [name, all = []] of Object.entries(byHand))
      for (const one of all) {
        const changes = /^bulk(Copy|Move|Delete)$/.test(name)
        const { status, longestMs } = await ask(api[name as Name], one, changes ? 1 : TRIES)
        const what = `${name} ${one.query ?? one.body?.slice(0, 100)}`
        assert.equal(status, 200, what)
        t.diagnostic(`${what}: ${Math.round(longestMs)} ms`)
        judge(what, longestMs)
      }
    assert.deepEqual(Object.fromEntries(slow), {})
  })

  it('keeps little in memory of what it refuses', { skip: process.platform !== 'linux' && 'reads /proc' }, async () => {
    const { peak } = server.memory()
    assert.ok(peak < 700_000_000, `${peak} bytes at the peak`)
  })
})
