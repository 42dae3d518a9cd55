// The list of what a search finds, as a file: all of it, for whoever asks, and readable by spreadsheets.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { parseCsv } from '../audit/csv.ts'
import { jobsWorld, numbered } from '../jobs/jobs.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'

type Asked = Parameters<Client['exportSearch']>[0]['query']

describeEngines('exporting the list of what a search finds', (engine, itOnce) => {
  const world = jobsWorld(engine)
  const { open, fill, person } = world
  let server: TestServer
  before(() => {
    server = world.server
  })
  const put = (bucket: string, key: string, tags: { [name: string]: string } = {}) =>
    server.admin.putObject({
      params: { bucket, key },
      body: key,
      headers: { 'content-type': 'text/plain', 'x-meta-from': 'here', 'x-tags': new URLSearchParams(tags).toString() },
    })
  const exported = async (query: Asked, by: Client = server.admin) => (await by.exportSearch({ query })).text()
  /** The cells of one column. */
  const column = (text: string, name: string) => {
    const [head = [], ...rows] = parseCsv(text)
    assert.ok(rows.every((row) => row.length === head.length))
    return rows.map((row) => row[head.indexOf(name)])
  }

  it('has all that is found, exact and safe to open, and is recorded', async () => {
    const name = await open()
    const keys = ['a,b', 'c"d', '=1+1', '+x', '-x', '@x', '\uff1d1', ' ends ', 'new\u00a0\u202eline', 'ä/é', 'plain']
    for (const key of keys) await put(name, key, { team: 'x, "y"' })
    await put(name, 'other')
    const query = { q: 'tag:team', bucket: name }
    const answer = await server.records([{ action: 'list_export', bucket: name }], () =>
      server.admin.exportSearch({ query }),
    )
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="objects.csv"')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const text = await answer.text()
    const found = await server.admin.searchObjects({ params: { bucket: name }, query: { q: 'tag:team' } })
    assert.equal(found.items.length, keys.length)
    const safe = (key: string) => (/^[=+\-@\uff1d]/.test(key) ? `'${key}` : key)
    assert.deepEqual(
      column(text, 'key'),
      found.items.map(({ key }) => safe(key)),
    )
    assert.deepEqual([...new Set(column(text, 'bucket'))], [name])
    assert.deepEqual(
      column(text, 'tags').map((cell) => JSON.parse(cell ?? '')),
      found.items.map(({ tags }) => tags),
    )
    assert.deepEqual(
      column(text, 'metadata').map((cell) => JSON.parse(cell ?? '')),
      found.items.map(({ metadata }) => metadata),
    )
    assert.deepEqual(
      column(text, 'size').map(Number),
      found.items.map(({ size }) => size),
    )
    // What hides, and what some readers would drop, is in quotation marks.
    for (const key of ['" ends "', '"new\u00a0\u202eline"', '"c""d"', '"a,b"']) assert.ok(text.includes(key), key)
    assert.match(text, /,plain,5,text\/plain,/)
    const lines = (await exported({ ...query, format: 'ndjson' })).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      found.items,
    )
    const [record] = (await server.admin.listAudit({ query: { action: ['list_export'] } })).items
    assert.deepEqual([record?.bucket, record?.details], [name, { format: 'ndjson', query: 'tag:team' }])
    await server.records([], async () => {
      const head = await fetch(`${server.url}/api/v1/search/export?q=a`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${server.adminToken}` },
      })
      assert.equal(head.status, 200)
    })
  })

  it('leads through all buckets, and through more than one step reads', async () => {
    const [one, two, three] = [await open(), await open(), await open()]
    const many = numbered('k/', 4500)
    await fill(one, many)
    for (const key of ['1', '2']) await put(two, `k/${key}`)
    await put(three, 'k/last')
    const q = `prefix:k/ -bucket:none`
    const text = await server.records([{ action: 'list_export' }], () => exported({ q }))
    const listed = column(text, 'key')
    const all = column(text, 'bucket').map((bucket, i) => `${bucket}/${listed[i]}`)
    const expected = [...many.map((key) => `${one}/${key}`), `${two}/k/1`, `${two}/k/2`, `${three}/k/last`]
    assert.deepEqual(all.toSorted(), expected.toSorted())
    assert.equal(all.length, new Set(all).size)
    assert.deepEqual(column(await exported({ q, bucket: two, prefix: 'k/2' }), 'key'), ['k/2'])
    assert.deepEqual(column(await exported({ q: 'nothing has this' }), 'key'), [])
  })

  itOnce('has what its caller may know of, row by row', async () => {
    const name = await open()
    for (const key of ['in/1', 'in/secret', 'out/2']) await put(name, key, { kind: 'k' })
    const { client } = await person({ bucket_pattern: name, prefix: 'in/', actions: ['list', 'read'] })
    const keys = async (q: string) => column(await exported({ q, bucket: name }, client), 'key')
    assert.deepEqual(await keys('tag:kind=k'), ['in/1', 'in/secret'])
    const policy = (action: string) =>
      server.admin.putBucketPolicy({
        params: { bucket: name },
        body: {
          document: JSON.stringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Deny', Principal: '*', Action: action, Resource: `arn:aws:s3:::${name}/in/secret` }],
          }),
        },
      })
    await policy('s3:GetObjectTagging')
    assert.deepEqual(await keys('tag:kind=k'), ['in/1'])
    const text = await exported({ q: 'prefix:in/' }, client)
    assert.deepEqual(column(text, 'key'), ['in/1', 'in/secret'])
    assert.deepEqual(column(text, 'tags'), ['{"kind":"k"}', ''])
    await server.records([], async () => {
      await rejectsWith(exported({ q: 'sise:1' }, client), 'invalid_query')
      await rejectsWith(exported({ q: 'a', prefix: 'in/' }, client), 'invalid_request', 'query.prefix')
      await rejectsWith(exported({ q: 'a', bucket: 'none-such' }), 'not_found')
    })
    const stranger = await person({ bucket_pattern: 'elsewhere', actions: ['list'] })
    await rejectsWith(exported({ q: 'a', bucket: name }, stranger.client), 'forbidden')
    assert.deepEqual(column(await exported({ q: 'a' }, stranger.client), 'key'), [])
  })

  itOnce('ends with the rights of its caller, and not as if it were whole', async () => {
    const name = await open()
    // More than sockets hold, of what nobody takes yet.
    await fill(
      name,
      numbered('x'.repeat(1000), 20_000).map((key, i) => `${key}-${i}`),
    )
    const { client, id } = await person({ bucket_pattern: name, actions: ['list'] })
    const answer = await client.exportSearch({ query: { q: 'prefix:x', bucket: name } })
    const reader = answer.body?.getReader()
    assert.ok((await reader?.read())?.value)
    await server.admin.updateUser({ params: { id }, body: { is_active: false } })
    let bytes = 0
    await assert.rejects(async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) bytes += part.value.length
    })
    assert.ok(bytes < 20_000 * 1000)
  })
})
