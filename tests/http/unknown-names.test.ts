// What a caller without any right may learn of names: nothing, not even whether they are taken.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { api } from '../../contract/index.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import type { Operation } from '../../server/fronts/s3/operations/operation.ts'
import { operations } from '../../server/fronts/s3/operations/operations.ts'
import { type Pair, s3World } from '../s3/s3.ts'
import { smallLegal } from '../support/hostile.ts'
import { type Answer, request } from '../support/http.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'

/** Names of one thing of each kind: those that are there and somebody else's, or those of nothing. */
interface Names {
  bucket: string
  key: string
  version: string
  upload: string
  storage: string
  /** Ids of resources, by the part of the path before them. */
  ids: { readonly [kind: string]: string }
}
/** Headers that differ between any two answers. */
const OF_EACH_ANSWER = /^(date|content-length|x-request-id|x-amz-(request-)?id(-2)?)$/
const NO_ID = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
const nothing: Names = {
  bucket: 'nowhere',
  key: 'no-key',
  version: NO_ID,
  upload: NO_ID,
  storage: 'nostorage',
  ids: {},
}

/** Operations that are not compared, and why. */
const apart: { readonly [operation: string]: string } = {
  createToken: 'a scope is a pattern that need not match anything; each answer has a new secret',
  createAccessKey: 'likewise',
}
/** Secrets in paths and bodies are rights of their own: whoever has them may see what they open. */
const bySecret = new Set([
  'getSigned',
  'getSignedFile',
  'headSigned',
  'putSigned',
  'putPart',
  'readInvitation',
  'acceptInvitation',
])

/** A request that is sent with all names. */
interface Compared<R> {
  what: string
  of: (names: Names) => R
  send: (request: R) => Promise<{ status: number; headers: Answer['headers']; text: string }>
  /** Which names are compared; by default, all. */
  within?: (names: Names) => boolean
}

