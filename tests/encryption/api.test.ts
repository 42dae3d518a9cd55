// Encryption over the HTTP API: what uploads and copies ask for, what is shown of it, and the default of new buckets.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { startTransit } from '../support/key-services.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const B = 'over-http'
const AES = { algorithm: 'AES256' } as const
const KMS = { algorithm: 'aws:kms', key: 'finance' } as const
const TOKEN = 'the-token-of-the-tests'
const MIB = 1024 ** 2

describeEngines('encryption over the HTTP API', (engine, itOnce) => {
  let server: TestServer
  let transit: Awaited<ReturnType<typeof startTransit>>
  before(async () => {
    server = await startServer(engine)
    server.secrets.add(TOKEN)
    transit = await startTransit(TOKEN)
    await server.admin.createBucket({ body: { name: B } })
    await server.admin.createKmsKey({
      body: {
        name: 'finance',
        kind: 'transit',
        endpoint: transit.url,
        mount: 'keys',
        key_id: 'strongroom',
        secret: TOKEN,
      },
    })
  })
  after(async () => {
    await server.stop()
    await transit.stop()
  })

  /** A URL of the service, whose address outside is another one. */
  const here = (url: string) => `${server.url}${new URL(url).pathname}`
  const upload = (key: string, body: Uint8Array<ArrayBuffer>, encryption?: string) =>
    server.admin.putObject({
      params: { bucket: B, key },
      headers: encryption === undefined ? {} : { 'x-encryption': encryption },
      body,
    })
  const bytesOf = async (key: string, bucket = B) =>
    Buffer.from(await (await server.admin.getObject({ params: { bucket, key } })).arrayBuffer())
  const shown = async (key: string) => {
    const { items } = await server.admin.listObjects({ params: { bucket: B }, query: { prefix: key } })
    return items.find((item) => item.key === key)?.encryption
  }
  const recorded = (action: 'upload' | 'copy', key: string, bucket = B) => [{ action, bucket, key }]
  async function ended(id: string): Promise<Job> {
    for (;;) {
      await server.running.tick('jobs')
      const job = await server.admin.getJob({ params: { id } })
      if (job.finished_at !== null) return job
    }
  }

  it('encrypts an upload as its header says, and says how in the response and the lists', async () => {
    for (const [header, encryption] of [
      [undefined, undefined],
      ['AES256', AES],
      ['aws:kms:finance', KMS],
    ] as const)
      for (const size of [0, 20, 100_000]) {
        const body = randomBytes(size)
        const key = `put/${header ?? 'none'}/${size}`
        const stored = await server.records(recorded('upload', key), () => upload(key, body, header))
        assert.deepEqual(stored.encryption, encryption)
        assert.deepEqual(await shown(key), encryption)
        const answer = await server.admin.getObject({ params: { bucket: B, key } })
        assert.equal(answer.headers.get('x-encryption'), header ?? null)
        assert.deepEqual(Buffer.from(await answer.arrayBuffer()), body)
      }
  })

  it('encrypts files of forms, uploads in parts, and uploads by signed URLs', async () => {
    const files = new FormData()
    files.append('file', new Blob([randomBytes(100)]), 'a.bin')
    files.append('file', new Blob([randomBytes(30_000)]), 'b.bin')
    const sent = await server.admin.uploadForm({
      params: { bucket: B },
      query: { prefix: 'form/' },
      headers: { 'x-encryption': 'AES256' },
      body: files,
    })
    assert.deepEqual(
      sent.items.map(({ encryption }) => encryption),
      [AES, AES],
    )

    const body = randomBytes(5 * MIB + 10)
    const started = await server.admin.initUpload({
      params: { bucket: B },
      body: { key: 'parts', file_size: body.length, part_size: 5 * MIB, encryption: KMS },
    })
    assert.deepEqual(started.encryption, KMS)
    const parts: { part_number: number; etag: string }[] = []
    for (const [i, url] of started.urls.entries()) {
      const answer = await fetch(here(url), { method: 'PUT', body: body.subarray(i * 5 * MIB, (i + 1) * 5 * MIB) })
      parts.push({ part_number: i + 1, etag: ((await answer.json()) as { etag: string }).etag })
    }
    const open = await server.admin.getUpload({ params: { bucket: B, upload_id: started.upload_id } })
    assert.deepEqual(open.encryption, KMS)
    const whole = await server.records(recorded('upload', 'parts'), () =>
      server.admin.completeUpload({ params: { bucket: B }, body: { upload_id: started.upload_id, parts } }),
    )
    assert.deepEqual(whole.encryption, KMS)
    assert.deepEqual(await bytesOf('parts'), body)

    const { url } = await server.admin.presignObject({ params: { bucket: B }, body: { key: 'signed', method: 'PUT' } })
    const answer = await fetch(here(url), { method: 'PUT', headers: { 'x-encryption': 'AES256' }, body: 'by URL' })
    assert.equal(answer.status, 201)
    assert.deepEqual(await shown('signed'), AES)
  })

  it('encrypts copies as asked, also onto their own key, and those of jobs', async () => {
    const body = randomBytes(70_000)
    await upload('from/one', body)
    await upload('from/two', body)
    const params = { bucket: B }
    const copy = (dest_key: string, encryption: typeof AES | typeof KMS) =>
      server.admin.copyObject({ params, body: { source_bucket: B, source_key: 'from/one', dest_key, encryption } })
    for (const encryption of [AES, KMS]) {
      const made = await server.records(recorded('copy', 'copied'), () => copy('copied', encryption))
      assert.deepEqual(made.encryption, encryption)
      assert.deepEqual(await bytesOf('copied'), body)
    }
    const same = await server.records(recorded('copy', 'from/one'), () => copy('from/one', AES))
    assert.deepEqual([same.encryption, await bytesOf('from/one')], [AES, body])

    const bulk = await server.admin.bulkCopy({
      params,
      body: { source_bucket: B, keys: ['from/one', 'from/two'], dest_prefix: 'bulk/', encryption: KMS },
    })
    assert.deepEqual(bulk.succeeded, ['bulk/one', 'bulk/two'])
    assert.deepEqual([await shown('bulk/one'), await shown('bulk/two')], [KMS, KMS])

    const { id } = await server.admin.createJob({
      body: { kind: 'copy', source_bucket: B, prefix: 'from/', dest_prefix: 'job/', encryption: AES },
    })
    const job = await ended(id)
    assert.deepEqual([job.status, job.done, job.failed], ['succeeded', 2, 0])
    assert.deepEqual([await shown('job/one'), await shown('job/two')], [AES, AES])
    assert.deepEqual(await bytesOf('job/two'), body)
  })

  it('says how versions and items of the trash are encrypted', async () => {
    const params = { bucket: 'kept-encrypted' }
    await server.admin.createBucket({ body: { name: params.bucket, versioning: 'enabled', encryption: AES } })
    for (const text of ['one', 'two'])
      await server.admin.putObject({ params: { ...params, key: 'x' }, body: Buffer.from(text) })
    const { items } = await server.admin.listVersions({ params })
    assert.deepEqual(
      items.map(({ encryption }) => encryption),
      [AES, AES],
    )
    const version_id = items[1]?.version_id ?? ''
    await server.admin.deleteObject({ params: { ...params, key: 'x' }, query: { version_id } })
    const trash = await server.admin.listTrash({ params })
    assert.deepEqual(trash.items[0]?.encryption, AES)
  })

  it('encrypts new buckets as the settings say, unless whoever creates one says otherwise', async () => {
    const set = (new_buckets: typeof AES | typeof KMS | null) =>
      server.admin.updateSettings({ body: { encryption: { new_buckets } } })
    await server.records([{ action: 'settings_update' }], () => set(AES))
    const { items } = await server.admin.listAudit({ query: { action: ['settings_update'] } })
    assert.deepEqual(items[0]?.details, {
      before: { encryption: { new_buckets: null } },
      after: { encryption: { new_buckets: AES } },
    })
    const made = await server.records([{ action: 'create_bucket', bucket: 'by-default' }], () =>
      server.admin.createBucket({ body: { name: 'by-default' } }),
    )
    assert.deepEqual(made.encryption, AES)
    const stored = await server.admin.putObject({ params: { bucket: 'by-default', key: 'x' }, body: Buffer.from('x') })
    assert.deepEqual(stored.encryption, AES)
    const plain = await server.admin.createBucket({ body: { name: 'plain-asked', encryption: null } })
    assert.equal(plain.encryption, null)
    await set(KMS)
    assert.deepEqual((await server.admin.createBucket({ body: { name: 'by-key' } })).encryption, KMS)
    // What exists stays as it is.
    assert.deepEqual((await server.admin.getBucket({ params: { bucket: 'by-default' } })).encryption, AES)
  })

  it('keeps a key that the settings, or anything that is stored, needs', async () => {
    const remove = (key: string) => server.admin.deleteKmsKey({ params: { key } })
    await server.records([], () => rejectsWith(remove('finance'), 'conflict'))
    const body = { kind: 'transit', endpoint: transit.url, mount: 'keys', key_id: 'strongroom', secret: TOKEN } as const
    await server.admin.createKmsKey({ body: { ...body, name: 'other' } })
    await server.admin.updateSettings({ body: { encryption: { new_buckets: { algorithm: 'aws:kms', key: 'other' } } } })
    await server.records([], () => rejectsWith(remove('other'), 'conflict'))
    await server.admin.updateSettings({ body: { encryption: { new_buckets: null } } })
    await upload('needs-other', randomBytes(10), 'aws:kms:other')
    await server.records([], () => rejectsWith(remove('other'), 'conflict'))
    await server.admin.deleteObject({ params: { bucket: B, key: 'needs-other' }, query: { permanent: true } })
    await server.records([{ action: 'kms_key_delete' }], () => remove('other'))
  })

  itOnce('refuses what it cannot do', async () => {
    const put = (encryption: string) => upload('refused', randomBytes(10), encryption)
    await server.records([], async () => {
      for (const wrong of ['none', 'aes256', 'aws:kms', 'aws:kms:', 'aws:kms:-', 'SSE-C', 'x'.repeat(5000)])
        await rejectsWith(put(wrong), 'malformed', 'header.x-encryption')
      await rejectsWith(put('aws:kms:unknown'), 'conflict', 'encryption.key')
      const body = { source_bucket: B, source_key: 'from/one', dest_key: 'refused' }
      const copy = (encryption: object) =>
        server.admin.copyObject({ params: { bucket: B }, body: { ...body, encryption: encryption as typeof AES } })
      await rejectsWith(copy({ algorithm: 'aws:kms' }), 'invalid_request', 'body.encryption.key')
      await rejectsWith(copy({ algorithm: 'AES256', key: 'finance' }), 'invalid_request', 'body.encryption.key')
      await rejectsWith(copy({ algorithm: 'aws:kms', key: 'unknown' }), 'conflict', 'encryption.key')
      const job = { kind: 'move', source_bucket: B, prefix: 'from/', dest_prefix: 'to/', encryption: AES } as const
      await rejectsWith(server.admin.createJob({ body: job }), 'invalid_request', 'body.encryption')
      const set = (new_buckets: object) =>
        server.admin.updateSettings({ body: { encryption: { new_buckets: new_buckets as typeof AES } } })
      await rejectsWith(set({ algorithm: 'aws:kms' }), 'invalid_request', 'body.encryption.new_buckets.key')
      await rejectsWith(set({ ...KMS, key: 'unknown' }), 'invalid_request', 'body.encryption.new_buckets.key')
      await rejectsWith(set({ algorithm: 'SSE-C' }), 'invalid_request', 'body.encryption.new_buckets.algorithm')
    })
    assert.equal(await shown('refused'), undefined)
    // Whoever may not write is told so, and not which keys there are.
    const reader = server.as(await server.userWith({ bucket_pattern: B, actions: ['read'] }))
    const headers = { 'x-encryption': 'aws:kms:unknown' }
    await rejectsWith(
      reader.putObject({ params: { bucket: B, key: 'refused' }, headers, body: Buffer.from('x') }),
      'forbidden',
    )
  })
})
