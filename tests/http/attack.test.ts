import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { api } from '../../contract/index.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { openDatabase } from '../../server/db/open.ts'
import { VERSIONING } from '../../server/fronts/s3/operations/buckets/buckets.ts'
import { CREATION } from '../../server/fronts/s3/operations/buckets/create-bucket.ts'
import { ACL } from '../../server/fronts/s3/operations/documents/acl-request.ts'
import { CORS } from '../../server/fronts/s3/operations/documents/cors.ts'
import { ENCRYPTION } from '../../server/fronts/s3/operations/documents/encryption.ts'
import { INVENTORY } from '../../server/fronts/s3/operations/documents/inventory.ts'
import { LIFECYCLE } from '../../server/fronts/s3/operations/documents/lifecycle.ts'
import { OWNERSHIP, PUBLIC_ACCESS_BLOCK } from '../../server/fronts/s3/operations/documents/ownership.ts'
import { REPLICATION } from '../../server/fronts/s3/operations/documents/replication.ts'
import { TAGGING } from '../../server/fronts/s3/operations/documents/tagging.ts'
import { WEBSITE } from '../../server/fronts/s3/operations/documents/website.ts'
import { LEGAL_HOLD, OBJECT_LOCK, RETENTION } from '../../server/fronts/s3/operations/locks.ts'
import { DELETIONS } from '../../server/fronts/s3/operations/objects/delete-objects.ts'
import type { Operation } from '../../server/fronts/s3/operations/operation.ts'
import { operations } from '../../server/fronts/s3/operations/operations.ts'
import { COMPLETION } from '../../server/fronts/s3/operations/uploads/complete.ts'
import type { DocumentShape } from '../../server/fronts/s3/requests/read-xml.ts'
import type { Pair } from '../s3/s3.ts'
import { queryOf, signFast } from '../s3/sign.ts'
import { filesOf, headersNamedIn, textsGiven } from '../support/expressions.ts'
import { smallLegal } from '../support/hostile.ts'
import { s3UrlOf } from '../support/process.ts'
import { ADMIN, onS3, serverEnv } from '../support/server.ts'
import { spawnWatched } from '../support/stretches.ts'
import { textsIn, withText } from '../support/text-places.ts'
import { fillings, fragments, run } from '../support/troublesome.ts'
import { fieldsOf, hostileXml, xmlOf } from '../support/xml.ts'

/** How long one request may keep all others waiting, in milliseconds of CPU time. */
const BOUND = 200
/** What is seen only in some tries is the collector of memory. */
const TRIES = 4
const MOST_GROWTH = 48 * 1024 ** 2
/** Of a head at the S3 endpoint, and of the API; the rest is for the signature. */
const S3_HEAD = 16_000
const API_HEAD = 12_000
const AT_ONCE = 6
/**
 * Of the pairs of a place and what it is filled with, some are tried each day, so that each comes in a few days, and each
 * place and each filling in every run. ATTACK=all tries all of them.
 */
const ALL = process.env.ATTACK === 'all'
const TODAY = Math.floor(Date.now() / 86_400_000)
const isDue = (one: number, other: number, days: number): boolean => ALL || (one + other + TODAY) % days === 0
const NO_ID = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

/** A request to the S3 endpoint or the API. */
interface Sent {
  what: string
  method: string
  path: string
  query?: string
  headers?: Record<string, string>
  body?: string
  /** Whose key or token it has. */
  as: 'admin' | 'nobody' | 'anonymous'
}

/** What is read of each operation's body. */
const documents: { readonly [operation: string]: DocumentShape } = {
  CreateBucket: CREATION,
  PutBucketAcl: ACL,
  PutObjectAcl: ACL,
  PutBucketCors: CORS,
  PutBucketEncryption: ENCRYPTION,
  PutBucketLifecycleConfiguration: LIFECYCLE,
  PutBucketOwnershipControls: OWNERSHIP,
  PutBucketReplication: REPLICATION,
  PutBucketInventoryConfiguration: INVENTORY,
  PutBucketTagging: TAGGING,
  PutBucketVersioning: VERSIONING,
  PutObjectLockConfiguration: OBJECT_LOCK,
  PutPublicAccessBlock: PUBLIC_ACCESS_BLOCK,
  PutObjectTagging: TAGGING,
  PutObjectRetention: RETENTION,
  PutObjectLegalHold: LEGAL_HOLD,
  PutBucketWebsite: WEBSITE,
  DeleteObjects: DELETIONS,
  CompleteMultipartUpload: COMPLETION,
}
/** Operations whose body is no XML: bytes, JSON, a form, or nothing. */
const others = new Set([
  'PutObject',
  'UploadPart',
  'PostObject',
  'PutBucketPolicy',
  'CopyObject',
  'UploadPartCopy',
  'CreateMultipartUpload',
])