describeOnce('names of others', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let there: Names
  const tokens = new Map<string, string | undefined>()
  const pairs = new Map<string, Pair | undefined>()

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    const { admin } = server
    const [bucket, key] = ['theirs', 'their-key']
    await admin.createBucket({ body: { name: bucket, versioning: 'enabled' } })
    await admin.createBucket({ body: { name: 'mine' } })
    await admin.putObject({ params: { bucket, key }, body: 'old' })
    await admin.putObject({ params: { bucket, key }, body: 'x' })
    await admin.putObject({ params: { bucket, key: 'deleted' }, body: 'x' })
    await admin.deleteObject({ params: { bucket, key: 'deleted' } })
    const [version] = (await admin.listVersions({ params: { bucket }, query: { key } })).items
    const { upload_id } = await admin.initUpload({ params: { bucket }, body: { key, file_size: 1 } })
    const share = await admin.createShare({ body: { kind: 'object', bucket, key } })
    server.secrets.add(share.token)
    const job = await admin.createJob({
      body: { kind: 'delete', source_bucket: bucket, prefix: 'x/' },
    })
    const policy = await admin.createPolicy({ body: { name: 'theirs', bucket_patterns: [bucket], older_than_days: 1 } })
    const run = await admin.runPolicy({ params: { id: policy.id }, body: { dry_run: true } })
    const webhook = await admin.createWebhook({ body: { name: 'theirs', url: 'https://example.com/', events: ['*'] } })
    server.secrets.add(webhook.secret)
    const user = await admin.createUser({ body: { email: 'other@example.com', display_name: 'Other' } })
    const group = await admin.createGroup({ body: { name: 'theirs' } })
    const token = await admin.createToken({ body: { name: 'theirs' } })
    server.secrets.add(token.token)
    const pair = await world.keyOf()
    const [session] = (await admin.listSessions()).items
    const ids = {
      share: share.id,
      jobs: job.id,
      policies: policy.id,
      runs: run.id,
      webhooks: webhook.id,
      users: user.id,
      groups: group.id,
      tokens: token.id,
      'access-keys': pair.id,
      sessions: session?.id ?? '',
      upload: upload_id,
    }
    there = { bucket, key, version: version?.version_id ?? '', upload: upload_id, storage: 'default', ids }

    const mine = [{ bucket: 'mine', actions: ['list' as const, 'read' as const, 'write' as const, 'delete' as const] }]
    const nobody = await server.userWith()
    const scoped = await admin.createToken({ body: { name: 'scoped', scope: mine } })
    server.secrets.add(scoped.token)
    tokens.set('a user without rights', nobody)
    tokens.set('a token limited to another bucket', scoped.token)
    tokens.set('anonymous', undefined)
    pairs.set('a user without rights', await world.keyOf(nobody))
    pairs.set('a key limited to another bucket', await world.keyOf(undefined, mine))
    pairs.set('anonymous', undefined)
  })
  after(() => server.stop())

  /** Each name alone, and all of them, in place of what is there. */
  function variations(): Names[] {
    const fields = ['bucket', 'key', 'version', 'upload', 'storage', 'ids'] as const
    return [...fields.map((field) => ({ ...there, [field]: nothing[field] })), nothing]
  }

  const idOf = (names: Names, kind: string): string => names.ids[kind] ?? NO_ID

  function pathFor(route: RouteSpec, names: Names): string {
    return pathTemplate(route)
      .replace(/\/(\w[\w-]*)\/\{(id|\w+_id)\}/g, (_, kind: string) => `/${kind}/${idOf(names, kind)}`)
      .replace(/\/\{(run_id|upload_id|delivery_id|scan)\}/g, (_, name: string) => `/${idOf(names, name)}`)
      .replace(/\{(name|bucket)\}/, names.bucket)
      .replace('{key}', names.key)
      .replace('{storage}', names.storage)
      .replace(/\{\w+\}/g, '1')
  }

  /** A value with our names at the places that are called like them. */
  function named(value: unknown, names: Names, field = '', path = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => named(one, names, field, path))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, named(one, names, name, path)]))
    if (/bucket(_patterns?)?$/.test(field)) return names.bucket
    if (/^(source_|dest_)?keys?$/.test(field)) return names.key
    if (field === 'version_id') return names.version
    if (field === 'upload_id') return names.upload
    if (/storage$/.test(field)) return names.storage
    if (/^user_ids?$/.test(field)) return idOf(names, 'users')
    if (/^group_ids?$/.test(field)) return idOf(names, 'groups')
    if (field === 'of') return idOf(names, path === '/jobs' ? 'jobs' : 'runs')
    return value
  }

  function queryFor(route: RouteSpec, names: Names): string {
    const required: readonly string[] = route.query?.required ?? []
    const fields = Object.keys(route.query?.properties ?? {})
    const asked = fields.filter((name) => required.includes(name) || /^(bucket|key|version_id|user_id)$/.test(name))
    const legal: Record<string, string> = { action: 'read', search: 'x', prefix: '', q: 'xx' }
    const query = new URLSearchParams(asked.map((name) => [name, String(named(legal[name] ?? 'x', names, name))]))
    return asked.length > 0 ? `?${query}` : ''
  }

  function requestFor(route: RouteSpec, names: Names) {
    const { method, consumes } = route
    const path = pathFor(route, names) + queryFor(route, names)
    if (!route.body || consumes === 'multipart') return { method, path, headers: {} }
    const value = consumes === 'bytes' ? undefined : named(smallLegal(route), names, '', route.url)
    const [type, body] =
      consumes === 'bytes'
        ? ['text/plain', 'x']
        : consumes === 'form'
          ? ['application/x-www-form-urlencoded', new URLSearchParams(value as Record<string, string>).toString()]
          : ['application/json', JSON.stringify(value)]
    return { method, path, headers: { 'content-type': type, 'content-length': Buffer.byteLength(body) }, body }
  }

  /** What a caller can tell from an answer, without the names that they gave themselves. */
  function seen({ status, headers, text }: { status: number; headers: Answer['headers']; text: string }, names: Names) {
    const given = [names.bucket, names.key, names.version, names.upload, ...Object.values(names.ids), NO_ID]
    const hidden = (one: string) => given.reduce((rest, name) => rest.replaceAll(name, '…'), one)
    const own = Object.entries(headers).filter(([name]) => !OF_EACH_ANSWER.test(name))
    const shown = text
      .replace(/"request_id":"[^"]*"/, '')
      .replace(/<(RequestId|HostId)>[^<]*/g, '')
      .replaceAll(`\\"${names.storage}\\"`, '…')
    return hidden([status, shown, JSON.stringify(own.sort())].join(' '))
  }

  /** Sends the requests with all names, each of which can only be told by its answer from the first; the differences. */
  async function compare<R>(requests: Iterable<Compared<R>>): Promise<{ faults: string[]; count: number }> {
    const faults: string[] = []
    let count = 0
    for (const { what, of, send, within = () => true } of requests) {
      const sent = new Set([JSON.stringify(of(there))])
      let first: string | undefined
      for (const names of variations().filter(within)) {
        const one = of(names)
        if (sent.has(JSON.stringify(one))) continue
        sent.add(JSON.stringify(one))
        first ??= seen(await send(of(there)), there)
        const other = seen(await send(one), names)
        count++
        if (other === first) continue
        faults.push(`${what}: ${first.slice(0, 300)}\n but ${other.slice(0, 300)}`)
        break
      }
    }
    return { faults, count }
  }

  it('are answered by the API like names of nothing', async (t) => {
    const routes = Object.entries<RouteSpec>(api).filter(
      ([name, { url }]) => !(name in apart) && !bySecret.has(name) && !/\/public\/s\/|\/public\/uploads\//.test(url),
    )
    const requests = [...tokens].flatMap(([who, token]) =>
      routes.map(([name, route]) => ({
        what: `${name} to ${who}`,
        of: (names: Names) => requestFor(route, names),
        send: (one: ReturnType<typeof requestFor>) =>
          request({ ...one, url: server.url, ...(token === undefined ? {} : { token }) }).then((answer) => ({
            ...answer,
            text: answer.body.toString(),
          })),
      })),
    )
    const { faults, count } = await compare(requests)
    t.diagnostic(`${count} comparisons`)
    assert.deepEqual(faults, [])
    assert.ok(count > 600, String(count))
  })

  const targetOf = ({ on, query, name, copies, item, method }: Operation, names: Names) => {
    const path = { service: '/', bucket: `/${names.bucket}`, object: `/${names.bucket}/${names.key}` }[on]
    const parameters = new URLSearchParams(
      query === undefined ? {} : typeof query === 'string' ? { [query]: '' } : { [query[0]]: query[1] },
    )
    if (query === 'uploadId') parameters.set('uploadId', names.upload)
    if (name.startsWith('UploadPart')) parameters.set('partNumber', '1')
    if (item) parameters.set('id', 'x')
    const headers: Record<string, string> = copies ? { 'x-amz-copy-source': `/${names.bucket}/${names.key}` } : {}
    return { method, path: parameters.size > 0 ? `${path}?${parameters}` : path, headers }
  }

  it('are answered by the S3 endpoint like names of nothing', async (t) => {
    const isAbout = ({ on, form }: Operation) => on !== 'service' && !form
    const faults: string[] = []
    let compared = 0
    for (const public_access of [false, true]) {
      await server.admin.updateSettings({ body: { s3: { public_access } } })
      const requests = [...pairs].flatMap(([who, pair]) =>
        operations.filter(isAbout).map((operation) => ({
          what: `${operation.name} to ${who}${public_access ? ', with public access' : ''}`,
          of: (names: Names) => targetOf(operation, names),
          send: async (one: ReturnType<typeof targetOf>) =>
            world.send(one.method, one.path, pair ? await world.signed(pair, one) : one.headers),
          // Where anything is public, anyone may ask which buckets there are, as on AWS (docs/s3.md).
          within: ({ bucket }: Names) => !(public_access && pair === undefined) || bucket === there.bucket,
        })),
      )
      const { faults: found, count } = await compare(requests)
      faults.push(...found)
      compared += count
    }
    t.diagnostic(`${compared} comparisons`)
    assert.deepEqual(faults, [])
    assert.ok(compared > 500, String(compared))
  })
})
