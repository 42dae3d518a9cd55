// Uploads in parts through upload links: whole or not at all, within the link's limits, and only for their sender.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { SharedUpload } from '../../contract/shares.ts'
import { sendHalf } from '../support/half-sent.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const BUCKET = 'in-parts'
const MIB = 1024 ** 2
const PART = 8 * MIB
const HOUR = 3600_000

type Link = Awaited<ReturnType<TestServer['admin']['createShare']>>
type Limits = Omit<Parameters<TestServer['admin']['createShare']>[0]['body'], 'bucket' | 'kind'>

describeEngines('uploads in parts through links', (engine, itOnce) => {
  let server: TestServer
  let count = 0
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(() => server.stop())

  const linkTo = async (more: Limits = {}, bucket = BUCKET): Promise<Link> => {
    const link = await server.admin.createShare({
      body: { kind: 'upload', bucket, prefix: `in-${++count}/`, ...more },
    })
    server.secrets.add(link.token)
    return link
  }
  /** A visitor has no credential. */
  const visitor = () => server.as(undefined)
  const begin = async ({ token }: Link, size: number, name = 'film.mp4', more = {}): Promise<SharedUpload> => {
    const upload = await visitor().beginSharedUpload({ params: { token }, body: { name, size, ...more } })
    server.secrets.add(upload.upload)
    return upload
  }
  const partOf = (i: number, size: number) => Buffer.alloc(size, 65 + i)
  const send = ({ upload, size, part_size }: SharedUpload, part_number: number) =>
    visitor().putSharedPart({
      params: { upload, part_number },
      body: partOf(part_number, Math.min(part_size, size - (part_number - 1) * part_size)),
    })
  const sendAll = async (upload: SharedUpload) => {
    for (let n = 1; n <= upload.num_parts; n++) await send(upload, n)
  }
  const complete = ({ upload }: SharedUpload) => visitor().completeSharedUpload({ params: { upload } })
  const get = ({ upload }: SharedUpload) => visitor().getSharedUpload({ params: { upload } })
  const keysOf = async ({ prefix }: Link) =>
    (await server.admin.listObjects({ params: { bucket: BUCKET }, query: { prefix: prefix ?? '' } })).items.map(
      ({ key }) => key.slice((prefix ?? '').length),
    )
  const linkNow = async ({ id }: Link) => (await server.admin.listShares()).items.find((one) => one.id === id)

  it('arrive in any order, are asked for after an interruption, and become one file of the sender', async () => {
    const link = await linkTo()
    const sender = { name: 'Zoë', message: 'The film' }
    const upload = await server.records([], () => begin(link, 2 * PART + 5, 'film.mp4', { sender }))
    assert.deepEqual([upload.part_size, upload.num_parts, upload.parts, upload.name], [PART, 3, [], 'film.mp4'])
    await server.records([], async () => {
      await send(upload, 3)
      await send(upload, 1)
    })
    assert.deepEqual((await get(upload)).parts, [1, 3])
    assert.deepEqual(await keysOf(link), [])
    await rejectsWith(complete(upload), 'conflict')
    await Promise.all([send(upload, 2), send(upload, 2)])
    const recorded = { action: 'upload' as const, bucket: BUCKET, key: `${link.prefix}film.mp4` }
    const done = await server.records([recorded], () => complete(upload))
    assert.deepEqual(done, { name: 'film.mp4', size: 2 * PART + 5 })
    assert.deepEqual(await server.records([], () => complete(upload)), done)
    const body = await (
      await server.admin.getObject({ params: { bucket: BUCKET, key: `${link.prefix}film.mp4` } })
    ).arrayBuffer()
    assert.ok(Buffer.from(body).equals(Buffer.concat([partOf(1, PART), partOf(2, PART), partOf(3, 5)])))
    const { items } = await server.admin.listShareAccesses({ params: { id: link.id } })
    assert.deepEqual(
      items.map((one) => [one.outcome, one.object_key, one.sender_name, one.sender_message]),
      [['uploaded', `${link.prefix}film.mp4`, 'Zoë', 'The film']],
    )
    const [audit] = (await server.admin.listAudit({ query: { action: ['upload'] } })).items
    const details = audit?.details as { [name: string]: unknown }
    assert.deepEqual(
      [audit?.actor.type, details.share_id, details.sender_name, details.parts],
      ['public', link.id, 'Zoë', 3],
    )
    const now = await linkNow(link)
    assert.deepEqual([now?.access_count, now?.received_bytes], [1, 2 * PART + 5])
  })

  it('never replace a file: racers of one name all arrive', async () => {
    const link = await linkTo()
    const uploads = await Promise.all([1, 2, 3].map((size) => begin(link, size, 'same.bin')))
    await Promise.all(uploads.map(sendAll))
    const names = await Promise.all(uploads.map(complete))
    assert.deepEqual(
      names.map(({ name }) => name),
      Array(3).fill('same.bin'),
      'no sender is told of the others',
    )
    assert.deepEqual(await keysOf(link), ['same (2).bin', 'same (3).bin', 'same.bin'])
  })

  it('are their sender’s alone: neither another visitor nor a user finds or finishes them', async () => {
    const link = await linkTo()
    const upload = await begin(link, 5)
    await send(upload, 1)
    const [kid = '', body = '', signature = ''] = upload.upload.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, upload: claims.share })).toString('base64url')
    for (const foreign of ['x', claims.upload, `${kid}.${forged}.${signature}`, `${kid}.${body}.x`, link.token]) {
      const params = { upload: foreign }
      await rejectsWith(visitor().getSharedUpload({ params }), 'not_found')
      await rejectsWith(visitor().putSharedPart({ params: { ...params, part_number: 1 }, body: 'other' }), 'not_found')
      await rejectsWith(visitor().completeSharedUpload({ params }), 'not_found')
      await rejectsWith(visitor().abortSharedUpload({ params }), 'not_found')
    }
    const params = { bucket: BUCKET, upload_id: claims.upload }
    await rejectsWith(server.admin.getUpload({ params }), 'not_found')
    await rejectsWith(
      server.admin.completeUpload({
        params: { bucket: BUCKET },
        body: { upload_id: claims.upload, parts: [{ part_number: 1, etag: 'x' }] },
      }),
      'not_found',
    )
    for (const path of [
      `/public/s/${link.token}`,
      `/public/s/${link.token}?info=1`,
      `/public/s/${link.token}/film.mp4`,
    ])
      assert.equal((await request({ url: server.url, path })).body.includes('film'), false)
    // Whoever may write there sees it, and may end it.
    const { items } = await server.admin.listUploads({ params: { bucket: BUCKET } })
    assert.ok(items.some(({ upload_id }) => upload_id === claims.upload))
    await server.admin.abortUpload({ params: { bucket: BUCKET }, body: { upload_id: claims.upload } })
    await rejectsWith(get(upload), 'not_found')
  })

  it('count against the limit of files while they are under way: of racers as many begin as there are', async () => {
    const link = await linkTo({ max_files: 2 })
    const racers = await Promise.allSettled(Array.from({ length: 6 }, (_, i) => begin(link, 5, `${i}.bin`)))
    const begun = racers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(begun.length, 2)
    for (const one of racers)
      if (one.status === 'rejected') await rejectsWith(Promise.reject(one.reason), 'limit_reached')
    const small = () => visitor().receiveThroughShare({ params: { token: link.token, key: 'small' }, body: 'x' })
    await rejectsWith(small(), 'limit_reached')
    const [first, second] = begun
    assert.ok(first && second)
    await sendAll(first)
    await complete(first)
    await visitor().abortSharedUpload({ params: { upload: second.upload } })
    await rejectsWith(get(second), 'not_found')
    await small()
    await rejectsWith(begin(link, 5), 'limit_reached')
    assert.equal((await keysOf(link)).length, 2)
  })

  it('are begun once, however often it is asked for, by whoever knows what its sender chose', async () => {
    const link = await linkTo({ max_files: 1 })
    const attempt = 'chosen at random 1'
    server.secrets.add(attempt)
    const first = await begin(link, 5, 'film.mp4', { attempt })
    await send(first, 1)
    const again = await begin(link, 5, 'film.mp4', { attempt })
    assert.deepEqual([again.upload, again.parts], [first.upload, [1]])
    await rejectsWith(begin(link, 5, 'film.mp4', { attempt: 'chosen at random 2' }), 'limit_reached')
    await rejectsWith(begin(link, 6, 'film.mp4', { attempt }), 'limit_reached')
    await rejectsWith(begin(link, 5, 'other.mp4', { attempt }), 'limit_reached')
    await complete(again)
    await rejectsWith(begin(link, 5, 'film.mp4', { attempt }), 'limit_reached')
    const other = await linkTo()
    assert.notEqual((await begin(other, 5, 'film.mp4', { attempt })).upload, first.upload)
  })

  it('a part that is under way when the link is revoked is not kept', async () => {
    const link = await linkTo()
    const upload = await begin(link, PART)
    const before = (await server.stored()).length
    const half = await sendHalf(server.url, {
      line: `PUT /api/v1/public/uploads/${upload.upload}/parts/1`,
      body: partOf(1, PART),
    })
    assert.equal(half.refused, null)
    await server.admin.revokeShare({ params: { id: link.id } })
    const answer = await half.finish()
    assert.ok([404, 410].includes(answer.status), String(answer.status))
    await server.running.tick()
    assert.equal((await server.stored()).length, before)
    assert.deepEqual(await keysOf(link), [])
  })

  it('hold the limit when they are completed too, where idle ones were overtaken', async () => {
    const link = await linkTo({ max_files: 1 })
    const idle = await begin(link, 5, 'idle.bin')
    await sendAll(idle)
    await server.later(HOUR + 60_000)
    await server.running.tick()
    const next = await begin(link, 5, 'next.bin')
    await sendAll(next)
    const racers = await Promise.allSettled([complete(idle), complete(next)])
    assert.deepEqual(racers.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await keysOf(link)).length, 1)
    assert.equal((await linkNow(link))?.received_bytes, 5)
  })

  it('count against the limits of bytes, and the quota of the bucket, as soon as they are announced', async () => {
    const link = await linkTo({ max_total_bytes: 2 * PART, max_file_bytes: PART + 1 })
    await rejectsWith(begin(link, PART + 2), 'too_large')
    const upload = await begin(link, PART + 1)
    await rejectsWith(begin(link, PART), 'too_large')
    await rejectsWith(
      visitor().receiveThroughShare({ params: { token: link.token, key: 'x' }, body: Buffer.alloc(PART) }),
      'too_large',
    )
    await visitor().abortSharedUpload({ params: { upload: upload.upload } })
    await begin(link, PART)

    const name = `quota-${++count}`
    await server.admin.createBucket({ body: { name, quota_gb: PART / 1024 ** 3 } })
    const small = await linkTo({}, name)
    await rejectsWith(begin(small, PART + 1), 'quota_exceeded')
    const held = await begin(small, PART)
    await rejectsWith(server.admin.putObject({ params: { bucket: name, key: 'x' }, body: 'x' }), 'quota_exceeded')
    await visitor().abortSharedUpload({ params: { upload: held.upload } })
    await server.admin.putObject({ params: { bucket: name, key: 'x' }, body: 'x' })
  })

  it('end with the link: revoked, expired, with another password, or without a creator who may write', async () => {
    const gone = async (upload: SharedUpload, code: 'gone' | 'not_found') => {
      await server.records([], async () => {
        await rejectsWith(send(upload, 1), code)
        await rejectsWith(get(upload), code)
        await rejectsWith(complete(upload), code)
      })
    }
    const before = (await server.stored()).length
    const revoked = await linkTo()
    const first = await begin(revoked, 5)
    await send(first, 1)
    await server.admin.revokeShare({ params: { id: revoked.id } })
    await gone(first, 'gone')
    await server.running.tick()
    assert.equal((await server.stored()).length, before, 'nothing is left of it')
    assert.deepEqual(await keysOf(revoked), [])

    const short = await linkTo({ expires_in: '1h' })
    const second = await begin(short, 5)
    await send(second, 1)
    await server.later(HOUR + 1000)
    await gone(second, 'gone')

    for (const word of ['word for parts', 'other word for parts']) server.secrets.add(word)
    const locked = await linkTo({ password: 'word for parts' })
    await rejectsWith(begin(locked, 5), 'unauthenticated')
    const { ticket } = await visitor().unlockShare({
      params: { token: locked.token },
      body: { password: 'word for parts' },
    })
    const third = await visitor().beginSharedUpload({
      params: { token: locked.token },
      query: { ticket },
      body: { name: 'a', size: 5 },
    })
    server.secrets.add(third.upload)
    // It goes on without the password, whose ticket may have ended by then.
    await server.later(HOUR + 1000)
    await send(third, 1)
    await server.admin.updateShare({ params: { id: locked.id }, body: { password: 'other word for parts' } })
    await gone(third, 'not_found')

    const password = 'secret of who receives'
    server.secrets.add(password)
    const group = await server.admin.createGroup({
      body: { name: 'Receivers', grants: [{ bucket_pattern: BUCKET, prefix: '', actions: ['share', 'write'] }] },
    })
    const email = 'receiver@example.com'
    await server.admin.createUser({ body: { email, display_name: 'R', password, group_ids: [group.id] } })
    const theirs = await server
      .as(await server.login(email, password))
      .createShare({ body: { kind: 'upload', bucket: BUCKET, prefix: 'theirs/' } })
    server.secrets.add(theirs.token)
    const fourth = await begin(theirs, 5)
    await send(fourth, 1)
    await server.admin.updateGroup({ params: { id: group.id }, body: { grants: [] } })
    await gone(fourth, 'gone')
  })

  it('expire like others when they are not finished', async () => {
    const link = await linkTo({ expires_in: '30d', max_files: 1 })
    const upload = await begin(link, PART + 1)
    await send(upload, 1)
    await server.later(24 * HOUR + 1000)
    await server.running.tick()
    await rejectsWith(get(upload), 'not_found')
    await begin(link, 5)
  })

  itOnce('take no names that lead elsewhere, no other types and no other links', async () => {
    const link = await linkTo({ content_types: ['image/*'] })
    const ask = (body: { name: string; size: number; content_type?: string }, token = link.token) =>
      visitor().beginSharedUpload({ params: { token }, body })
    for (const name of ['../x', 'a/../../x', 'a\\..\\x', 'folder/', '.', '..'])
      await rejectsWith(ask({ name, size: 5, content_type: 'image/png' }), 'invalid_request', 'body.name')
    await rejectsWith(ask({ name: 'a', size: 5, content_type: 'text/plain' }), 'unsupported_media_type')
    await rejectsWith(ask({ name: 'a.png', size: 0 }), 'invalid_request', 'body.size')
    for (const words of ['', '  ', 'a\nb', 'n'.repeat(101)])
      await rejectsWith(
        begin(link, 5, 'a.png', { content_type: 'image/png', sender: { name: words, message: null } }),
        'invalid_request',
        'body.sender.name',
      )
    await server.admin.putObject({ params: { bucket: BUCKET, key: 'plain.txt' }, body: 'x' })
    const plain = await server.admin.shareObject({ params: { bucket: BUCKET, key: 'plain.txt' }, body: {} })
    server.secrets.add(plain.token)
    await rejectsWith(ask({ name: 'a.png', size: 5 }, plain.token), 'gone')
    const upload = await ask({ name: 'a.png', size: 5 })
    server.secrets.add(upload.upload)
    const put = (part_number: number, body: string) =>
      visitor().putSharedPart({ params: { upload: upload.upload, part_number }, body })
    await rejectsWith(put(1, '1234'), 'malformed')
    await rejectsWith(put(1, '123456'), 'too_large')
    await rejectsWith(put(2, '1'), 'too_large')
    await rejectsWith(put(0, '1'), 'invalid_request')
    await rejectsWith(complete(upload), 'conflict')
    assert.deepEqual((await get(upload)).parts, [])
  })

  itOnce('do not go into a bucket created later under the same name', async () => {
    const name = `again-${++count}`
    await server.admin.createBucket({ body: { name } })
    const link = await linkTo({}, name)
    const upload = await begin(link, 5)
    await send(upload, 1)
    await visitor().abortSharedUpload({ params: { upload: upload.upload } })
    await server.admin.deleteBucket({ params: { bucket: name } })
    await server.admin.createBucket({ body: { name } })
    await rejectsWith(begin(link, 5), 'gone')
    await rejectsWith(visitor().receiveThroughShare({ params: { token: link.token, key: 'x' }, body: 'x' }), 'gone')
  })
})
