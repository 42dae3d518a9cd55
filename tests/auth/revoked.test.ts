import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { Client, ProblemError } from '../../client/derived.ts'
import type { ActionName } from '../../contract/actions.ts'
import { api, type OperationName } from '../../contract/index.ts'
import { bucketActions } from '../../contract/permissions.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { type HalfSent, halfSent } from '../support/half-sent.ts'
import { request } from '../support/http.ts'
import { describeEngines, type Seen, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { BUCKET, KEY, params } from './access.ts'

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
      const path = pathTemplate(route).replaceAll(/\{\w+\}/g, 'x')
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

  it('operations that wait for the bucket', {
    skip: engine === 'sqlite' && 'SQLite has one writer at a time',
  }, async () => {
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
