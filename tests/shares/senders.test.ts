// What senders of files through upload links say of themselves: kept for the link's creator, and never trusted.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const BUCKET = 'sent'

describeEngines('senders of files', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(() => server.stop())

  const linkTo = async () => {
    const link = await server.admin.createShare({ body: { kind: 'upload', bucket: BUCKET, prefix: 'in/' } })
    server.secrets.add(link.token)
    return link
  }
  const asHeader = (words: string) => Buffer.from(words).toString('latin1')
  const send = (token: string, name: string, headers: { [header: string]: string } = {}) =>
    request({ url: server.url, path: `/public/s/${token}/${name}`, method: 'PUT', body: 'x', headers })
  const sendersOf = async (id: string) => {
    await server.running.tick()
    const { items } = await server.admin.listShareAccesses({ params: { id } })
    return items.map(({ object_key, sender_name, sender_message }) => [object_key, sender_name, sender_message])
  }

  it('are shown to the creator and recorded, and part of nothing else', async () => {
    const link = await linkTo()
    const [name, message] = ['Zoë <b>Moreau</b> \u{1F600}', 'Here are the papers; "as agreed"']
    const headers = { 'x-sender-name': asHeader(` ${name} `), 'x-sender-message': asHeader(message) }
    const upload = (key: string) => ({ action: 'upload' as const, bucket: BUCKET, key })
    const stored = await server.records([upload('in/a.txt')], () => send(link.token, 'a.txt', headers))
    assert.deepEqual([stored.status, stored.json()], [201, { name: 'a.txt', size: 1 }])
    await server.records([upload('in/b.txt')], () => send(link.token, 'b.txt', { 'x-sender-name': '' }))
    const details = async () => {
      const { items } = await server.admin.listAudit({ query: { action: ['upload'] } })
      return items.map((one) => one.details as { [name: string]: unknown })
    }
    const [plain, named] = await details()
    assert.deepEqual([named?.share_id, named?.sender_name, named?.sender_message], [link.id, name, message])
    assert.deepEqual(
      [plain?.share_id, Object.keys(plain ?? {}).filter((one) => one.startsWith('sender'))],
      [link.id, []],
    )
    assert.deepEqual(await sendersOf(link.id), [
      ['in/b.txt', null, null],
      ['in/a.txt', name, message],
    ])
    const [object] = (await server.admin.listObjects({ params: { bucket: BUCKET } })).items
    assert.deepEqual(object?.metadata, {})
    assert.equal((await request({ url: server.url, path: `/public/s/${link.token}` })).body.includes('Moreau'), false)
  })

  itOnce('may not name a file with control characters, in one request or in parts', async () => {
    const link = await linkTo()
    await server.records([], async () => {
      for (const name of ['%0d%0a', 'a%0Ab.txt', '%1b[31m.txt', 'a%7f', 'a%c2%85b', 'folder/%09.txt']) {
        const { status, json } = await send(link.token, name)
        const { errors } = json<{ errors: { path: string }[] }>()
        assert.deepEqual([status, errors[0]?.path], [422, 'params.key'], name)
        const begin = server.as().beginSharedUpload({
          params: { token: link.token },
          body: { name: decodeURIComponent(name), size: 1 },
        })
        await rejectsWith(begin, 'invalid_request', 'body.name')
      }
    })
    assert.deepEqual(await sendersOf(link.id), [])
    assert.equal((await send(link.token, 'Fu%C3%9Fball%20%F0%9F%98%80%20(1).txt')).status, 201)
  })

  itOnce('may say so much, on one line; nothing is stored of a file that says more', async () => {
    const link = await linkTo()
    await server.records([], async () => {
      for (const [header, words] of [
        ['x-sender-name', 'n'.repeat(101)],
        ['x-sender-message', 'm'.repeat(501)],
        ['x-sender-name', 'a\tb'],
        ['x-sender-message', asHeader('a\u0085b')],
      ] as const) {
        const { status, body } = await send(link.token, 'no.txt', { [header]: words })
        assert.equal(status, 400, words)
        assert.ok(body.includes(header))
      }
    })
    const longest = { 'x-sender-name': asHeader('é'.repeat(100)), 'x-sender-message': 'm'.repeat(500) }
    assert.equal((await send(link.token, 'yes.txt', longest)).status, 201)
    assert.deepEqual(await sendersOf(link.id), [['in/yes.txt', 'é'.repeat(100), 'm'.repeat(500)]])
  })
})
