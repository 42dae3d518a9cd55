import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { DeleteBucketCommand, DeleteObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { everywhere, here } from './differences.ts'
import { type Step, steps } from './differential-steps.ts'
import { type Answer, clientTo, type Pair, s3World, type Wire, wireTo } from './s3.ts'

/** Headers whose values must be equal. */
const EQUAL = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'cache-control',
  'location',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-amz-tagging-count',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'x-amz-mp-parts-count',
  'x-amz-version-id',
]
/** Elements that each service fills in its own way. */
const OWN =
  /^(LastModified|CreationDate|Initiated|UploadId|NextUploadIdMarker|RequestId|HostId|ID|DisplayName|NextContinuationToken)$/

interface Service {
  wire: Wire
  client: S3Client
  pair: Pair
  kept: Map<string, string>
}

const gateway = await cephGateway()

describe('S3: the same requests to us and to Ceph', { skip: gateway ? false : noGateway }, () => {
  let server: TestServer
  const services: Service[] = []
  const bucket = `differential-${randomBytes(6).toString('hex')}`

  before(async () => {
    server = await startServer('sqlite', { S3_PORT: '0' })
    // Ceph's clock is the machine's.
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
    const world = s3World(server)
    const { url, credentials } = gateway as NonNullable<typeof gateway>
    const theirs = new URL(new URL(url).searchParams.get('endpoint') ?? '')
    for (const [url, pair] of [
      [world.url, await world.keyOf()],
      [theirs, { id: '', access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey }],
    ] as const)
      services.push({
        wire: wireTo(url, () => new Date()),
        client: clientTo(url, pair),
        pair,
        kept: new Map([['bucket', bucket]]),
      })
  })
  after(async () => {
    const [, ceph] = services
    if (ceph) await empty(ceph)
    await server.stop()
  })

  async function ask({ wire, pair, kept }: Service, step: Step): Promise<Answer> {
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => kept.get(name) ?? '')
    const { method, body = '' } = step
    const path = fill(step.path)
    const headers = Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value)]))
    const filled = fill(body)
    const signed = await wire.signed(pair, { method, path, headers, body: filled })
    const answer = await wire.send(method, path, signed, filled)
    const all = `${Object.entries(answer.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${answer.text}`
    for (const [name, found] of Object.entries(step.keep ?? {})) kept.set(name, found.exec(all)?.[1] ?? '')
    return answer
  }

  /** Removes a service's bucket with everything in it. */
  async function empty({ client }: Service): Promise<void> {
    for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket: bucket }))
      for (const { Key } of Contents ?? []) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))
    await client.send(new DeleteBucketCommand({ Bucket: bucket }))
  }

  /** Differences that no answer has shown. */
  const unused = new Set(everywhere)
  const compareAll = (step: Step) =>
    Promise.all(
      services.map(async (service) => sayingOf(await ask(service, step), step.path.includes('encoding-type'))),
    )

  it('are answered alike, except for the differences that are listed', async () => {
    const found: Record<string, string> = {}
    for (const step of steps) {
      const [ours = [], theirs = []] = await compareAll(step)
      const difference = compare(ours, theirs, unused)
      if (difference) found[step.name] = difference
    }
    assert.deepEqual(found, Object.fromEntries(here.flatMap(({ steps }) => Object.entries(steps))))
  })

  it('lists of any keys are alike, page for page', async () => {
    const piece = fc.constantFrom('a', 'b', 'A', '/', '//', '.', ' ', '+', '%', 'ü', '漢', '😀', '~', '-')
    const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
    const keys = fc.sample(text, { numRuns: 60, seed: 1 })
    for (const key of new Set(keys)) {
      const [ours = [], theirs = []] = await compareAll({
        name: key,
        method: 'PUT',
        path: `/{bucket}/r/${key.split('/').map(escaped).join('/')}`,
      })
      assert.equal(compare(ours, theirs, unused), '', key)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            prefix: fc.oneof(text, fc.constant('')).map((value) => `r/${value}`),
            delimiter: fc.oneof(piece, text),
            marker: text.map((value) => `r/${value}`),
            'max-keys': fc.constantFrom('0', '1', '2', '7', '1000'),
          },
          { requiredKeys: ['prefix'] },
        ),
        fc.constantFrom('1', '2'),
        async (query, version) => {
          const { marker, ...others } = query
          const named =
            version === '1'
              ? query
              : { 'list-type': '2', ...others, ...(marker === undefined ? {} : { 'start-after': marker }) }
          const search = Object.entries(named).map(([name, value]) => `${name}=${escaped(value)}`)
          const [ours = [], theirs = []] = await compareAll({
            name: '',
            method: 'GET',
            path: `/{bucket}?${search.join('&')}`,
          })
          assert.equal(compare(ours, theirs, unused), '', search.join('&'))
          for (const kind of [/\/Contents\/Key /, /\/CommonPrefixes\/Prefix /])
            assert.deepEqual(
              ...([ours, theirs].map((lines) => lines.filter((line) => kind.test(line))) as [string[], string[]]),
            )
        },
      ),
      { numRuns: 300, seed: 1 },
    )
    assert.deepEqual([...unused], [], 'they differ no more')
  })
})