describe('attacks', { skip: onS3 && 'starts a service of its own, with files' }, () => {
  let folder: string
  let server: Awaited<ReturnType<typeof spawnWatched>>
  let s3: URL
  const keys = new Map<Sent['as'], Pair>()
  const tokens = new Map<Sent['as'], string>()
  const uploadIds = new Map<string, string>()
  let link: string
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 })

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-attack-'))
    const env = { ...serverEnv(folder), LOG_LEVEL: 'error', S3_PORT: '0' }
    server = await spawnWatched(env)
    s3 = await s3UrlOf(server)
    const as = async (name: 'admin' | 'nobody', username: string, password: string) => {
      const { access_token } = await createClient({ baseUrl: server.url }).login({ body: { username, password } })
      tokens.set(name, access_token)
      const client = createClient({ baseUrl: server.url, token: access_token })
      keys.set(name, (await client.createAccessKey({ body: { name } })) as Pair)
      return client
    }
    const admin = await as('admin', ADMIN.email, ADMIN.password)
    const person = { email: 'nobody@example.com', password: 'a password of nobody' }
    await admin.createUser({ body: { ...person, display_name: 'Nobody' } })
    await as('nobody', person.email, person.password)
    for (const name of ['attacked', 'doomed', 'stored']) await admin.createBucket({ body: { name } })
    for (const bucket of ['attacked', 'doomed']) {
      for (const key of ['k', 'kept']) await admin.putObject({ params: { bucket, key }, body: 'x' })
      const { text } = await send({ what: '', method: 'POST', path: `/${bucket}/up`, query: 'uploads=', as: 'admin' })
      uploadIds.set(bucket, /<UploadId>([^<]+)/.exec(text)?.[1] ?? '')
    }
    link = (await admin.createShare({ body: { kind: 'upload', bucket: 'attacked', prefix: 'in/' } })).token
    await store(env.DATABASE_URL)
  })
  after(async () => {
    agent.destroy()
    await server?.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Rules for other origins as releases before 0.2.0 took them: far too long, and far too many. */
  async function store(url: string): Promise<void> {
    const database = await openDatabase(url)
    const origins = Array.from({ length: 32 }, () => `*${'a'.repeat(8000)}b`)
    const headers = Array.from({ length: 6000 }, (_, i) => `*x${i}`)
    await database.transaction(async (tx) => {
      const { id } = await tx.selectFrom('buckets').select('id').where('name', '=', 'stored').executeTakeFirstOrThrow()
      const row = { bucket_id: id, kind: 'cors', updated_at: '2026-01-01T00:00:00.000Z', updated_by: null }
      const rules = [
        { origins, methods: ['GET'] },
        { origins: ['*'], methods: ['GET'], headers },
      ]
      await tx
        .insertInto('bucket_config')
        .values({ ...row, document: JSON.stringify(rules) } as never)
        .execute()
    })
    await database.close()
  }

  function send(sent: Sent): Promise<{ status: number; text: string }> {
    const { method, path, query = '', body, as } = sent
    const isApi = path.startsWith('/api/') || path.startsWith('/s/')
    const { hostname, port, host } = isApi ? new URL(server.url) : s3
    const own = Object.fromEntries(Object.entries(sent.headers ?? {}).map(([name, value]) => [name, value.trim()]))
    const token = tokens.get(as)
    const headers = isApi
      ? { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...own }
      : as === 'anonymous'
        ? own
        : signFast(keys.get(as) as Pair, { method, host, path, query, headers: own }, body)
    const target = `${path}${query ? `?${query}` : ''}`
    return new Promise((resolve, reject) => {
      const request = http.request({ hostname, port, method, path: target, agent, headers }, (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (chunk: string) => {
          if (text.length < 10_000) text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      // What is refused before it was read may be cut off.
      request.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve({ status: 0, text: '' }) : reject(error),
      )
      request.end(body === undefined ? undefined : Buffer.from(body))
    })
  }

  /** Sends requests, several at once, and finds those that kept others waiting or failed. */
  async function attack(t: TestContext, all: Iterable<Sent>, batch = 60): Promise<void> {
    const faults: string[] = []
    let longest = { ms: 0, what: '' }
    let count = 0
    const waiting: Sent[] = []
    const flush = async () => {
      const queue = [...waiting]
      const batch = waiting.splice(0)
      const { longestMs } = await server.stretches.during(() =>
        Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            for (let one = queue.pop(); one; one = queue.pop()) {
              const { status } = await send(one)
              if (status >= 500 && status !== 501 && status !== 503) faults.push(`${one.what}: ${status}`)
            }
          }),
        ),
      )
      if (longestMs > longest.ms) longest = { ms: longestMs, what: batch[0]?.what ?? '' }
      if (longestMs > BOUND) for (const one of batch) await judge(one)
    }
    /** One request alone, as often as it takes to see that it was something else. */
    const judge = async (one: Sent) => {
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < TRIES && least > BOUND; i++) {
        const { longestMs } = await server.stretches.during(() => send(one))
        least = Math.min(least, longestMs)
      }
      if (least > BOUND) faults.push(`${one.what}: others waited ${Math.round(least)} ms`)
      assert.ok(faults.length < 10, faults.join('\n'))
    }
    for (const one of all) {
      waiting.push(one)
      count++
      if (waiting.length >= batch) await flush()
    }
    await flush()
    t.diagnostic(`${count} requests; longest ${Math.round(longest.ms)} ms, among those from: ${longest.what}`)
    assert.deepEqual(faults, [])
  }

  function targetOf({ on, query, copies, name, method, item }: Operation): Pick<Sent, 'path' | 'query' | 'headers'> {
    // What is deleted is not what the others are about; the bucket is not empty, and stays.
    const bucket = method === 'DELETE' ? 'doomed' : 'attacked'
    return {
      path: { service: '/', bucket: `/${bucket}`, object: `/${bucket}/k` }[on],
      query: queryOf({
        ...(query === undefined ? {} : typeof query === 'string' ? { [query]: '' } : { [query[0]]: query[1] }),
        ...(item ? { id: 'x' } : {}),
        ...(query === 'uploadId' ? { uploadId: uploadIds.get(bucket) ?? '' } : {}),
        ...(name.startsWith('UploadPart') ? { partNumber: '1' } : {}),
      }),
      ...(copies ? { headers: { 'x-amz-copy-source': '/attacked/k' } } : {}),
    }
  }
  const s3Files = filesOf(['server/fronts/s3', 'server/http', 'server/observe']).concat('server/fronts/description.ts')
  const s3Headers = headersNamedIn(s3Files).filter((name) => !/^(x-amz-(date|content-sha256))$/.test(name))
  // A form is attacked in its fields.
  const attacked = operations.filter(({ form }) => !form)

  it('in headers of S3 operations wait for nobody', async (t) => {
    function* all(): Generator<Sent> {
      let turn = 0
      for (const operation of attacked) {
        const { name, method } = operation
        const to = targetOf(operation)
        // These read most headers between them; of the others each meets another fragment in some.
        const isMain = name === 'PutObject' || name === 'CreateBucket'
        for (const [i, header] of s3Headers.entries())
          for (const [j, fragment] of fragments.entries()) {
            if (!isMain && !isDue(i, turn, method === 'DELETE' ? 12 : 6)) continue
            if (!isMain && j !== (turn + TODAY) % fragments.length) continue
            if (name === 'CreateBucket' && !isDue(i, j, 3)) continue
            for (const [k, filling] of fillings(fragment, S3_HEAD).entries()) {
              if (name === 'PutObject' ? !isDue(i + j, k, 2) : k === 0) continue
              const headers = { ...to.headers, [header]: filling }
              const what = `${name} ${header} ${fragment}`
              yield { what, method, ...to, headers, as: name === 'CreateBucket' ? 'nobody' : 'admin' }
            }
          }
        turn++
      }
    }
    await attack(t, all())
  })

  it('without a credential, as origins, and in what is signed, wait for nobody', async (t) => {
    function* all(): Generator<Sent> {
      const asked = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
      for (const [j, fragment] of fragments.entries())
        for (const [k, filling] of fillings(fragment, S3_HEAD).entries()) {
          for (const bucket of ['stored', 'attacked'])
            for (const header of ['origin', 'access-control-request-headers', 'access-control-request-method']) {
              const headers = { ...asked, [header]: filling }
              const what = `${header} ${fragment}`
              yield { what: `OPTIONS ${what}`, method: 'OPTIONS', path: `/${bucket}/x`, headers, as: 'anonymous' }
              yield { what: `GET ${what}`, method: 'GET', path: `/${bucket}/x`, headers, as: 'anonymous' }
            }
          for (const [i, header] of [...s3Headers, 'x-amz-date', 'x-amz-content-sha256'].entries()) {
            if (!isDue(i + j, k, 2)) continue
            yield {
              what: `${header} ${fragment}, not signed`,
              method: 'PUT',
              path: '/attacked/x',
              headers: { [header]: filling },
              as: 'anonymous',
            }
          }
        }
      const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
      const parts = {
        Credential: `STRG0000000000000000/${day}/us-east-1/s3/aws4_request`,
        SignedHeaders: 'host;x-amz-date',
        Signature: '0'.repeat(64),
      }
      for (const part of Object.keys(parts))
        for (const filling of [...fragments.flatMap((one) => fillings(one, S3_HEAD)), run('host;', S3_HEAD / 2)]) {
          const all = Object.entries({ ...parts, [part]: filling }).map(([name, value]) => `${name}=${value}`)
          const headers = {
            authorization: `AWS4-HMAC-SHA256 ${all.join(', ')}`,
            'x-amz-date': `${day}T000000Z`,
            'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
          }
          yield { what: `${part} ${filling.slice(0, 9)}`, method: 'GET', path: '/attacked', headers, as: 'anonymous' }
        }
    }
    await attack(t, all())
  })

  it('in parameters and keys of S3 operations wait for nobody', async (t) => {
    const parameters = textsGiven(filesOf(['server/fronts/s3']), 'parameter', 1)
    function* all(): Generator<Sent> {
      let turn = 0
      for (const operation of attacked) {
        const { name, method } = operation
        const to = targetOf(operation)
        const own = operation.method === 'GET' ? parameters : [...(operation.parameters ?? []), 'versionId']
        for (const [i, parameter] of own.entries())
          for (const fragment of name.startsWith('List')
            ? fragments.filter((_, j) => isDue(i, j, 3))
            : [fragments[turn++ % fragments.length] as string]) {
            const value = run(fragment, S3_HEAD / (3 * Buffer.byteLength(fragment)))
            const query = queryOf({ ...Object.fromEntries(new URLSearchParams(to.query)), [parameter]: value })
            yield { what: `${name} ?${parameter} ${fragment}`, method, ...to, query, as: 'admin' }
          }
      }
      for (const fragment of fragments)
        for (const length of [1000, 8000]) {
          const key = queryOf({ k: run(fragment, length) }).slice(2)
          for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
            for (const place of [`/attacked/${key}`, `/${key}`])
              yield { what: `${method} of a name ${fragment}`, method, path: place, as: 'admin' }
        }
    }
    await attack(t, all())
  })

  it('has the shape of every document that an S3 operation reads', () => {
    const reading = operations.filter(({ method }) => method === 'PUT' || method === 'POST').map(({ name }) => name)
    assert.deepEqual(reading.filter((name) => !others.has(name)).sort(), Object.keys(documents).sort())
  })

  const ofDocuments = function* (): Generator<Sent> {
    let turn = 0
    for (const [n, [name, shape]] of Object.entries(documents).entries()) {
      const operation = operations.find((one) => one.name === name) as Operation
      const to = targetOf(operation)
      const request = { method: operation.method, ...to, as: 'admin' as const }
      for (const [i, field] of fieldsOf(shape).entries())
        for (const [j, fragment] of fragments.entries()) {
          if (!isDue(n + i, j, 3)) continue
          const filling = fillings(fragment, 8000)[turn++ % 2] as string
          yield { what: `${name} ${field} ${fragment}`, ...request, body: xmlOf(shape, field, filling) }
        }
      // More of the same is read in further turns of the event loop.
      for (const [j, { what, body }] of hostileXml(shape, 262_144).entries())
        if (isDue(n, j, 3)) yield { what: `${name} of ${what}`, ...request, body }
    }
  }

  it('in documents of S3 operations wait for nobody', async (t) => {
    await attack(t, ofDocuments(), 20)
  })

  it('in bucket policies and forms wait for nobody', async (t) => {
    const id = (text: string) => `{"Version":"2012-10-17","Id":"${text}","Statement":[]}`
    const statement = (field: string, value: string) =>
      JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: '*', [field]: value }],
      })
    const nested = [`${run('[', 10_000)}${run(']', 10_000)}`, `${run('{"a":', 15_000)}1${run('}', 3000)}`]
    const fields = [...s3Headers, 'key', 'acl', 'tagging', 'success_action_redirect', 'policy', 'x-ignore-a']
    const policyFor = (conditions: unknown) => JSON.stringify({ expiration: '2999-01-01T00:00:00Z', conditions })
    const form = (policy: string, more: Record<string, string>, boundary = 'x'): Partial<Sent> => {
      const { access_key_id, secret_access_key } = keys.get('admin') as Pair
      const encoded = Buffer.from(policy).toString('base64')
      const signature = createHmac('sha1', secret_access_key).update(encoded).digest('base64')
      const all = { key: 'f', AWSAccessKeyId: access_key_id, signature, policy: encoded, ...more }
      const parts = Object.entries(all).map(
        ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--${boundary}--\r\n`
      return { body: parts.join('') + file, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
    }
    function* all(): Generator<Sent> {
      const put = { method: 'PUT', path: '/attacked', query: 'policy=', as: 'admin' as const }
      const post = { method: 'POST', path: '/attacked', as: 'anonymous' as const }
      for (const [j, fragment] of fragments.entries())
        for (const filling of fillings(fragment, 18_000)) {
          yield { what: `policy ${fragment}`, ...put, body: id(filling) }
          yield { what: `policy of ${fragment}`, ...put, body: filling }
          for (const [i, field] of ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'].entries())
            if (isDue(i, j, 3))
              yield { what: `policy ${field} ${fragment}`, ...put, body: statement(field, filling.slice(0, 9000)) }
        }
      for (const body of nested) {
        for (const policy of [body, `{"Statement":${body}}`, statement('a', '').replace('"s3:GetObject"', body)])
          yield { what: 'nested policy', ...put, body: policy }
        const what = 'nested policy of a form'
        yield { what, ...post, ...form(body, {}) }
        yield { what, ...post, ...form(`{"expiration":"2999-01-01T00:00:00Z","conditions":[${body}]}`, {}) }
      }
      for (const [i, field] of fields.entries())
        for (const fragment of fragments.filter((_, j) => (i + j) % 4 === 0)) {
          const conditions = [...fields, 'bucket'].map((one) => ['starts-with', `$${one}`, ''])
          const filling = run(fragment, 6000)
          yield { what: `form ${field} ${fragment}`, ...post, ...form(policyFor(conditions), { [field]: filling }) }
        }
      for (const fragment of fragments) {
        const boundary = run(fragment, 4000)
        yield { what: `boundary ${fragment}`, ...post, ...form(policyFor([]), { a: run(boundary, 60_000) }, boundary) }
        yield { what: `form of ${fragment}`, ...post, ...form(policyFor([]), {}), body: run(fragment, 200_000) }
      }
    }
    await attack(t, all(), 20)
  })

  it('in bodies of bytes wait for nobody', async (t) => {
    const put = operations.find(({ name }) => name === 'PutObject') as Operation
    const part = operations.find(({ name }) => name === 'UploadPart') as Operation
    const chunked = (body: string, more: Record<string, string> = {}): Partial<Sent> => ({
      body,
      headers: {
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'x-amz-trailer': 'x-amz-checksum-crc32',
        'x-amz-decoded-content-length': '65536',
        ...more,
      },
    })
    const bytes = Object.values<RouteSpec>(api).filter(({ consumes }) => consumes === 'bytes')
    function* all(): Generator<Sent> {
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
      for (const operation of [put, part]) {
        const request = { method: 'PUT', ...targetOf(operation), as: 'admin' as const }
        yield {
          what: `${operation.name} in tiny chunks`,
          ...request,
          ...chunked(`${'1\r\nx\r\n'.repeat(65_536)}0\r\n\r\n`),
        }
        for (const [j, fragment] of fragments.entries())
          for (const [k, filling] of fillings(fragment, 60_000).entries()) {
            if (!isDue(j + (operation === put ? 0 : 1), k, 2)) continue
            const bodies = [filling, `1;${filling}\r\nx\r\n`, `${chunk}0\r\n${filling}:x\r\n\r\n`]
            for (const body of [...bodies, `${chunk}0\r\nx-amz-checksum-crc32:${filling}\r\n\r\n`])
              yield { what: `${operation.name} in chunks of ${fragment}`, ...request, ...chunked(body) }
          }
      }
      for (const [j, fragment] of fragments.entries())
        for (const [k, filling] of fillings(fragment, 200_000).entries()) {
          for (const [i, route] of bytes.entries()) {
            if (!isDue(i + j, k, 3)) continue
            const path = pathOf(route, 'no').replace(/\/s\/no\b/, `/s/${link}`)
            const headers = { 'content-type': 'image/png' }
            const as = route.access === 'public' ? ('anonymous' as const) : ('admin' as const)
            yield { what: `${route.url} of ${fragment}`, method: route.method, path, headers, body: filling, as }
          }
          const boundary = run(fragment.trim() || 'x', 60).replaceAll('"', '')
          const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filling.slice(0, 8000)}"`
          for (const body of [
            filling,
            `--${boundary}\r\n${filling}`,
            `${head}\r\n\r\n${filling}\r\n--${boundary}--\r\n`,
          ])
            yield {
              what: `form of ${fragment}`,
              method: 'POST',
              path: '/api/v1/buckets/attacked/objects',
              headers: {
                'content-type': `multipart/form-data; boundary="${encodeURIComponent(boundary).slice(0, 60)}"`,
              },
              body,
              as: 'admin',
            }
        }
    }
    await attack(t, all(), 20)
  })

  const pathOf = (route: RouteSpec, value = 'no') =>
    pathTemplate(route)
      .replace(/\{(name|bucket)\}/, 'attacked')
      .replace(/\{(key|token)\}/, value)
      .replaceAll(/\{\w*id\}/g, NO_ID)
  // Logging in and out would end the run.
  const routes = Object.entries<RouteSpec>(api).filter(([name]) => !['login', 'logout'].includes(name))

  it('in headers, parameters and paths of API operations wait for nobody', async (t) => {
    const files = filesOf(['server/fronts/api', 'server/http', 'server/access', 'server/observe'])
    const headers = headersNamedIn([...files, 'server/fronts/description.ts'])
    function* all(): Generator<Sent> {
      let turn = 0
      const next = () => fragments[(turn++ + TODAY) % fragments.length] as string
      for (const [name, route] of routes) {
        const { method } = route
        const request = { method, path: pathOf(route), as: 'admin' as const }
        const isMain = name === 'putObject' || name === 'openShare'
        for (const [i, header] of headers.entries())
          for (const fragment of isMain
            ? fragments.filter((_, j) => isDue(i, j, 3))
            : isDue(i, turn, 10)
              ? [next()]
              : []) {
            const filling = fillings(fragment, API_HEAD)[isMain ? 1 : turn % 2] as string
            yield { what: `${name} ${header} ${fragment}`, ...request, headers: { [header]: filling } }
          }
        turn++
        for (const parameter of Object.keys(route.query?.properties ?? {}))
          for (let i = 0; i < (ALL ? 2 : 1); i++) {
            const fragment = next()
            const query = queryOf({ [parameter]: run(fragment, API_HEAD / (3 * Buffer.byteLength(fragment))) })
            yield { what: `${name} ?${parameter} ${fragment}`, ...request, query }
          }
        const value = queryOf({ k: run(next(), 3500) }).slice(2)
        yield { what: `${name} of a path`, ...request, path: pathOf(route, value) }
      }
    }
    await attack(t, all())
  })

  it('in bodies of API operations wait for nobody', async (t) => {
    function* all(): Generator<Sent> {
      let turn = 0
      for (const [name, route] of routes) {
        if (!route.body || route.consumes !== undefined) continue
        const legal = smallLegal(route)
        for (const place of textsIn(legal))
          for (let i = 0; i < (ALL ? 2 : 1); i++) {
            const fragment = fragments[(turn++ + TODAY) % fragments.length] as string
            const filling = fillings(fragment, 30_000)[turn % 2] as string
            yield {
              what: `${name} ${place.join('.')} ${fragment}`,
              method: route.method,
              path: pathOf(route),
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(withText(legal, place, filling)),
              as: route.access === 'public' ? 'anonymous' : 'admin',
            }
          }
      }
      // What is recorded of a request is searched for credentials.
      for (const fragment of fragments) {
        const keys = Array.from({ length: 1000 }, (_, i) => `${i}${run(fragment, 900)}`)
        yield {
          what: `audit of ${fragment}`,
          method: 'POST',
          path: '/api/v1/share',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ kind: 'selection', bucket: 'attacked', keys }),
          as: 'admin',
        }
      }
    }
    await attack(t, all(), 20)
  })

  it('are not asked for their body without the right to what they want', async () => {
    const asked: string[] = []
    for (const operation of operations.filter(({ method }) => method === 'PUT' || method === 'POST')) {
      const { method } = operation
      const to = targetOf(operation)
      const { query = '' } = to
      const path = operation.name === 'CreateBucket' ? '/another' : to.path
      // A form has its credential in its body.
      if (operation.form) continue
      for (const as of ['nobody', 'anonymous'] as const) {
        const own = { ...to.headers, 'content-length': '200000', expect: '100-continue' }
        const body = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
        const headers =
          as === 'anonymous'
            ? own
            : signFast(keys.get(as) as Pair, { method, host: s3.host, path, query, headers: { ...own, ...body } })
        const { promise, resolve, reject } = Promise.withResolvers<number | 'continue'>()
        const target = `${path}${query && `?${query}`}`
        const request = http.request({ host: s3.hostname, port: s3.port, method, path: target, headers, agent: false })
        request.on('continue', () => resolve('continue'))
        request.on('response', ({ statusCode }) => resolve(statusCode ?? 0))
        request.on('error', reject)
        request.flushHeaders()
        const status = await promise
        request.on('error', () => undefined).destroy()
        if (status === 'continue' || status < 400) asked.push(`${operation.name} as ${as}: ${status}`)
      }
    }
    assert.deepEqual(asked, [])
  })

  it('of ten at once take little memory', { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
    const faults: string[] = []
    for (const [name, whats] of [
      ['DeleteObjects', ['unknown elements', 'references']],
      ['CompleteMultipartUpload', ['whole Part']],
    ] as const) {
      const operation = operations.find((one) => one.name === name) as Operation
      const shape = documents[name] as DocumentShape
      for (const { what, body } of hostileXml(shape).filter((one) => whats.some((name) => name === one.what))) {
        const sent: Sent = { what, method: operation.method, ...targetOf(operation), body, as: 'admin' }
        await send(sent)
        fs.writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5')
        const { rss } = server.memory()
        const { longestMs } = await server.stretches.during(() =>
          Promise.all(Array.from({ length: 10 }, () => send(sent))),
        )
        const growth = server.memory().peak - rss
        t.diagnostic(`${name} of ${what}: ${Math.round(growth / 1024 ** 2)} MiB, ${Math.round(longestMs)} ms`)
        if (growth > MOST_GROWTH) faults.push(`${name} of ${what}: ${growth} bytes`)
      }
    }
    assert.deepEqual(faults, [])
  })
})
