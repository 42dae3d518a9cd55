// Roles and the credentials of their sessions, over S3: who gets them, what they may, and how they end.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { after, before, it } from 'node:test'
import * as iam from '@aws-sdk/client-iam'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import {
  AssumeRoleCommand,
  type AssumeRoleCommandInput,
  GetAccessKeyInfoCommand,
  GetCallerIdentityCommand,
  GetSessionTokenCommand,
} from '@aws-sdk/client-sts'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { endSessions } from '../../server/access/session-ends/revoke.ts'
import { signingKey } from '../../server/fronts/s3/requests/signature/verify.ts'
import { type Pair, s3World } from '../s3/s3.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { ALLOW_S3, ended, policy, sdkClients } from './sessions.ts'

const B = 'shared'
const HOUR = 3_600_000
type Session = ReturnType<ReturnType<typeof sdkClients>['ofSession']>

describeEngines('Roles', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let sdk: ReturnType<typeof sdkClients>
  let admin: iam.IAMClient
  let adminPair: Pair
  let ann: { id: string; email: string; arn: string; pair: Pair }

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0', S3_SIGNATURE_V2: 'presigned' })
    world = s3World(server)
    sdk = sdkClients(server)
    adminPair = await world.keyOf()
    admin = sdk.iam(sdk.ofPair(adminPair))
    await server.admin.createBucket({ body: { name: B } })
    await world.clientOf(adminPair).send(new PutObjectCommand({ Bucket: B, Key: 'a.txt', Body: 'hello' }))
    const token = await server.userWith({ bucket_pattern: 'of-ann', actions: ['list', 'read', 'write', 'create'] })
    const { id, email } = await server.as(token).me()
    ann = { id, email, arn: `arn:aws:iam::000000000000:user/${email}`, pair: await world.keyOf(token) }
  })
  after(() => server.stop())

  const trusting = (principal: object | string, more: object = {}) =>
    policy({ Effect: 'Allow', Principal: principal, Action: 'sts:AssumeRole', ...more })
  /** Clients have the time from when they are made. */
  async function later(ms: number): Promise<void> {
    await server.later(ms)
    admin = sdk.iam(sdk.ofPair(adminPair))
  }
  let roles = 0
  /** A role that Ann may take on, with this policy. */
  async function roleWith(text: string | null, trust = trusting({ AWS: ann.arn }), more: object = {}) {
    const RoleName = `Role${++roles}`
    const { Role } = await admin.send(new iam.CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust, ...more }))
    if (text !== null)
      await admin.send(new iam.PutRolePolicyCommand({ RoleName, PolicyName: 'own', PolicyDocument: text }))
    return { name: RoleName, arn: Role?.Arn ?? '', id: Role?.RoleId ?? '' }
  }
  const assume = async (RoleArn: string, more: Partial<AssumeRoleCommandInput> = {}, by = sdk.ofPair(ann.pair)) =>
    sdk.ofSession(
      (await sdk.sts(by).send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'work', ...more }))).Credentials,
    )
  const get = (session: Session, Key = 'a.txt', Bucket = B) =>
    ended(sdk.s3(session).send(new GetObjectCommand({ Bucket, Key })))
  const put = (session: Session, Key = 'b.txt', Bucket = B) =>
    ended(sdk.s3(session).send(new PutObjectCommand({ Bucket, Key, Body: 'b' })))
  const DENIED = 'AccessDenied 403'

  it('are made, changed and deleted by administrators, each recorded', async () => {
    const path = '/team/'
    const create = new iam.CreateRoleCommand({
      RoleName: 'Reader',
      Path: path,
      Description: 'reads',
      AssumeRolePolicyDocument: trusting({ AWS: ann.arn }),
      MaxSessionDuration: 7200,
      Tags: [{ Key: 'Team', Value: 'a' }],
    })
    const named = { RoleName: 'reader' }
    const made = await server.records([{ action: 'role_create' }], () => admin.send(create))
    assert.match(made.Role?.Arn ?? '', /:role\/team\/Reader$/)
    assert.match(made.Role?.RoleId ?? '', /^AROA[A-Z2-7]{17}$/)
    assert.equal(await server.records([], () => ended(admin.send(create))), 'EntityAlreadyExistsException 409')
    const { Role } = await admin.send(new iam.GetRoleCommand(named))
    assert.equal(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? ''), trusting({ AWS: ann.arn }))
    assert.equal(Role?.MaxSessionDuration, 7200)
    assert.deepEqual(Role?.Tags, [{ Key: 'Team', Value: 'a' }])
    await server.records([{ action: 'role_update' }], () =>
      admin.send(new iam.UpdateRoleCommand({ ...named, Description: 'reads more', MaxSessionDuration: 43_200 })),
    )
    await server.records([], () => admin.send(new iam.UpdateRoleCommand({ ...named, Description: 'reads more' })))
    const own = { ...named, PolicyName: 'own' }
    await server.records([{ action: 'identity_policy_create' }], () =>
      admin.send(new iam.PutRolePolicyCommand({ ...own, PolicyDocument: ALLOW_S3 })),
    )
    const kept = await admin.send(new iam.GetRolePolicyCommand(own))
    assert.equal(decodeURIComponent(kept.PolicyDocument ?? ''), ALLOW_S3)
    assert.deepEqual((await admin.send(new iam.ListRolePoliciesCommand(named))).PolicyNames, ['own'])
    assert.deepEqual(
      (await admin.send(new iam.ListRolesCommand({ PathPrefix: '/team' }))).Roles?.map(({ RoleName }) => RoleName),
      ['Reader'],
    )
    assert.equal(await ended(admin.send(new iam.DeleteRoleCommand(named))), 'DeleteConflictException 409')
    await server.records([{ action: 'identity_policy_delete' }], () => admin.send(new iam.DeleteRolePolicyCommand(own)))
    await server.records([{ action: 'role_delete' }], () => admin.send(new iam.DeleteRoleCommand(named)))
    assert.equal(await ended(admin.send(new iam.GetRoleCommand(named))), 'NoSuchEntityException 404')
  })

  itOnce('refuse what is no policy, and nobody but administrators may change them', async () => {
    const bad = [
      '{}',
      'no JSON',
      policy({
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:iam:::user/nobody@example.com' },
        Action: 'sts:AssumeRole',
      }),
      policy({ Effect: 'Allow', Principal: '*', Action: 's3:GetObject' }),
      policy({ Effect: 'Allow', Principal: '*', Action: 'sts:AssumeRole', Resource: '*' }),
    ]
    for (const AssumeRolePolicyDocument of bad)
      assert.equal(
        await ended(admin.send(new iam.CreateRoleCommand({ RoleName: 'Bad', AssumeRolePolicyDocument }))),
        'MalformedPolicyDocumentException 400',
      )
    const role = await roleWith(ALLOW_S3)
    const hers = sdk.iam(sdk.ofPair(ann.pair))
    const named = { RoleName: role.name }
    const trust = trusting('*')
    const attempts = [
      new iam.CreateRoleCommand({ RoleName: 'Hers', AssumeRolePolicyDocument: trust }),
      new iam.GetRoleCommand(named),
      new iam.ListRolesCommand({}),
      new iam.UpdateAssumeRolePolicyCommand({ ...named, PolicyDocument: trust }),
      new iam.PutRolePolicyCommand({ ...named, PolicyName: 'own', PolicyDocument: ALLOW_S3 }),
      new iam.DeleteRoleCommand(named),
      new iam.CreateOpenIDConnectProviderCommand({ Url: 'https://idp.example.com' }),
    ]
    for (const attempt of attempts)
      assert.equal(await ended(hers.send(attempt as iam.GetRoleCommand)), DENIED, attempt.constructor.name)
    // The same as an administrator with a limited key.
    const limited = await world.keyOf(server.adminToken, [{ bucket: '*', actions: ['read'] }])
    assert.equal(await ended(sdk.iam(sdk.ofPair(limited)).send(new iam.GetRoleCommand(named))), DENIED)
  })

  it('give credentials that may what the role may, recorded as who, role and session', async () => {
    const role = await roleWith(
      policy({ Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: `arn:aws:s3:::${B}/*` }),
    )
    const session = await server.records([{ action: 'session_open' }], () => assume(role.arn))
    assert.equal(await get(session), 'ok')
    assert.equal(await ended(sdk.s3(session).send(new ListObjectsV2Command({ Bucket: B }))), DENIED)
    await server.records([{ action: 'upload', bucket: B, key: 'b.txt' }], () => put(session))
    const { items } = await server.admin.listAudit({ query: { action: ['upload'], page_size: 1 } })
    const [record] = items
    assert.deepEqual(record?.actor, { user_id: ann.id, email: ann.email, type: 'role' })
    assert.equal(record?.auth_method, 'sts')
    const { role: name, session_name, via } = record?.details ?? {}
    assert.deepEqual({ name, session_name, via }, { name: role.name, session_name: 'work', via: 's3' })
    // What Ann may herself, her session may not: it is the role's.
    assert.equal(await ended(sdk.s3(session).send(new CreateBucketCommand({ Bucket: 'of-ann' }))), DENIED)
    const who = await sdk.sts(session).send(new GetCallerIdentityCommand({}))
    assert.equal(who.UserId, `${role.id}:work`)
    assert.equal(who.Arn, `arn:aws:sts::000000000000:assumed-role/${role.name}/work`)
    const info = new GetAccessKeyInfoCommand({ AccessKeyId: session.accessKeyId })
    assert.equal((await sdk.sts(session).send(info)).Account, '000000000000')
    assert.equal(await ended(sdk.sts(sdk.ofPair(ann.pair)).send(info)), DENIED)
    assert.equal((await sdk.sts(sdk.ofPair(adminPair)).send(info)).Account, '000000000000')
  })

  it('are taken on only by whom they trust', async () => {
    const refused = async (trust: string) => {
      const { arn } = await roleWith(ALLOW_S3, trust)
      return server.records([{ action: 'access_denied', result: 'denied' }], () => ended(assume(arn)))
    }
    assert.equal(await refused(trusting({ AWS: 'arn:aws:iam::000000000000:user/admin@example.com' })), DENIED)
    // That names the account: it is for her own policies to allow it, and she has none.
    assert.equal(await refused(trusting({ AWS: '000000000000' })), DENIED)
    assert.equal(
      await refused(trusting({ AWS: ann.arn }, { Condition: { StringEquals: { 'sts:ExternalId': 'x1' } } })),
      DENIED,
    )
    const NotIpAddress = { 'aws:SourceIp': '127.0.0.0/8' }
    assert.equal(await refused(trusting({ AWS: ann.arn }, { Condition: { NotIpAddress } })), DENIED)
    assert.equal(await ended(assume('arn:aws:iam::000000000000:role/none')), DENIED)
    assert.equal(await ended(assume('arn:aws:iam::000000000000:role/as-my-groups')), DENIED)
    const external = await roleWith(
      ALLOW_S3,
      trusting({ AWS: ann.arn }, { Condition: { StringEquals: { 'sts:ExternalId': 'x1' } } }),
    )
    assert.equal(await ended(assume(external.arn, { ExternalId: 'x1' })), 'ok')
    // An administrator may take on what trusts the account.
    const ofAccount = await roleWith(ALLOW_S3, trusting({ AWS: '000000000000' }))
    assert.equal(await ended(assume(ofAccount.arn, {}, sdk.ofPair(adminPair))), 'ok')
    // Tags and a source identity need to be allowed as well.
    const { arn } = await roleWith(ALLOW_S3)
    assert.equal(await ended(assume(arn, { Tags: [{ Key: 'a', Value: 'b' }] })), DENIED)
    assert.equal(await ended(assume(arn, { SourceIdentity: 'ann' })), DENIED)
  })

  it('whoever a role does not trust is not told whether there is one', async () => {
    const { name } = await roleWith(ALLOW_S3, trusting({ AWS: 'arn:aws:iam::000000000000:role/none' }), {
      Path: '/team/',
      MaxSessionDuration: 3600,
    })
    const told = (named: string, more: Partial<AssumeRoleCommandInput> = {}) =>
      assume(`arn:aws:iam::000000000000:role/${named}`, more).then(
        () => 'ok',
        (error: Error) => `${error.name}: ${error.message.replace(named, 'X')}`,
      )
    const unknown = await told('none')
    assert.equal(
      unknown,
      'AccessDenied: Not authorized to perform sts:AssumeRole on resource: arn:aws:iam::000000000000:role/X',
    )
    assert.equal(await told(name), unknown)
    assert.equal(await told(name.toUpperCase()), unknown)
    assert.equal(await told('none', { DurationSeconds: 7200 }), unknown)
    assert.equal(await told(name, { DurationSeconds: 7200 }), unknown)
  })

  it('end when they expire, at most as late as the role allows', async () => {
    const { arn } = await roleWith(ALLOW_S3, trusting({ AWS: ann.arn }), { MaxSessionDuration: 3600 })
    assert.equal(await ended(assume(arn, { DurationSeconds: 3601 })), 'ValidationError 400')
    assert.equal(await ended(assume(arn, { DurationSeconds: 899 })), 'ValidationError 400')
    const session = await assume(arn, { DurationSeconds: 900 })
    assert.equal(await get(session), 'ok')
    await later(890_000)
    const beforeItsEnd = sdk.s3(session)
    const signedAt = server.clock.now().getTime()
    /** Signed then, whenever it arrives. */
    const read = () => {
      beforeItsEnd.config.systemClockOffset = signedAt - Date.now()
      return ended(beforeItsEnd.send(new GetObjectCommand({ Bucket: B, Key: 'a.txt' })))
    }
    assert.equal(await read(), 'ok')
    const url = await getSignedUrl(beforeItsEnd, new GetObjectCommand({ Bucket: B, Key: 'a.txt' }), {
      expiresIn: 600,
      signingDate: server.clock.now(),
    })
    assert.equal((await fetch(url)).status, 200)
    await later(10_000)
    assert.equal(await get(session), 'ExpiredToken 400')
    // What was signed before the end may arrive a minute later; a URL ends with its credentials.
    assert.equal(await read(), 'ok')
    assert.equal((await fetch(url)).status, 400)
    await later(58_000)
    assert.equal(await read(), 'ok')
    await later(2000)
    assert.equal(await read(), 'ExpiredToken 400')
    const rows = () => server.database.db.selectFrom('temporary_credentials').select('id').execute()
    const before = (await rows()).length
    await later(23 * HOUR)
    await server.running.tick('temporary-credentials-expiry')
    assert.equal(await get(session), 'ExpiredToken 400', 'an hour later, and when others are deleted')
    await later(HOUR)
    await server.running.tick('temporary-credentials-expiry')
    assert.ok((await rows()).length < before)
    assert.equal(await get(session), 'InvalidToken 400')
  })

  it('may end while what they have begun goes on, unless somebody ends them', async () => {
    const { arn, name: role } = await roleWith(ALLOW_S3, trusting({ AWS: ann.arn }))
    for (const [Key, isEnded, status] of [
      ['slow.txt', false, 200],
      ['ended.txt', true, 403],
    ] as const) {
      const session = await assume(arn, { DurationSeconds: 900 })
      await later(890_000)
      const url = await getSignedUrl(sdk.s3(session), new PutObjectCommand({ Bucket: B, Key }), {
        signingDate: server.clock.now(),
      })
      const upload = http.request(url, { method: 'PUT', headers: { 'content-length': 2, expect: '100-continue' } })
      const answered = once(upload, 'response')
      // It is asked for once the caller may write.
      await once(upload, 'continue')
      upload.write('a')
      await later(20_000)
      if (isEnded) await server.admin.endMachineSessions({ query: { role } })
      upload.end('b')
      const [response] = (await answered) as [http.IncomingMessage]
      response.resume()
      assert.equal(response.statusCode, status, Key)
    }
    const { Contents = [] } = await world.clientOf(adminPair).send(new ListObjectsV2Command({ Bucket: B }))
    assert.deepEqual(
      Contents.map(({ Key }) => Key).filter((key) => key === 'slow.txt' || key === 'ended.txt'),
      ['slow.txt'],
    )
  })

  it('are accepted with their token alone: in headers, presigned URLs of both versions, and forms', async () => {
    const { arn } = await roleWith(ALLOW_S3)
    const session = await assume(arn)
    const other = await assume(arn)
    const pair = { id: '', access_key_id: session.accessKeyId, secret_access_key: session.secretAccessKey }
    const wire = async (token: string | undefined) => {
      const headers: Record<string, string> = token === undefined ? {} : { 'x-amz-security-token': token }
      const request = { method: 'GET', path: `/${B}/a.txt`, headers }
      const { status, code } = await world.send('GET', request.path, await world.signed(pair, request))
      return `${code} ${status}`
    }
    assert.equal(await wire(session.sessionToken), ' 200')
    assert.equal(await wire(undefined), 'InvalidAccessKeyId 403')
    for (const token of ['x', other.sessionToken, `${session.sessionToken}x`, session.sessionToken.toLowerCase(), 'ü'])
      assert.equal(await wire(token), 'InvalidToken 400', token)
    // A key of a person has no token.
    const hers = { method: 'GET', path: `/${B}/a.txt`, headers: { 'x-amz-security-token': session.sessionToken } }
    assert.equal((await world.send('GET', hers.path, await world.signed(adminPair, hers))).code, 'InvalidToken')

    const url = await getSignedUrl(sdk.s3(session), new GetObjectCommand({ Bucket: B, Key: 'a.txt' }), {
      signingDate: server.clock.now(),
    })
    const fetched = async (text: string) => {
      const answer = await fetch(text)
      return /<Code>(\w+)</.exec(await answer.text())?.[1] ?? answer.status
    }
    assert.equal(await fetched(url), 200)
    assert.equal(await fetched(url.replace(/X-Amz-Security-Token=[^&]+&?/, '')), 'InvalidAccessKeyId')
    assert.equal(await fetched(url.replace(/X-Amz-Security-Token=/, 'X-Amz-Security-Token=x')), 'InvalidToken')

    const expires = String(Math.floor(server.clock.now().getTime() / 1000) + 60)
    const old = (token: string | undefined) => {
      const line = token === undefined ? '' : `x-amz-security-token:${token}\n`
      const text = `GET\n\n\n${expires}\n${line}/${B}/a.txt`
      const signature = createHmac('sha1', session.secretAccessKey).update(text).digest('base64')
      const query = new URLSearchParams({ AWSAccessKeyId: session.accessKeyId, Expires: expires, Signature: signature })
      if (token !== undefined) query.set('x-amz-security-token', token)
      return fetched(`${world.url.origin}/${B}/a.txt?${query}`)
    }
    assert.equal(await old(session.sessionToken), 200)
    assert.equal(await old(undefined), 'InvalidAccessKeyId')
    assert.equal(await old(other.sessionToken), 'InvalidToken')

    const post = async (token: string, mentioned = true) => {
      const date = server.clock
        .now()
        .toISOString()
        .replace(/[-:]|\.\d+/g, '')
      const day = date.slice(0, 8)
      const fields: Record<string, string> = {
        key: 'form.txt',
        'x-amz-algorithm': 'AWS4-HMAC-SHA256',
        'x-amz-credential': `${session.accessKeyId}/${day}/us-east-1/s3/aws4_request`,
        'x-amz-date': date,
        'x-amz-security-token': token,
      }
      const named = Object.entries(fields).filter(([name]) => mentioned || name !== 'x-amz-security-token')
      const document = {
        expiration: new Date(server.clock.now().getTime() + 60_000).toISOString(),
        conditions: [{ bucket: B }, ...named.map(([name, value]) => ({ [name]: value }))],
      }
      fields.policy = Buffer.from(JSON.stringify(document)).toString('base64')
      fields['x-amz-signature'] = createHmac('sha256', signingKey(session.secretAccessKey, day, 'us-east-1'))
        .update(fields.policy)
        .digest('hex')
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('file', new Blob(['hello']), 'name.txt')
      const answer = await fetch(`${world.url.origin}/${B}`, { method: 'POST', body: form })
      return /<Code>(\w+)</.exec(await answer.text())?.[1] ?? answer.status
    }
    await server.records([{ action: 'upload', bucket: B, key: 'form.txt' }], () => post(session.sessionToken))
    assert.equal(await post('x'), 'InvalidToken')
    assert.equal(await post(session.sessionToken, false), 'AccessDenied')
  })

  it('may no more than the policy of their session, and no more for one that is wider', async () => {
    const role = await roleWith(policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${B}/*` }))
    const wider = await assume(role.arn, { Policy: ALLOW_S3 })
    assert.equal(await get(wider), 'ok')
    assert.equal(await put(wider), DENIED)
    const narrower = await assume(role.arn, {
      Policy: policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${B}/b*` }),
    })
    assert.equal(await get(narrower), DENIED)
    assert.equal(await get(narrower, 'b.txt'), 'ok')
    assert.equal(await ended(assume(role.arn, { Policy: '{}' })), 'MalformedPolicyDocumentException 400')
    // A bucket's policy for the role stays within it; one for the session adds to it, as with AWS.
    const s3 = world.clientOf(adminPair)
    const allow = (arn: string) =>
      s3.send(
        new PutBucketPolicyCommand({
          Bucket: B,
          Policy: policy({ Effect: 'Allow', Principal: { AWS: arn }, Action: 's3:*', Resource: `arn:aws:s3:::${B}/*` }),
        }),
      )
    await allow(`arn:aws:iam:::role/${role.name}`)
    assert.equal(await get(narrower), DENIED)
    assert.equal(await put(wider), 'ok')
    await allow(`arn:aws:sts:::assumed-role/${role.name}/work`)
    assert.equal(await get(narrower), 'ok')
    await allow(`arn:aws:sts:::assumed-role/${role.name}/other`)
    assert.equal(await get(narrower), DENIED)
    assert.equal(await put(wider), DENIED)
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: B }))
  })

  it('may read nothing by the ACL of an object that the policy of their session does not allow', async () => {
    const s3 = world.clientOf(adminPair)
    const Bucket = 'with-acls'
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
    await s3.send(new CreateBucketCommand({ Bucket }))
    const OwnershipControls = { Rules: [{ ObjectOwnership: 'BucketOwnerPreferred' as const }] }
    await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }))
    await s3.send(new PutObjectCommand({ Bucket, Key: 'all', Body: 'x', ACL: 'authenticated-read' }))
    const ofB = (Action: string) => policy({ Effect: 'Allow', Action, Resource: `arn:aws:s3:::${B}/*` })
    const role = await roleWith(ofB('s3:PutObject'))
    const copy = (session: Session) =>
      ended(sdk.s3(session).send(new CopyObjectCommand({ Bucket: B, Key: 'copy', CopySource: `${Bucket}/all` })))
    const wide = await assume(role.arn)
    assert.deepEqual([await get(wide, 'all', Bucket), await copy(wide)], ['ok', 'ok'])
    const narrow = await assume(role.arn, { Policy: ofB('s3:*') })
    assert.equal(await put(narrow, 'copy'), 'ok')
    assert.deepEqual([await get(narrow, 'all', Bucket), await copy(narrow)], [DENIED, DENIED])
    await server.admin.updateSettings({ body: { s3: { public_access: false } } })
  })

  it('are judged by who took them on, their tags, and when', async () => {
    const trust = trusting({ AWS: ann.arn }, { Action: ['sts:AssumeRole', 'sts:TagSession', 'sts:SetSourceIdentity'] })
    const may = async (Condition: object, more: Partial<AssumeRoleCommandInput> = {}) => {
      const { arn } = await roleWith(
        policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*', Condition }),
        trust,
      )
      return get(await assume(arn, more))
    }
    const tagged = { Tags: [{ Key: 'Team', Value: 'a' }] }
    assert.equal(await may({ StringEquals: { 'aws:PrincipalTag/Team': 'a' } }, tagged), 'ok')
    assert.equal(await may({ StringEquals: { 'aws:PrincipalTag/Team': 'b' } }, tagged), DENIED)
    assert.equal(await may({ StringEquals: { 'aws:SourceIdentity': 'ann' } }, { SourceIdentity: 'ann' }), 'ok')
    assert.equal(await may({ StringLike: { 'aws:userid': 'AROA*:work' } }), 'ok')
    assert.equal(await may({ ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::000000000000:role/Role*' } }), 'ok')
    assert.equal(await may({ StringEquals: { 'aws:PrincipalType': 'AssumedRole' } }), 'ok')
    assert.equal(await may({ Null: { 'aws:username': 'true' } }), 'ok')
    const now = server.clock.now().toISOString()
    assert.equal(await may({ DateLessThanEquals: { 'aws:TokenIssueTime': now } }), 'ok')
    assert.equal(await may({ DateLessThan: { 'aws:TokenIssueTime': now } }), DENIED)
  })

  it('GetSessionToken gives what its user may, and ends with them', async () => {
    const { Credentials } = await server.records([{ action: 'session_open' }], () =>
      sdk.sts(sdk.ofPair(ann.pair)).send(new GetSessionTokenCommand({ DurationSeconds: 900 })),
    )
    const session = sdk.ofSession(Credentials)
    assert.equal(await ended(sdk.s3(session).send(new CreateBucketCommand({ Bucket: 'of-ann' }))), 'ok')
    assert.equal(await put(session, 'x', 'of-ann'), 'ok')
    assert.equal(await get(session), DENIED)
    assert.equal(await ended(sdk.sts(session).send(new GetSessionTokenCommand({}))), DENIED)
    const identity = await sdk.sts(session).send(new GetCallerIdentityCommand({}))
    assert.ok(identity.Arn?.endsWith(`user/${ann.email}`))
    await server.admin.updateUser({ params: { id: ann.id }, body: { is_active: false } })
    assert.equal(await put(session, 'x', 'of-ann'), 'InvalidToken 400')
    await server.admin.updateUser({ params: { id: ann.id }, body: { is_active: true } })
    assert.equal(await put(session, 'x', 'of-ann'), 'ok')
  })

  it('a limited key opens sessions with the same limits', async () => {
    const limited = await world.keyOf(server.adminToken, [{ bucket: B, prefix: 'b', actions: ['read'] }])
    const { Credentials } = await sdk.sts(sdk.ofPair(limited)).send(new GetSessionTokenCommand({}))
    const session = sdk.ofSession(Credentials)
    assert.equal(await get(session, 'b.txt'), 'ok')
    assert.equal(await get(session), DENIED)
    const { arn } = await roleWith(ALLOW_S3, trusting({ AWS: 'arn:aws:iam::000000000000:user/admin@example.com' }))
    const ofRole = await assume(arn, {}, sdk.ofPair(limited))
    assert.equal(await get(ofRole, 'b.txt'), 'ok')
    assert.equal(await get(ofRole), DENIED)
  })

  it('are ended by role, by user, and until a moment, from the next request on', async () => {
    const first = await roleWith(ALLOW_S3)
    const second = await roleWith(
      ALLOW_S3,
      trusting({ AWS: [ann.arn, `arn:aws:iam::000000000000:role/${first.name}`] }),
    )
    const all = async (sessions: readonly Session[]) => {
      const found: string[] = []
      for (const one of sessions) found.push(await get(one))
      return found
    }
    const open = async () => {
      const one = await assume(first.arn)
      // One that was opened with the first one's credentials.
      return [one, await assume(second.arn, {}, one), await assume(second.arn)]
    }
    const elsewhere = async (choice: Parameters<typeof endSessions>[1]) =>
      (await server.database.transaction((tx) => endSessions({ tx, now: server.clock.now }, choice))).open
    const GONE = 'InvalidToken 400'
    const byRole = await open()
    assert.deepEqual(await all(byRole), ['ok', 'ok', 'ok'])
    assert.equal(await elsewhere({ role: first }), 2)
    assert.deepEqual(await all(byRole), [GONE, GONE, 'ok'])
    const byUser = await open()
    assert.equal(await elsewhere({ user_id: '019b0000-0000-7000-8000-000000000000' }), 0)
    assert.ok((await elsewhere({ user_id: ann.id })) >= 4)
    assert.deepEqual(await all(byUser), [GONE, GONE, GONE])
    const byTime = await open()
    const before = server.clock.now().toISOString()
    await later(1000)
    const after_ = await open()
    assert.ok((await elsewhere({ before })) >= 3)
    assert.deepEqual(await all([...byTime, ...after_]), [GONE, GONE, GONE, 'ok', 'ok', 'ok'])
    // With the role, its sessions and theirs are gone.
    await admin.send(new iam.DeleteRolePolicyCommand({ RoleName: first.name, PolicyName: 'own' }))
    assert.deepEqual(await all(after_), [DENIED, 'ok', 'ok'])
    await admin.send(new iam.DeleteRoleCommand({ RoleName: first.name }))
    assert.deepEqual(await all(after_), [GONE, GONE, 'ok'])
  })

  it('administrators list and end them', async () => {
    const one = await roleWith(ALLOW_S3)
    const other = await roleWith(ALLOW_S3)
    const [mine, theirs] = [await assume(one.arn), await assume(other.arn)]
    const { items, next_cursor } = await server.admin.listMachineSessions({ query: { limit: 1 } })
    assert.equal(items[0]?.role, other.name)
    assert.equal(items[0]?.email, ann.email)
    assert.equal(items[0]?.access_key_id, theirs.accessKeyId)
    const next = await server.admin.listMachineSessions({ query: { limit: 1, cursor: next_cursor ?? '' } })
    assert.equal(next.items[0]?.role, one.name)
    const end = (query: object) => server.admin.endMachineSessions({ query })
    assert.deepEqual(await server.records([{ action: 'session_revoke' }], () => end({ role: one.name })), {
      sessions: 1,
    })
    assert.equal(await get(mine), 'InvalidToken 400')
    assert.equal(await get(theirs), 'ok')
    assert.deepEqual(await server.records([], () => end({ role: one.name })), { sessions: 0 })
    await assert.rejects(end({ role: 'none' }), /not_found|No such role/)
    const third = await assume(other.arn)
    const [latest] = (await server.admin.listMachineSessions({ query: { limit: 1 } })).items
    assert.equal(latest?.access_key_id, third.accessKeyId)
    const single = await server.records([{ action: 'session_revoke' }], () => end({ id: latest?.id }))
    assert.deepEqual([single.sessions, await get(third), await get(theirs)], [1, 'InvalidToken 400', 'ok'])
    const { sessions } = await end({ user_id: ann.id, before: server.clock.now().toISOString() })
    assert.ok(sessions >= 1)
    assert.equal(await get(theirs), 'InvalidToken 400')
  })

  it('what a session opens with its credentials lasts no longer than itself', async () => {
    const first = await roleWith(ALLOW_S3)
    const second = await roleWith(ALLOW_S3, trusting({ AWS: `arn:aws:iam::000000000000:role/${first.name}` }))
    const session = await assume(first.arn, { DurationSeconds: 900 })
    const { Credentials } = await sdk
      .sts(session)
      .send(new AssumeRoleCommand({ RoleArn: second.arn, RoleSessionName: 'next', DurationSeconds: 3600 }))
    sdk.ofSession(Credentials)
    assert.equal(Credentials?.Expiration?.getTime(), server.clock.now().getTime() + 900_000)
  })
})
