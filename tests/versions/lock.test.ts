import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { DeleteObjectCommand, DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import type { Client } from '../../client/derived.ts'
import type { LockMode } from '../../contract/locks.ts'
import { outcome, s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How a version may be locked; `over`: its lock has ended; `doubted`: by a clock that nobody has said is right. */
const states = ['unlocked', 'governance', 'compliance', 'hold', 'over', 'doubted'] as const
type State = (typeof states)[number]

describeEngines('Object Lock', (engine, itOnce) => {
  let server: TestServer
  let admin: Client
  let s3: S3Client
  let world: ReturnType<typeof s3World>
  let key: Awaited<ReturnType<ReturnType<typeof s3World>['keyOf']>>
  let buckets = 0
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    admin = server.admin
    world = s3World(server)
    key = await world.keyOf()
    s3 = world.clientOf(key)
  })
  after(() => server.stop())

  const from = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString()
  /** Moves time, and has an administrator say that it is right. */
  const later = async (ms: number) => {
    await server.later(ms)
    s3 = world.clientOf(key)
    await admin.confirmClock()
  }
  async function open(object_lock: { mode?: LockMode; days?: number; years?: number } = {}, more: object = {}) {
    const bucket = `locked-${++buckets}`
    await admin.createBucket({ body: { name: bucket, object_lock, ...more } })
    const params = { bucket }
    return {
      bucket,
      params,
      put: async (name: string, body = name) =>
        (await admin.putObject({ params: { bucket, key: name }, body })).version_id ?? '',
      lock: (body: Omit<Parameters<Client['lockObject']>[0]['body'], 'key'> & { key?: string }, by = admin) =>
        by.lockObject({ params, body: { key: 'k', ...body } }),
      remove: (version_id: string, query: { permanent?: boolean; bypass_lock?: boolean } = {}, by = admin) =>
        by.deleteObject({ params: { bucket, key: 'k' }, query: { version_id, ...query } }),
      /** The versions of a key that can be read, the latest first. */
      readable: async (name = 'k') => {
        const { items } = await admin.listVersions({ params, query: { key: name } })
        const ids = items.filter(({ marker }) => !marker).map(({ version_id }) => version_id)
        for (const version_id of ids) await admin.getObject({ params: { bucket, key: name }, query: { version_id } })
        return ids
      },
      trash: async () => (await admin.listTrash({ params })).items,
    }
  }

  it('is turned on for good, in buckets that keep versions, with a default for new ones', async () => {
    const name = 'lock-settings'
    const params = { bucket: name }
    const bad = async (body: object, code: 'invalid_request' | 'conflict') => {
      await server.records([], () => rejectsWith(admin.createBucket({ body: { name: 'never-made', ...body } }), code))
    }
    await bad({ object_lock: { mode: 'governance' } }, 'invalid_request')
    await bad({ object_lock: { days: 1 } }, 'invalid_request')
    await bad({ object_lock: { mode: 'governance', days: 1, years: 1 } }, 'invalid_request')
    await bad({ object_lock: { mode: 'strict', days: 1 } }, 'invalid_request')
    await bad({ object_lock: { mode: 'compliance', days: 0 } }, 'invalid_request')
    await bad({ object_lock: {}, versioning: 'suspended' }, 'invalid_request')

    const plain = await admin.createBucket({ body: { name } })
    assert.equal(plain.object_lock, null)
    const turnOn = (change: object = {}) => admin.updateBucket({ params, body: { object_lock: {}, ...change } })
    await server.records([], () => rejectsWith(turnOn(), 'conflict'))
    await admin.updateBucket({ params, body: { versioning: 'suspended' } })
    await server.records([], () => rejectsWith(turnOn(), 'conflict'))
    const on = await server.records([{ action: 'update_bucket', bucket: name }], () =>
      turnOn({ versioning: 'enabled' }),
    )
    assert.deepEqual([on.versioning, on.object_lock], ['enabled', { mode: null, days: null, years: null }])
    await server.records([], () =>
      rejectsWith(admin.updateBucket({ params, body: { versioning: 'suspended' } }), 'conflict'),
    )
    const object = await admin.putObject({ params: { ...params, key: 'k' }, body: 'x' })
    assert.equal(object.lock, undefined)

    const years = await admin.updateBucket({ params, body: { object_lock: { mode: 'compliance', years: 2 } } })
    assert.deepEqual(years.object_lock, { mode: 'compliance', days: null, years: 2 })
    const until = server.clock.now()
    const locked = await admin.putObject({ params: { ...params, key: 'k' }, body: 'x' })
    until.setUTCFullYear(until.getUTCFullYear() + 2)
    assert.deepEqual(locked.lock, { mode: 'compliance', until: until.toISOString(), legal_hold: false })
    // Whatever makes a version makes a locked one: copies, moves, changes of metadata, restores.
    const makers = [
      () => admin.copyObject({ params, body: { source_bucket: name, source_key: 'k', dest_key: 'copy' } }),
      () => admin.moveObject({ params, body: { source_bucket: name, source_key: 'copy', dest_key: 'moved' } }),
      () => admin.updateObject({ params: { ...params, key: 'moved' }, body: { content_type: 'text/plain' } }),
      () => admin.restoreVersion({ params, body: { key: 'k', version_id: object.version_id ?? '' } }),
    ]
    for (const make of makers) assert.equal((await make()).lock?.mode, 'compliance')
    // Tags belong to no version's contents, and change none.
    const tagged = await admin.updateObject({ params: { ...params, key: 'moved' }, body: { tags: { a: 'b' } } })
    assert.equal(tagged.lock?.until, until.toISOString())
    await admin.updateBucket({ params, body: { object_lock: {} } })
    assert.equal((await admin.putObject({ params: { ...params, key: 'k' }, body: 'x' })).lock, undefined)
    const { items } = await admin.listVersions({ params, query: { key: 'k' } })
    assert.deepEqual(
      items.map(({ lock }) => lock?.mode),
      [undefined, 'compliance', 'compliance', undefined],
    )
  })

  it('locks can be extended by everyone who may write, and shortened only by those who may', async () => {
    const { params, bucket, put, lock } = await open()
    const version_id = await put('k')
    const [soon, late] = [from(DAY), from(2 * DAY)]
    const acted = (...actions: ('lock_update' | 'legal_hold_update')[]) =>
      actions.map((action) => ({ action, bucket, key: 'k' }))
    const first = await server.records(acted('lock_update'), () => lock({ mode: 'governance', until: soon }))
    assert.deepEqual(first, {
      bucket,
      key: 'k',
      version_id,
      lock: { mode: 'governance', until: soon, legal_hold: false },
    })
    await server.records([], () => lock({ mode: 'governance', until: soon }))
    const refused = (body: object, code: 'locked' | 'invalid_request' | 'forbidden', by = admin) =>
      server.records(code === 'forbidden' ? [{ action: 'access_denied', result: 'denied' }] : [], () =>
        rejectsWith(lock(body, by), code),
      )
    await refused({}, 'invalid_request')
    await refused({ mode: 'governance' }, 'invalid_request')
    await refused({ until: late }, 'invalid_request')
    await refused({ mode: 'governance', until: null }, 'invalid_request')
    await refused({ mode: 'governance', until: from(-1) }, 'invalid_request')
    await refused({ mode: 'governance', until: 'tomorrow' }, 'invalid_request')
    await refused({ mode: 'governance', until: from(HOUR) }, 'locked')
    await refused({ mode: 'compliance', until: late }, 'locked')
    await refused({ mode: null, until: null }, 'locked')

    const writer = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read', 'write'] }))
    await server.records(acted('lock_update'), () => lock({ mode: 'governance', until: late }, writer))
    await refused({ mode: 'governance', until: soon, bypass_lock: true }, 'locked', writer)
    await refused({ legal_hold: true }, 'forbidden', writer)
    const reader = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] }))
    await refused({ mode: 'governance', until: from(9 * DAY) }, 'forbidden', reader)

    const grants = { bucket_pattern: bucket, actions: ['write', 'bypass_lock'] as const }
    const trusted = server.as(await server.userWith({ ...grants, actions: [...grants.actions] }))
    await server.records(acted('lock_update'), () =>
      lock({ mode: 'governance', until: soon, bypass_lock: true }, trusted),
    )
    const { items } = await admin.listAudit({ query: { action: ['lock_update'], bucket } })
    assert.deepEqual(items[0]?.details, {
      version_id,
      before: { mode: 'governance', until: late },
      after: { mode: 'governance', until: soon },
      bypassed: true,
    })
    await server.records(acted('lock_update'), () => lock({ mode: null, until: null, bypass_lock: true }, trusted))
    await server.records(acted('lock_update', 'legal_hold_update'), () =>
      lock({ mode: 'compliance', until: soon, legal_hold: true }),
    )
    for (const body of [
      { mode: null, until: null },
      { mode: 'governance', until: late },
      { mode: 'compliance', until: from(HOUR) },
    ])
      await refused({ ...body, bypass_lock: true }, 'locked')
    await server.records(acted('lock_update'), () => lock({ mode: 'compliance', until: late }, writer))
    await server.records(acted('legal_hold_update'), () => lock({ legal_hold: false }))

    // Of a version that is named, of none that is not there, never of a marker.
    await put('k', 'again')
    await server.records(acted('legal_hold_update'), () => lock({ version_id, legal_hold: true }))
    assert.equal(
      (await admin.headObject({ params: { ...params, key: 'k' } })).headers.get('x-version-id') === version_id,
      false,
    )
    await rejectsWith(lock({ version_id: 'unknown', legal_hold: true }), 'not_found')
    await rejectsWith(lock({ key: 'nothing', legal_hold: true }), 'not_found')
    await admin.deleteObject({ params: { ...params, key: 'k' } })
    await rejectsWith(lock({ legal_hold: true }), 'not_found')
    const [marker] = (await admin.listVersions({ params, query: { key: 'k' } })).items
    await rejectsWith(lock({ version_id: marker?.version_id ?? '', legal_hold: true }), 'conflict')
    await admin.createBucket({ body: { name: `free-${engine}` } })
    await admin.putObject({ params: { bucket: `free-${engine}`, key: 'k' }, body: 'x' })
    await rejectsWith(
      admin.lockObject({ params: { bucket: `free-${engine}` }, body: { key: 'k', legal_hold: true } }),
      'conflict',
    )
  })

  /** Brings a version, and the one after it, into a state. */
  async function bring(bucket: Awaited<ReturnType<typeof open>>, versions: readonly string[], state: State) {
    for (const version_id of versions) {
      if (state === 'governance' || state === 'compliance')
        await bucket.lock({ version_id, mode: state, until: from(DAY) })
      if (state === 'hold') await bucket.lock({ version_id, legal_hold: true })
      if (state === 'over' || state === 'doubted')
        await bucket.lock({ version_id, mode: 'compliance', until: from(HOUR) })
    }
    if (state === 'over') await later(2 * HOUR)
    if (state === 'doubted') {
      await server.later(2 * HOUR)
      s3 = world.clientOf(key)
    }
  }
  type Way = (bucket: Awaited<ReturnType<typeof open>>, older: string, current: string) => Promise<unknown>
  const quietly = (work: Promise<unknown>) => work.catch((error: unknown) => outcome(Promise.reject(error)))
  /** Every way in which versions go, and the states in which they do. */
  const ways: { [name: string]: { go: Way; removes: readonly State[] } } = {
    'deleted by its id': {
      go: async ({ remove }, older, current) => [await quietly(remove(current)), await quietly(remove(older))],
      removes: ['unlocked', 'over'],
    },
    'deleted for good': {
      go: async ({ remove }, older, current) => [
        await quietly(remove(current, { permanent: true })),
        await quietly(remove(older, { permanent: true })),
      ],
      removes: ['unlocked', 'over'],
    },
    'deleted with bypass_lock': {
      go: async ({ remove }, older, current) => [
        await quietly(remove(current, { bypass_lock: true })),
        await quietly(remove(older, { bypass_lock: true, permanent: true })),
      ],
      removes: ['unlocked', 'over', 'governance'],
    },
    'deleted with bypass_lock, without the right': {
      go: async ({ bucket, remove }, older, current) => {
        const by = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['delete', 'manage', 'policy'] }))
        await quietly(remove(current, { bypass_lock: true }, by))
        await quietly(remove(older, { bypass_lock: true, permanent: true }, by))
      },
      removes: ['unlocked', 'over'],
    },
    'deleted in a bucket without a trash': {
      go: async ({ params, remove }, older, current) => {
        await admin.updateBucket({ params, body: { trash_days: 0 } })
        await quietly(remove(current))
        await quietly(remove(older))
      },
      removes: ['unlocked', 'over'],
    },
    'deleted by S3': {
      go: async ({ bucket }, older, current) => {
        for (const VersionId of [current, older])
          await quietly(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k', VersionId })))
      },
      removes: ['unlocked', 'over'],
    },
    'deleted by S3, many, with bypass': {
      go: async ({ bucket }, older, current) => {
        const Objects = [current, older].map((VersionId) => ({ Key: 'k', VersionId }))
        const { Errors = [] } = await s3.send(
          new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects }, BypassGovernanceRetention: true }),
        )
        assert.ok(Errors.every(({ Code }) => Code === 'AccessDenied'))
      },
      removes: ['unlocked', 'over', 'governance'],
    },
    'cleaned up by a policy': {
      go: async ({ bucket, params }) => {
        await admin.deleteObject({ params: { ...params, key: 'k' } })
        const rule = { name: 'all', bucket_patterns: [bucket], noncurrent_days: 0, expired_markers: true }
        const { id } = await admin.createPolicy({ body: rule })
        const { examined, matched, deleted, kept } = await admin.runPolicy({ params: { id } })
        assert.deepEqual([matched, kept], [deleted, 0])
        const { excluded } = await admin.previewPolicy({ body: rule })
        // The marker hides what stayed; else it is alone now.
        assert.equal(examined, 3)
        assert.equal(excluded.locked, 2 - deleted)
      },
      removes: ['unlocked', 'over'],
    },
    'emptied by a job': {
      go: async ({ bucket }) => {
        const job = await admin.createJob({
          body: { kind: 'empty_bucket', source_bucket: bucket },
        })
        await server.running.tick('jobs')
        const { status, done, failed } = await admin.getJob({ params: { id: job.id } })
        assert.ok(status === 'succeeded' || status === 'failed', status)
        assert.equal(done + failed, 2)
      },
      removes: ['unlocked', 'over'],
    },
    'deleted with its bucket': {
      go: ({ params }) => rejectsWith(admin.deleteBucket({ params }), 'not_empty'),
      removes: [],
    },
    'unlocked first, then deleted': {
      go: async ({ lock, remove }, older, current) => {
        const sooner = [
          { mode: null, until: null },
          { mode: 'governance' as const, until: from(3 * HOUR) },
        ]
        for (const version_id of [older, current]) {
          for (const change of sooner) await quietly(lock({ version_id, ...change, bypass_lock: true }))
          await quietly(remove(version_id, { permanent: true, bypass_lock: true }))
        }
      },
      removes: ['unlocked', 'over', 'governance'],
    },
    'replaced and marked as deleted': {
      go: async ({ put, params, bucket }) => {
        await put('other')
        await admin.moveObject({ params, body: { source_bucket: bucket, source_key: 'k', dest_key: 'moved' } })
        await admin.copyObject({ params, body: { source_bucket: bucket, source_key: 'other', dest_key: 'k' } })
        await put('k')
        await admin.bulkDelete({ params, body: { keys: ['k'] } })
      },
      removes: [],
    },
  }
  for (const [name, { go, removes }] of Object.entries(ways))
    it(`what is locked stays: ${name}`, async () => {
      for (const state of states) {
        const bucket = await open()
        const versions = [await bucket.put('k', 'older'), await bucket.put('k', 'current')] as const
        await bring(bucket, versions, state)
        await go(bucket, ...versions)
        const left = await bucket.readable()
        for (const version of versions)
          assert.equal(left.includes(version), !removes.includes(state), `${name}: ${state}`)
        if (state === 'doubted') await admin.confirmClock()
      }
    })

  it('what is locked stays in the trash too, however it came there, and keeps its bucket', async () => {
    for (const state of states) {
      const bucket = await open({}, { trash_days: 1 })
      const version_id = await bucket.put('k')
      await bucket.remove(version_id)
      const [item] = await bucket.trash()
      const id = item?.id ?? ''
      // No removal brings a locked version here; the gate must hold all the same.
      const set = (locked: object) =>
        server.database.transaction((tx) => tx.updateTable('trash').where('id', '=', id).set(locked).execute())
      if (state === 'hold') await set({ legal_hold: 1 })
      const ends = state === 'over' || state === 'doubted'
      if (state === 'governance' || state === 'compliance' || ends)
        await set({
          lock_mode: ends ? 'compliance' : state,
          locked_until: from(ends ? HOUR : 9 * DAY),
        })
      const goes = state === 'unlocked' || state === 'governance' || state === 'over'
      const { params } = bucket
      const wait = state === 'doubted' ? (ms: number) => server.later(ms) : later
      if (ends) await wait(2 * HOUR)
      if (!goes) {
        await server.records([], () => rejectsWith(admin.purgeTrash({ params, body: { ids: [id] } }), 'locked'))
        assert.equal((await admin.purgeTrash({ params, body: { all: true } })).purged, 0)
        await wait(3 * DAY)
        await server.running.tick('trash-expiry')
        await rejectsWith(admin.deleteBucket({ params }), 'locked')
      } else {
        await later(3 * DAY)
        await server.running.tick('trash-expiry')
      }
      assert.deepEqual(
        (await bucket.trash()).map((one) => one.id),
        goes ? [] : [id],
        state,
      )
      if (state === 'doubted') await admin.confirmClock()
    }
  })

  it('a clock that is in doubt ends no lock for good, until an administrator confirms it', async () => {
    const { params, bucket, put, lock, remove, readable, trash } = await open({}, { trash_days: 1 })
    await admin.confirmClock()
    const [once, never] = [await put('k', 'once locked'), await put('k', 'never locked')]
    const before = await put('k', 'locked until before')
    await lock({ version_id: before, mode: 'compliance', until: from(HOUR) })
    await later(2 * HOUR)
    await lock({ version_id: once, mode: 'compliance', until: from(HOUR) })
    assert.equal((await admin.getClock()).doubt, null)
    await server.later(2 * HOUR)
    // The service may have been off for two hours, or the clock have been set ahead. What is recorded since proves nothing.
    await server.running.tick('audit-seal')
    const doubted = await admin.getClock()
    assert.match(doubted.doubt ?? '', /^The clock is 2\.0 hours ahead of the last time that was known to be right/)
    for (const permanent of [true, false])
      await server.records([], () => rejectsWith(remove(once, { permanent }), 'locked'))
    const person = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['write', 'delete', 'manage'] }))
    for (const change of [
      { mode: null, until: null },
      { mode: 'compliance' as const, until: from(-HOUR + 60_000) },
      { mode: 'governance' as const, until: from(HOUR) },
    ])
      await server.records([], () => assert.rejects(lock({ version_id: once, ...change }, person)))
    await server.records([{ action: 'lock_update', bucket, key: 'k' }], () =>
      lock({ version_id: once, mode: 'compliance', until: from(60_000) }, person),
    )
    await server.later(120_000)
    assert.equal((await readable()).length, 3)
    // What was never locked can go, and what had ended before.
    for (const version_id of [never, before])
      await server.records([{ action: 'version_delete', bucket, key: 'k' }], () =>
        remove(version_id, { permanent: true }),
      )
    assert.deepEqual(await readable(), [once])
    // Nothing brings a version that may be locked to the trash; there it would stay.
    await admin.confirmClock()
    await remove(once)
    const [item] = await trash()
    await server.database.transaction((tx) =>
      tx
        .updateTable('trash')
        .where('id', '=', item?.id ?? '')
        .set({ locked_until: from(HOUR) })
        .execute(),
    )
    await server.later(2 * HOUR)
    const items = await trash()
    assert.deepEqual(
      items.map(({ lock: of }) => of?.mode),
      ['compliance'],
    )
    const ids = items.map(({ id }) => id)
    await server.records([], () => rejectsWith(admin.purgeTrash({ params, body: { ids } }), 'locked'))
    await server.later(2 * DAY)
    await server.running.tick('trash-expiry')
    assert.equal((await trash()).length, 1)

    const other = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['manage'] }))
    await rejectsWith(other.confirmClock(), 'forbidden')
    const confirmed = await server.records([{ action: 'clock_confirm' }], () => admin.confirmClock())
    assert.equal(confirmed.doubt, null)
    await server.records([], () => admin.confirmClock())
    await server.running.tick('trash-expiry')
    assert.deepEqual(await trash(), [])

    // While it runs, a service notes the time, so that quiet hours raise no doubt.
    for (let i = 0; i < 4; i++) {
      await server.later(9 * 60_000)
      await server.running.tick('lock-clock')
    }
    assert.equal((await admin.getClock()).doubt, null)
    // Behind the record it was ahead before.
    await server.later(-HOUR)
    assert.match((await admin.getClock()).doubt ?? '', /behind the last time that was known to be right/)
    await server.later(HOUR)
  })

  it('no order of requests removes what is locked', async () => {
    const mode = fc.constantFrom<LockMode>('governance', 'compliance')
    const which = fc.nat(2)
    const flag = fc.boolean()
    const step = fc.oneof(
      { weight: 2, arbitrary: fc.record({ op: fc.constant('put' as const) }) },
      {
        weight: 4,
        arbitrary: fc.record({
          op: fc.constant('lock' as const),
          which,
          mode,
          hours: fc.integer({ min: 1, max: 48 }),
          bypass: flag,
        }),
      },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('unlock' as const), which, bypass: flag }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('hold' as const), which, on: flag }) },
      { weight: 4, arbitrary: fc.record({ op: fc.constant('remove' as const), which, bypass: flag, permanent: flag }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('mark' as const) }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }) },
    )
    let held = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25, size: 'max' }), async (steps) => {
        const bucket = await open()
        /** The contents there are, the latest first. */
        let model = [{ id: await bucket.put('k'), mode: null as LockMode | null, until: '', hold: false }]
        const active = (one: (typeof model)[number]) => one.mode !== null && one.until > from(0)
        for (const one of steps) {
          const version = 'which' in one ? model[one.which % (model.length || 1)] : undefined
          if (one.op === 'put') model.unshift({ id: await bucket.put('k'), mode: null, until: '', hold: false })
          else if (one.op === 'wait') await later(one.hours * HOUR)
          else if (one.op === 'mark') await quietly(admin.deleteObject({ params: { ...bucket.params, key: 'k' } }))
          else if (!version) continue
          else if (one.op === 'hold') {
            await bucket.lock({ version_id: version.id, legal_hold: one.on })
            version.hold = one.on
          } else if (one.op === 'lock' || one.op === 'unlock') {
            const wanted =
              one.op === 'lock' ? { mode: one.mode, until: from(one.hours * HOUR) } : { mode: null, until: null }
            const extends_ = wanted.mode === version.mode && wanted.until !== null && wanted.until >= version.until
            const same = wanted.mode === version.mode && (wanted.until ?? '') === version.until
            const allowed = same || !active(version) || extends_ || (version.mode === 'governance' && one.bypass)
            const done = bucket.lock({ version_id: version.id, ...wanted, bypass_lock: one.bypass })
            if (!allowed) {
              await rejectsWith(done, 'locked')
              continue
            }
            await done
            version.mode = wanted.mode
            version.until = wanted.until ?? ''
          } else {
            const stays = version.hold || (active(version) && !(version.mode === 'governance' && one.bypass))
            const done = bucket.remove(version.id, { bypass_lock: one.bypass, permanent: one.permanent })
            if (stays) {
              held++
              await rejectsWith(done, 'locked')
            } else {
              await done
              model = model.filter((other) => other !== version)
            }
          }
        }
        assert.deepEqual(
          await bucket.readable(),
          model.map(({ id }) => id),
        )
      }),
      { numRuns: 25 },
    )
    assert.ok(held > 10, `only ${held} removals met a lock`)
  })

  itOnce('tells everyone the same: lists, headers, trash, events', async () => {
    const { params, put, lock, remove, trash } = await open()
    const version_id = await put('k')
    await lock({ mode: 'governance', until: from(DAY), legal_hold: false })
    const wanted = { mode: 'governance', until: from(DAY), legal_hold: false }
    const { items } = await admin.listObjects({ params })
    assert.deepEqual(
      items.map(({ lock: of }) => of),
      [wanted],
    )
    assert.deepEqual(
      (await admin.listVersions({ params })).items.map(({ lock: of }) => of),
      [wanted],
    )
    await remove(version_id, { bypass_lock: true })
    const [item] = await trash()
    assert.deepEqual(item?.lock, wanted)
    const { items: records } = await admin.listAudit({ query: { action: ['version_delete'] } })
    assert.deepEqual(records[0]?.details.bypassed, { mode: 'governance', until: wanted.until })
    // Restored as the version that it was, it is locked as it was.
    await admin.restoreTrash({ params, body: { ids: [item?.id ?? ''] } })
    await rejectsWith(remove(version_id), 'locked')
  })
})
