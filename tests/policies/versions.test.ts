import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import fc from 'fast-check'
import { compileGlob } from '../../contract/patterns.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { DAY, type NewPolicy, policiesWorld } from './policies.ts'

/** A version as the model has it. */
interface Version {
  key: string
  id: string
  marker: boolean
  size: number
  at: number
  /** Since when contents are not current, whatever became of what replaced them. */
  since?: number
  tags: { [name: string]: string }
}

describeEngines('cleanup policies: versions', (engine) => {
  const world = policiesWorld(engine)
  const { create, run, items, brief } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  async function open() {
    const { name, put, keys, trash } = await world.open({ versioning: 'enabled' })
    const params = { bucket: name }
    return {
      name,
      put: async (key: string, text = 'x') => (await put(key, text)).version_id ?? '',
      remove: (key: string) => server.admin.deleteObject({ params: { ...params, key } }),
      keys,
      trash,
      versions: async (query: { key?: string } = {}) =>
        (await server.admin.listVersions({ params, query: { ...query, limit: 1000 } })).items,
    }
  }
  const deleted = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'version_delete' as const, bucket, key }))

  it('deletes versions that are not current long enough, into the trash, each recorded; objects stay', async () => {
    const bucket = await open()
    const one = await bucket.put('a/doc', 'one')
    const two = await bucket.put('a/doc', 'two!')
    await bucket.put('b/doc', 'other')
    await bucket.put('b/doc', 'another')
    await server.later(DAY)
    const three = await bucket.put('a/doc', 'three')
    const rule = { bucket_patterns: [bucket.name], prefix: 'a/', noncurrent_days: 1 }
    const preview = await server.admin.previewPolicy({ body: rule })
    assert.deepEqual([preview.examined, preview.matched, preview.bytes, preview.excluded.noncurrent_days], [2, 1, 3, 1])
    assert.deepEqual(
      preview.objects.map(({ key, version_id, marker }) => [key, version_id, marker]),
      [['a/doc', one, false]],
    )
    const policy = await create(rule)
    const dry = await server.records([{ action: 'policy_run' }], () => run(policy.id, { dry_run: true }))
    assert.deepEqual(brief(dry), ['succeeded', 1, 0, 0, 3])
    const done = await server.records([...deleted(bucket.name, 'a/doc'), { action: 'policy_run' }], () =>
      run(policy.id, { of: dry.id }),
    )
    assert.deepEqual(brief(done), ['succeeded', 1, 1, 0, 3])
    assert.deepEqual(
      (await items(done)).map(({ key, version_id, outcome }) => [key, version_id, outcome]),
      [['a/doc', one, 'deleted']],
    )
    assert.deepEqual(
      (await bucket.versions({ key: 'a/doc' })).map(({ version_id }) => version_id),
      [three, two],
    )
    const { items: records } = await server.admin.listAudit({
      query: { action: ['version_delete'], bucket: bucket.name },
    })
    assert.deepEqual(
      records.map(({ details: { policy_id, bulk_id, version_id } }) => [policy_id, bulk_id, version_id]),
      [[policy.id, done.id, one]],
    )
    // What a policy takes comes back.
    const [trashed] = await bucket.trash()
    await server.admin.restoreTrash({
      params: { bucket: bucket.name },
      body: { ids: [trashed?.id ?? ''], on_conflict: 'replace' },
    })
    assert.equal((await bucket.versions({ key: 'a/doc' })).length, 3)
    // Nothing explains the object's end: it has none.
    const { items: reasons } = await server.admin.explainPolicies({
      params: { bucket: bucket.name },
      query: { key: 'a/doc' },
    })
    assert.deepEqual(reasons, [])
  })

  it('keeps the newest versions of each key, however old', async () => {
    const bucket = await open()
    const ids: string[] = []
    for (const text of ['1', '22', '333', '4444', '55555']) ids.push(await bucket.put('k', text))
    await bucket.put('single')
    const policy = await create({ bucket_patterns: [bucket.name], keep_versions: 2 })
    const done = await server.records([...deleted(bucket.name, 'k', 'k'), { action: 'policy_run' }], () =>
      run(policy.id),
    )
    assert.deepEqual([...brief(done), done.examined], ['succeeded', 2, 2, 0, 3, 4])
    assert.deepEqual(
      (await bucket.versions({ key: 'k' })).map(({ version_id }) => version_id),
      ids.slice(2).reverse(),
    )
    assert.deepEqual(await bucket.keys(), ['k', 'single'])
    // Only those that the rule is about are counted.
    const large = await server.admin.previewPolicy({
      body: { bucket_patterns: [bucket.name], keep_versions: 1, min_size: 4 },
    })
    assert.deepEqual([large.matched, large.excluded.min_size, large.excluded.keep_versions], [0, 1, 1])
  })

  it('deletes markers of which nothing is left, and never one that hides something', async () => {
    const bucket = await open()
    await bucket.put('hidden')
    await bucket.remove('hidden')
    const one = await bucket.put('gone')
    await bucket.remove('gone')
    const params = { bucket: bucket.name }
    await server.admin.deleteObject({ params: { ...params, key: 'gone' }, query: { version_id: one } })
    await bucket.put('under')
    await bucket.remove('under')
    await bucket.put('under')
    const policy = await create({ bucket_patterns: [bucket.name], expired_markers: true })
    assert.equal(policy.expired_markers, true)
    const dry = await run(policy.id, { dry_run: true })
    assert.deepEqual(
      (await items(dry)).map(({ key, marker, size }) => [key, marker, size]),
      [['gone', true, 0]],
    )
    assert.equal(dry.examined, 2)
    const preview = await server.admin.previewPolicy({
      body: { bucket_patterns: [bucket.name], expired_markers: true },
    })
    assert.deepEqual([preview.matched, preview.excluded.expired_markers], [1, 1])
    const done = await server.records([...deleted(bucket.name, 'gone'), { action: 'policy_run' }], () => run(policy.id))
    assert.deepEqual(brief(done), ['succeeded', 1, 1, 0, 0])
    assert.deepEqual(
      (await bucket.versions()).map(({ key, marker }) => [key, marker]),
      [
        ['hidden', true],
        ['hidden', false],
        ['under', false],
        ['under', true],
        ['under', false],
      ],
    )
    assert.deepEqual(await bucket.trash().then((rows) => rows.map(({ key }) => key)), ['gone'])
    // A null takes the condition away, and a policy needs one.
    await rejectsWith(
      server.admin.updatePolicy({ params: { id: policy.id }, body: { expired_markers: null } }),
      'invalid_request',
    )
    const other = await server.admin.updatePolicy({
      params: { id: policy.id },
      body: { expired_markers: null, older_than_days: 1 },
    })
    assert.equal(other.expired_markers, false)
  })

  it('leaves what is needed by now: current again, or covered by a newer version', async () => {
    const bucket = await open()
    const params = { bucket: bucket.name }
    const old = await bucket.put('promoted')
    const young = await bucket.put('promoted', 'young')
    const gone = await bucket.put('taken')
    await bucket.put('taken')
    const lone = await bucket.put('marked')
    await bucket.remove('marked')
    await server.admin.deleteObject({ params: { ...params, key: 'marked' }, query: { version_id: lone } })
    await bucket.put('uncovered')
    await bucket.remove('uncovered')
    const above = await bucket.put('uncovered')
    const policy = await create({ bucket_patterns: [bucket.name], expired_markers: true, noncurrent_days: 0 })
    const dry = await run(policy.id, { dry_run: true })
    assert.deepEqual(
      (await items(dry)).map(({ key, marker }) => [key, marker]),
      [
        ['marked', true],
        ['promoted', false],
        ['taken', false],
        ['uncovered', true],
        ['uncovered', false],
      ],
    )
    server.clock.advance(1000)
    // It is current now.
    await server.admin.deleteObject({ params: { ...params, key: 'promoted' }, query: { version_id: young } })
    await server.admin.deleteObject({ params: { ...params, key: 'taken' }, query: { version_id: gone } })
    // Without the marker, what is below would be back.
    await server.admin.deleteObject({ params: { ...params, key: 'uncovered' }, query: { version_id: above } })
    const done = await server.records([...deleted(bucket.name, 'marked', 'uncovered'), { action: 'policy_run' }], () =>
      run(policy.id, { of: dry.id }),
    )
    assert.deepEqual(brief(done), ['succeeded', 5, 2, 3, 1])
    assert.deepEqual(
      (await items(done)).map(({ key, outcome }) => [key, outcome]),
      [
        ['marked', 'deleted'],
        ['promoted', 'gone'],
        ['taken', 'gone'],
        ['uncovered', 'kept_changed'],
        ['uncovered', 'deleted'],
      ],
    )
    assert.deepEqual(await bucket.keys(), ['promoted', 'taken'])
    assert.equal((await bucket.versions({ key: 'promoted' }))[0]?.version_id, old)
  })

  it('a model of all conditions: the preview, the run and what is left agree with it', async () => {
    const KEYS = ['a', 'b/c', 'b/d']
    const tags = fc.constantFrom<{ [name: string]: string }>({}, {}, { keep: 'no' })
    const event = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ op: fc.constant('put' as const), key: fc.constantFrom(...KEYS), size: fc.nat(3), tags }),
      },
      { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), key: fc.constantFrom(...KEYS) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          op: fc.constant('deleteVersion' as const),
          key: fc.constantFrom(...KEYS),
          at: fc.nat(9),
        }),
      },
      { weight: 3, arbitrary: fc.record({ op: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }) },
    )
    const rule = fc.record({
      prefix: fc.constantFrom('', '', 'b/'),
      glob: fc.constantFrom(null, null, null, '*'),
      older_than_days: fc.constantFrom(null, null, 0, 1),
      min_size: fc.constantFrom(null, null, null, 2),
      max_size: fc.constantFrom(null, null, null, 1),
      tags: fc.constantFrom(null, null, null, { keep: 'no' }),
      noncurrent_days: fc.constantFrom(null, 0, 1, 2),
      keep_versions: fc.constantFrom(null, null, 1, 2),
      expired_markers: fc.boolean(),
    })
    let total = 0
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 6, maxLength: 30, size: 'max' }), rule, async (events, given) => {
        const bucket = await open()
        const params = { bucket: bucket.name }
        const model = new Map<string, Version[]>(KEYS.map((key) => [key, []]))
        const of = (key: string) => model.get(key) as Version[]
        const now = () => server.clock.now().getTime()
        for (const one of events) {
          if (one.op === 'wait') {
            await server.later(one.hours * 3600_000)
            continue
          }
          const versions = of(one.key)
          // Of each version's time, none is the same as another's.
          server.clock.advance(1)
          const add = (version: Version) => {
            if (versions[0]) versions[0].since = now()
            versions.unshift(version)
          }
          if (one.op === 'put') {
            const id = await bucket.put(one.key, 'x'.repeat(one.size))
            if (Object.keys(one.tags).length > 0)
              await server.admin.updateObject({ params: { ...params, key: one.key }, body: { tags: one.tags } })
            add({ key: one.key, id, marker: false, size: one.size, at: now(), tags: one.tags })
          } else if (one.op === 'delete') {
            if (versions[0] === undefined || versions[0].marker) continue
            await bucket.remove(one.key)
            const [marker] = await bucket.versions({ key: one.key })
            add({ key: one.key, id: marker?.version_id ?? '', marker: true, size: 0, at: now(), tags: {} })
          } else {
            const version = versions[one.at % (versions.length || 1)]
            if (!version) continue
            await server.admin.deleteObject({ params: { ...params, key: one.key }, query: { version_id: version.id } })
            versions.splice(versions.indexOf(version), 1)
          }
        }
        await server.later(1)
        const body: NewPolicy = { name: 'model', bucket_patterns: [bucket.name], ...given }
        const names = Object.entries(given).filter(([name]) => name !== 'prefix')
        if (names.every(([, value]) => value === null || value === false)) return
        if ((given.min_size ?? 0) > (given.max_size ?? 9)) return
        const expected = expectedOf([...model.values()], given, now())
        total += expected.length
        const preview = await server.admin.previewPolicy({ body })
        const told = preview.objects.map(({ key, version_id }) => `${key} ${version_id ?? 'current'}`)
        assert.deepEqual(told.toSorted(), expected.toSorted())
        const policy = await server.admin.createPolicy({ body })
        const done = await run(policy.id)
        assert.deepEqual(brief(done).slice(0, 4), ['succeeded', expected.length, expected.length, 0])
        const left = (await bucket.versions()).filter(({ last_modified }) => Date.parse(last_modified) <= now())
        const gone = new Set(expected.map((one) => one.split(' ')[1]))
        const current = expected.filter((one) => one.endsWith(' current')).map((one) => one.split(' ')[0])
        assert.deepEqual(
          left
            .filter(({ marker, latest, key }) => !(marker && latest && current.includes(key)))
            .map(({ version_id }) => version_id),
          [...model.values()]
            .flat()
            .filter(({ id }) => !gone.has(id))
            .map(({ id }) => id),
        )
        assert.equal((await server.admin.getBucket({ params })).object_count, (await bucket.keys()).length)
      }),
      { numRuns: 40, endOnFailure: true },
    )
    assert.ok(total > 10, `only ${total} were to go`)
  })
})

