import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type LifecycleRule,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { describeEngines, type TestServer } from '../support/server.ts'
import { outcome, type Pair, type s3World, startS3 } from './s3.ts'

const DAY = 86_400_000

describeEngines('S3: lifecycle', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  let buckets = 0
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
  })
  after(() => server.stop())

  const open = async () => {
    const name = `lived-${++buckets}`
    await s3.send(new CreateBucketCommand({ Bucket: name }))
    return name
  }
  const rules = (Bucket: string, ...Rules: Partial<LifecycleRule>[]) =>
    new PutBucketLifecycleConfigurationCommand({
      Bucket,
      LifecycleConfiguration: { Rules: Rules.map((rule) => ({ Status: 'Enabled', ...rule }) as LifecycleRule) },
    })
  const read = async (Bucket: string) => (await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules
  const policiesOf = async (bucket: string) => {
    const { items } = await server.admin.listPolicies({ query: { limit: 1000 } })
    return items.filter(({ lifecycle }) => lifecycle?.bucket === bucket).reverse()
  }
  const put = (Bucket: string, Key: string, Tagging?: string, Body = 'x') =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, ...(Tagging ? { Tagging } : {}) }))
  const keys = async (bucket: string) =>
    (await server.admin.listObjects({ params: { bucket }, query: { limit: 1000 } })).items.map(({ key }) => key)
  /** Lets policies run and what they have started end. */
  const runAll = async () => {
    for (let i = 0; i < 3; i++) await server.running.tick('policies')
  }
  /** Midnight UTC, and with it the policies of that day. */
  const nextNight = async () => {
    const now = server.clock.now().getTime()
    await server.later(Math.ceil((now + 1) / DAY) * DAY + 3600_000 - now)
    s3 = world.clientOf(pair)
    await runAll()
  }

  it('keeps rules as they were written, and makes policies of those that expire objects', async () => {
    const bucket = await open()
    assert.equal(await outcome(read(bucket)), 'NoSuchLifecycleConfiguration')
    await server.records([], () => s3.send(new DeleteBucketLifecycleCommand({ Bucket: bucket })))
    const written: Partial<LifecycleRule>[] = [
      { ID: 'old form', Prefix: 'logs/', Expiration: { Days: 30 } },
      { ID: 'day', Filter: { Prefix: 'a & b/' }, Expiration: { Date: new Date('2030-01-01T00:00:00Z') } },
      {
        ID: 'all of it',
        Filter: {
          And: {
            Prefix: 'tmp/',
            Tags: [
              { Key: 'use', Value: 'scratch' },
              { Key: 'team', Value: '' },
            ],
            ObjectSizeGreaterThan: 10,
            ObjectSizeLessThan: 1000,
          },
        },
        Expiration: { Days: 1 },
        NoncurrentVersionExpiration: { NoncurrentDays: 3, NewerNoncurrentVersions: 2 },
      },
      { ID: 'tag', Filter: { Tag: { Key: 'k', Value: 'v' } }, Expiration: { Days: 2 } },
      { ID: 'size', Filter: { ObjectSizeLessThan: 5 }, Expiration: { Days: 2 } },
      { ID: 'off', Status: 'Disabled', Prefix: '', Expiration: { Days: 1 } },
      { ID: 'marker', Filter: {}, Expiration: { ExpiredObjectDeleteMarker: true } },
      { ID: 'parts', Prefix: 'up/', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
    ]
    const created = { action: 'policy_create' as const }
    await server.records([{ action: 'update_bucket', bucket }, ...Array.from({ length: 6 }, () => created)], () =>
      s3.send(rules(bucket, ...written)),
    )
    const kept = written.map((rule) => ({ Status: 'Enabled', ...rule }))
    assert.deepEqual(await read(bucket), kept)
    await server.records([], () => s3.send(rules(bucket, ...written)))
    const policies = await policiesOf(bucket)
    assert.deepEqual(
      policies.map(({ lifecycle, prefix, older_than_days, date, min_size, max_size, tags, enabled }) => [
        lifecycle?.rule_id,
        prefix,
        older_than_days ?? date,
        [min_size, max_size],
        tags,
        enabled,
      ]),
      [
        ['old form', 'logs/', 30, [null, null], null, true],
        ['day', 'a & b/', '2030-01-01T00:00:00.000Z', [null, null], null, true],
        ['all of it', 'tmp/', 1, [11, 999], { use: 'scratch', team: '' }, true],
        ['tag', '', 2, [null, null], { k: 'v' }, true],
        ['size', '', 2, [null, 4], null, true],
        ['marker', '', null, [null, null], null, true],
      ],
    )
    for (const { bucket_patterns, cron, timezone, next_run_at, author_email } of policies) {
      assert.deepEqual([bucket_patterns, timezone, author_email], [[bucket], 'UTC', 'admin@example.com'])
      assert.match(cron ?? '', /^[1-5]?\d 0 \* \* \*$/)
      assert.equal(next_run_at?.slice(11, 14), '00:')
    }
    assert.deepEqual(
      policies.map(({ noncurrent_days, keep_versions, expired_markers }) => [
        noncurrent_days,
        keep_versions,
        expired_markers,
      ]),
      [
        [null, null, true],
        [null, null, true],
        [3, 2, false],
        [null, null, false],
        [null, null, false],
        [null, null, true],
      ],
    )
    // They belong to the configuration: nobody else changes them.
    const params = { id: policies[0]?.id ?? '' }
    await server.records([], async () => {
      assert.equal(await outcome(server.admin.updatePolicy({ params, body: { enabled: false } })), 'ProblemError')
      assert.equal(await outcome(server.admin.deletePolicy({ params })), 'ProblemError')
    })
    // A rule that changes keeps its policy and its history; those taken out go.
    const changed = { ID: 'old form', Prefix: 'logs/', Expiration: { Days: 31 } }
    const deleted = { action: 'policy_delete' as const }
    await server.records(
      [{ action: 'update_bucket', bucket }, { action: 'policy_update' }, ...Array.from({ length: 5 }, () => deleted)],
      () => s3.send(rules(bucket, changed)),
    )
    assert.deepEqual(
      (await policiesOf(bucket)).map(({ id, older_than_days }) => [id, older_than_days]),
      [[params.id, 31]],
    )
    await server.records([{ action: 'update_bucket', bucket }, deleted], () =>
      s3.send(new DeleteBucketLifecycleCommand({ Bucket: bucket })),
    )
    assert.deepEqual(await policiesOf(bucket), [])
    assert.equal(await outcome(read(bucket)), 'NoSuchLifecycleConfiguration')
  })

  it('deletes at the midnight after the last day, into the trash, and nothing else', async () => {
    const bucket = await open()
    await nextNight()
    await put(bucket, 'logs/early')
    await put(bucket, 'logs/tagged', 'keep=yes')
    await put(bucket, 'other')
    await server.later(12 * 3600_000)
    s3 = world.clientOf(pair)
    await put(bucket, 'logs/late')
    await s3.send(
      rules(
        bucket,
        { ID: 'day', Prefix: 'logs/', Expiration: { Days: 1 } },
        { ID: 'by tag', Filter: { Tag: { Key: 'drop', Value: 'now' } }, Expiration: { Days: 3 } },
      ),
    )
    const explained = await server.admin.explainPolicies({ params: { bucket }, query: { key: 'logs/early' } })
    const [why] = explained.items
    assert.equal(why?.matches_at?.slice(10), 'T00:00:00.000Z')
    // A run by hand does not run ahead of S3's days.
    const [day] = await policiesOf(bucket)
    const run = await server.admin.runPolicy({ params: { id: day?.id ?? '' }, query: { dry_run: true } })
    assert.deepEqual([run.matched, run.cutoff.slice(10)], [0, 'T00:00:00.000Z'])
    await nextNight()
    assert.deepEqual(await keys(bucket), ['logs/early', 'logs/late', 'logs/tagged', 'other'], 'after less than a day')
    await put(bucket, 'logs/early')
    await nextNight()
    assert.equal(server.clock.now() > new Date(why?.deletes_at ?? ''), true)
    assert.deepEqual(await keys(bucket), ['logs/early', 'other'], 'the one put again starts anew')
    const { items } = await server.admin.listTrash({ params: { bucket } })
    assert.deepEqual(items.map(({ key }) => key).sort(), ['logs/early', 'logs/late', 'logs/tagged'])
    const audit = await server.admin.listAudit({ query: { action: ['delete'], bucket } })
    assert.ok(audit.items.every(({ details }) => (details as { policy_id?: string }).policy_id === day?.id))
    assert.equal(audit.items.length, 2)
  })

  it('says of objects when they expire and by which rule, as policies do', async () => {
    const bucket = await open()
    const Key = 'logs/a'
    const at = async (key = Key) => (await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))).Expiration
    assert.equal((await put(bucket, Key)).Expiration, undefined)
    assert.equal(await at(), undefined)
    await s3.send(
      rules(
        bucket,
        { ID: 'later', Prefix: '', Expiration: { Days: 9 } },
        { ID: 'sooner & first', Prefix: 'logs/', Expiration: { Days: 2 } },
        { ID: 'tagged', Filter: { Tag: { Key: 'drop', Value: 'now' } }, Expiration: { Days: 1 } },
        { ID: 'large', Filter: { ObjectSizeGreaterThan: 3 }, Expiration: { Date: new Date('2020-01-01T00:00:00Z') } },
        { ID: 'off', Status: 'Disabled', Prefix: '', Expiration: { Days: 1 } },
        { ID: 'marker', Filter: {}, Expiration: { ExpiredObjectDeleteMarker: true } },
      ),
    )
    const midnight = (days: number) =>
      new Date(Math.ceil(server.clock.now().getTime() / DAY + days) * DAY).toUTCString()
    const says = (days: number, id: string) => `expiry-date="${midnight(days)}", rule-id="${id}"`
    const first = says(2, 'sooner%20%26%20first')
    assert.equal(await at(), first)
    assert.equal((await put(bucket, Key)).Expiration, first)
    assert.equal((await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Expiration, first)
    const { items } = await server.admin.explainPolicies({ params: { bucket }, query: { key: Key } })
    const soonest = items.map(({ matches_at }) => matches_at ?? '').sort()[0]
    assert.equal(new Date(soonest ?? '').toUTCString(), midnight(2))
    assert.equal((await put(bucket, Key, 'drop=now')).Expiration, says(1, 'tagged'))
    assert.equal(await at(), says(1, 'tagged'))
    const CopySource = `${bucket}/${Key}`
    const copied = await s3.send(new CopyObjectCommand({ Bucket: bucket, Key: 'b', CopySource }))
    assert.equal(copied.Expiration, says(1, 'tagged'))
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'c' }))
    const part = { Bucket: bucket, Key: 'c', UploadId }
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, PartNumber: 1, Body: 'more' }))
    const done = await s3.send(
      new CompleteMultipartUploadCommand({ ...part, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }),
    )
    assert.equal(done.Expiration, 'expiry-date="Wed, 01 Jan 2020 00:00:00 GMT", rule-id="large"')
    assert.equal(await at('c'), done.Expiration)
  })

  it('aborts uploads that were not completed in time, where a rule says so', async () => {
    const bucket = await open()
    await nextNight()
    const begin = (Key: string) => s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }))
    const old = await begin('up/old')
    assert.equal(old.AbortDate, undefined)
    await begin('elsewhere')
    await s3.send(
      rules(
        bucket,
        { ID: 'parts', Prefix: 'up/', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } },
        { ID: 'off', Status: 'Disabled', Prefix: '', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      ),
    )
    const uploads = async () => {
      await server.running.tick('abandoned-uploads')
      await server.running.tick('upload-sweeper')
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
      return Uploads.map(({ Key }) => Key)
    }
    const saidOf = ({ AbortDate, AbortRuleId }: { AbortDate?: Date; AbortRuleId?: string }) => [AbortDate, AbortRuleId]
    const oldParts = await s3.send(new ListPartsCommand({ Bucket: bucket, Key: 'up/old', UploadId: old.UploadId }))
    await nextNight()
    const inDays = (days: number) => new Date(Math.ceil(server.clock.now().getTime() / DAY + days) * DAY)
    assert.deepEqual(saidOf(oldParts), [inDays(1), 'parts'])
    assert.deepEqual(saidOf(await begin('up/new')), [inDays(2), 'parts'])
    await nextNight()
    assert.deepEqual(await uploads(), ['elsewhere', 'up/new', 'up/old'])
    await nextNight()
    await server.records([], async () => assert.deepEqual(await uploads(), ['elsewhere', 'up/new']))
  })

  it('ends with its bucket: one of the same name keeps its objects', async () => {
    const bucket = await open()
    await s3.send(rules(bucket, { ID: 'all', Prefix: '', Expiration: { Days: 1 } }))
    await put(bucket, 'k')
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k' }))
    await s3.send(new DeleteBucketCommand({ Bucket: bucket }))
    await s3.send(new CreateBucketCommand({ Bucket: bucket }))
    assert.equal(await outcome(read(bucket)), 'NoSuchLifecycleConfiguration')
    await put(bucket, 'k')
    // By hand, before anything has cleaned up.
    const [policy] = await policiesOf(bucket)
    await server.later(3 * DAY)
    s3 = world.clientOf(pair)
    const run = await server.admin.runPolicy({ params: { id: policy?.id ?? '' } })
    assert.deepEqual([run.status, run.examined, run.matched], ['succeeded', 0, 0])
    // Other buckets' rules have been due too.
    await server.running.tick('policies')
    const { items } = await server.admin.listAudit({ query: { action: ['policy_delete'] } })
    assert.equal(items[0]?.resource_id, policy?.id)
    assert.deepEqual(await policiesOf(bucket), [])
    assert.deepEqual(await keys(bucket), ['k'])
  })

  it('runs with the rights of who put it, and asks for them on the whole bucket', async () => {
    const bucket = await open()
    await put(bucket, 'k')
    const grant = (...actions: ('list' | 'read' | 'write' | 'policy' | 'delete' | 'manage')[]) => ({
      bucket_pattern: bucket,
      actions,
    })
    const clientWith = async (...grants: Parameters<TestServer['userWith']>) =>
      world.clientOf(await world.keyOf(await server.userWith(...grants)))
    const rule = { ID: 'all', Prefix: '', Expiration: { Days: 1 } }
    for (const client of [
      await clientWith(grant('list', 'read', 'write', 'manage')),
      await clientWith(grant('policy')),
      await clientWith({ ...grant('policy', 'delete'), prefix: 'a/' }),
    ])
      await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
        assert.equal(await outcome(client.send(rules(bucket, rule))), 'AccessDenied'),
      )
    const other = await clientWith(grant('policy', 'delete'))
    assert.equal(await outcome(other.send(rules(bucket, rule))), 'ok')
    const [before] = await policiesOf(bucket)
    // Put again by another, the same rule has another author.
    await server.records([{ action: 'policy_update' }], () => s3.send(rules(bucket, rule)))
    const [now] = await policiesOf(bucket)
    assert.notEqual(now?.author_id, before?.author_id)
    assert.equal(now?.id, before?.id)
  })

  it('of configurations put at the same time, one wins as a whole', async () => {
    const bucket = await open()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        outcome(
          s3.send(
            rules(
              bucket,
              { ID: 'shared', Prefix: '', Expiration: { Days: i + 1 } },
              { ID: `own ${i}`, Prefix: '', Expiration: { Days: i + 1 } },
            ),
          ),
        ),
      ),
    )
    assert.deepEqual(new Set(answers), new Set(['ok']))
    const kept = (await read(bucket)) ?? []
    assert.deepEqual(
      (await policiesOf(bucket)).map(({ lifecycle, older_than_days }) => [lifecycle?.rule_id, older_than_days]).sort(),
      kept.map(({ ID, Expiration }) => [ID, Expiration?.Days]).sort(),
    )
    assert.equal(kept.length, 2)
  })

  itOnce('takes conditions beside each other and beside And, all of which count', async () => {
    const bucket = await open()
    const Tag = { Key: 'a', Value: '1' }
    const And = { Prefix: 'logs', Tags: [{ Key: 'b', Value: '2' }] }
    await s3.send(
      rules(
        bucket,
        { ID: 'beside', Filter: { Prefix: 'logs/', Tag }, Expiration: { Days: 1 } },
        { ID: 'all', Filter: { Prefix: 'logs/', Tag, And }, Expiration: { Days: 1 } },
      ),
    )
    assert.deepEqual(
      (await policiesOf(bucket)).map(({ prefix, tags }) => [prefix, tags]),
      [
        ['logs/', { a: '1' }],
        ['logs/', { a: '1', b: '2' }],
      ],
    )
    const impossible = { Filter: { Prefix: 'other/', And }, Expiration: { Days: 1 } }
    assert.equal(await outcome(s3.send(rules(bucket, impossible))), 'InvalidRequest')
  })

  it('deletes versions and bare markers at midnight, and nothing that is needed', async () => {
    const bucket = await open()
    await server.admin.updateBucket({ params: { bucket }, body: { versioning: 'enabled' } })
    await nextNight()
    for (const key of ['v/kept', 'v/kept', 'v/kept', 'v/kept', 'v/gone', 'elsewhere', 'elsewhere'])
      await put(bucket, key)
    await server.admin.deleteObject({ params: { bucket, key: 'v/gone' } })
    await s3.send(
      rules(bucket, {
        ID: 'versions',
        Prefix: 'v/',
        Expiration: { ExpiredObjectDeleteMarker: true },
        NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 1 },
      }),
    )
    const left = async () =>
      (await server.admin.listVersions({ params: { bucket } })).items.map(
        ({ key, marker }) => key + (marker ? ' -' : ''),
      )
    const before = await left()
    assert.equal(before.length, 8)
    await nextNight()
    assert.deepEqual(await left(), before, 'after less than a day')
    await nextNight()
    const first = ['elsewhere', 'elsewhere', 'v/gone -', 'v/gone', 'v/kept', 'v/kept']
    assert.deepEqual(await left(), first)
    await s3.send(
      rules(bucket, {
        ID: 'versions',
        Prefix: 'v/',
        Expiration: { Days: 30 },
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      }),
    )
    await nextNight()
    const second = ['elsewhere', 'elsewhere', 'v/gone -', 'v/kept']
    assert.deepEqual(await left(), second, 'the marker is not 30 days old')
    const { items } = await server.admin.listTrash({ params: { bucket } })
    assert.deepEqual(items.map(({ key }) => key).sort(), ['v/gone', 'v/kept', 'v/kept', 'v/kept'])
    await server.later(30 * DAY)
    await nextNight()
    assert.deepEqual(await left(), ['elsewhere', 'elsewhere', 'v/kept -', 'v/kept'])
  })

  itOnce('refuses what it cannot do, and keeps what was', async () => {
    const bucket = await open()
    await s3.send(rules(bucket, { ID: 'first', Prefix: 'a/', Expiration: { Days: 1 } }))
    const before = await read(bucket)
    const one = (inner: string) => `<LifecycleConfiguration><Rule>${inner}</Rule></LifecycleConfiguration>`
    const on = '<Status>Enabled</Status>'
    const prefix = '<Prefix/>'
    const days = '<Expiration><Days>1</Days></Expiration>'
    const good = `${on}${prefix}${days}`
    const expire = (inner: string) => one(`${on}${prefix}<Expiration>${inner}</Expiration>`)
    const filter = (inner: string) => one(`${on}${days}<Filter>${inner}</Filter>`)
    const tag = (name: string) => `<Tag><Key>${name}</Key><Value>v</Value></Tag>`
    const abort = (inner: string) =>
      one(
        `${on}${inner}<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>`,
      )
    for (const [body, code] of [
      ['', 'MalformedXML'],
      ['<LifecycleConfiguration/>', 'MalformedXML'],
      [one(days), 'MalformedXML'],
      [one(`${on}${days}`), 'MalformedXML'],
      [one(`${good}<Filter/>`), 'MalformedXML'],
      [one(`${good}<Other/>`), 'MalformedXML'],
      [one(`<Status>enabled</Status>${prefix}${days}`), 'MalformedXML'],
      [one(`${on}${prefix}`), 'InvalidRequest'],
      [one(`${good}<ID>${'i'.repeat(256)}</ID>`), 'InvalidArgument'],
      [
        `<LifecycleConfiguration>${`<Rule><ID>x</ID>${good}</Rule>`.repeat(2)}</LifecycleConfiguration>`,
        'InvalidArgument',
      ],
      [`<LifecycleConfiguration>${`<Rule>${good}</Rule>`.repeat(1001)}</LifecycleConfiguration>`, 'MalformedXML'],
      [expire(''), 'MalformedXML'],
      [expire('<Days>1</Days><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>'), 'MalformedXML'],
      [expire('<Days>0</Days>'), 'InvalidArgument'],
      [expire('<Days>-1</Days>'), 'InvalidArgument'],
      [expire('<Days>36501</Days>'), 'InvalidArgument'],
      [expire('<Days>soon</Days>'), 'MalformedXML'],
      [expire('<Date>2030-01-01T01:00:00Z</Date>'), 'InvalidArgument'],
      [expire('<Date>someday</Date>'), 'MalformedXML'],
      [expire('<ExpiredObjectDeleteMarker>maybe</ExpiredObjectDeleteMarker>'), 'MalformedXML'],
      [filter(`${tag('a')}${tag('b')}`), 'MalformedXML'],
      [
        one(
          `${on}<Filter>${tag('a')}</Filter><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>`,
        ),
        'InvalidRequest',
      ],
      [filter('<And><Other/></And>'), 'MalformedXML'],
      [filter(`<And>${tag('a')}${tag('a')}</And>`), 'InvalidRequest'],
      [filter(tag('')), 'InvalidTag'],
      [filter(`<Prefix>${'p'.repeat(1025)}</Prefix>`), 'InvalidArgument'],
      [
        filter('<And><ObjectSizeGreaterThan>4</ObjectSizeGreaterThan><ObjectSizeLessThan>5</ObjectSizeLessThan></And>'),
        'InvalidRequest',
      ],
      [filter('<ObjectSizeLessThan>0</ObjectSizeLessThan>'), 'InvalidArgument'],
      [abort(`<Filter>${tag('a')}</Filter>`), 'InvalidRequest'],
      [
        one(`${good}<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>`),
        'InvalidStorageClass',
      ],
    ] as const) {
      const path = `/${bucket}?lifecycle`
      const answer = async () => world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, body }), body)
      await server.records([], async () => assert.equal((await answer()).code, code, body))
    }
    assert.deepEqual(await read(bucket), before)
    assert.equal(
      await outcome(s3.send(rules('absent-bucket', { Prefix: '', Expiration: { Days: 1 } }))),
      'NoSuchBucket',
    )
  })
})