const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

/** What is compared of an answer, as lines. */
function sayingOf({ status, headers, text, code }: Answer, isEncoded: boolean): string[] {
  const lines = [`status ${status}`]
  if (code) lines.push(`code ${code}`)
  const isDocument = text.startsWith('<')
  for (const name of EQUAL) {
    const value = headers[name]
    // The length of a document depends on what each service fills in.
    if (value !== undefined && !(status >= 300 || (isDocument && name === 'content-length')))
      lines.push(`${name}: ${value}`)
  }
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('x-amz-meta-')) lines.push(`${name}: ${value}`)
  if (headers['last-modified'] !== undefined) lines.push('last-modified')
  if (status < 300) lines.push(...(isDocument ? elementsOf(text, isEncoded) : [`body ${text.slice(0, 100)}`]))
  return lines
}

/** The elements of a document, in its order, with their values, decoded: which characters are encoded differs. */
function elementsOf(document: string, isEncoded: boolean): string[] {
  const parser = new SaxesParser()
  const found: string[] = []
  const open: { name: string; text: string; leaf: boolean }[] = []
  parser.on('opentag', ({ name }) => {
    const parent = open.at(-1)
    if (parent) parent.leaf = false
    open.push({ name, text: '', leaf: true })
  })
  parser.on('text', (text) => {
    const last = open.at(-1)
    if (last) last.text += text
  })
  parser.on('closetag', () => {
    const { name, text, leaf } = open.pop() ?? { name: '', text: '', leaf: false }
    const path = [...open.map((one) => one.name), name].join('/')
    if (leaf) found.push(`${path} ${OWN.test(name) ? '…' : isEncoded ? decodeURIComponent(text) : text}`)
  })
  parser.write(document).close()
  return found
}

/**
 * How two answers differ, apart from what is different everywhere: by status and code where those do, else by what only
 * one of them says; empty if they are alike. Takes from `unused` what it met.
 */
function compare(ours: readonly string[], theirs: readonly string[], unused: Set<unknown>): string {
  const verdict = (lines: readonly string[]) => lines.filter((line) => /^(status|code) /.test(line)).join(', ')
  if (verdict(ours) !== verdict(theirs)) return `${verdict(ours)} <> ${verdict(theirs)}`
  const only = (lines: readonly string[], others: readonly string[], side: 'ours' | 'theirs') =>
    lines.filter((line) => {
      if (others.includes(line)) return false
      const known = everywhere.find((one) => one[side]?.test(line))
      if (known) unused.delete(known)
      return !known
    })
  const [here, there] = [only(ours, theirs, 'ours'), only(theirs, ours, 'theirs')]
  return here.length + there.length === 0 ? '' : `${here.join(', ')} <> ${there.join(', ')}`
}