type Given = Pick<Required<NewPolicy>, 'prefix' | 'glob' | 'older_than_days' | 'min_size' | 'max_size' | 'tags'> &
  Pick<Required<NewPolicy>, 'noncurrent_days' | 'keep_versions' | 'expired_markers'>

/** What a rule deletes of the versions of each key, the latest first, as the documentation says. */
function expectedOf(keys: readonly Version[][], rule: Given, now: number): string[] {
  const { prefix, glob, older_than_days, min_size, max_size, tags, noncurrent_days, keep_versions, expired_markers } =
    rule
  const ofVersions = noncurrent_days !== null || keep_versions !== null
  const ofObjects = (!ofVersions && !expired_markers) || older_than_days !== null
  const isAbout = ({ key, marker, size, tags: given }: Version) =>
    key.startsWith(prefix) &&
    (glob === null || compileGlob(glob)(key.slice(prefix.length))) &&
    (marker
      ? min_size === null && max_size === null && tags === null
      : (min_size === null || size >= min_size) &&
        (max_size === null || size <= max_size) &&
        Object.entries(tags ?? {}).every(([name, value]) => given[name] === value))
  const isOld = ({ at }: Version) => now - at >= (older_than_days ?? 0) * DAY
  return keys.flatMap((versions) =>
    versions.flatMap((one, i): string[] => {
      if (!isAbout(one)) return []
      const newer = versions[i - 1]
      if (newer) {
        const before = versions.slice(1, i).filter((other) => !other.marker && isAbout(other)).length
        const since = one.marker ? newer.at : (one.since ?? now)
        const goes = ofVersions && before >= (keep_versions ?? 0) && now - since >= (noncurrent_days ?? 0) * DAY
        return goes ? [`${one.key} ${one.id}`] : []
      }
      if (!one.marker) return ofObjects && isOld(one) ? [`${one.key} current`] : []
      return expired_markers && versions.length === 1 && isOld(one) ? [`${one.key} ${one.id}`] : []
    }),
  )
}
