import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { allActions, type TestServer } from '../support/server.ts'
import type { FakeEngine } from './fake-engine.ts'
import { fakeWorld } from './fake-world.ts'
import type { Site } from './site.ts'

const NONE: ReadonlySet<string> = new Set()

describe('what a take-over settles before: what was read, and what is missing', () => {
  const world = fakeWorld()
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  before(() => {
    ;({ server, site, fake, storage } = world.parts())
  })

  async function attached(...keys: string[]) {
    const prefix = world.nextPrefix()
    for (const key of keys) fake.put(prefix + key, key, { tags: { team: 'a' }, meta: { who: 'them' } })
    const bucket = await site.attach(storage, prefix)
    await site.finishScan(bucket)
    fake.lies = { deletesAllBut: NONE, listsBySegments: true }
    return { bucket, prefix }
  }
  const takeOver = async (bucket: string, body: { without_missing?: number } = {}) => {
    await server.admin.takeOverBucket({ params: { bucket }, body: { quiet_hours: 0, ...body } })
    return site.finishScan(bucket)
  }
  const plan = (bucket: string, body: { without_missing?: number } = {}) =>
    server.admin.takeOverBucket({ params: { bucket }, body: { quiet_hours: 0, dry_run: true, ...body } })
  const described = async (bucket: string, key: string) => {
    const { items } = await server.admin.listObjects({ params: { bucket }, query: { limit: 100 } })
    const { tags, metadata, content_type } = items.find((one) => one.key === key) ?? assert.fail(`${key} is not there`)
    return { tags: tags ?? {}, metadata, content_type }
  }
  const modeOf = async (bucket: string) => (await server.admin.getBucket({ params: { bucket } })).mode

  it('reads again what neither an ETag nor a time says has changed, unless it was changed here', async () => {
    const { bucket, prefix } = await attached('unread', 'theirs', 'none', 'ours', 'emptied', 'same')
    for (const key of ['theirs', 'none', 'ours', 'emptied', 'same'])
      assert.equal((await site.read(bucket, key)).kind, 'whole')
    const setTags = (key: string, tags: Record<string, string>) =>
      server.admin.updateObject({ params: { bucket, key }, body: { tags } })
    await setTags('ours', { team: 'mine' })
    await setTags('emptied', {})
    // Same bytes, same time, same ETag.
    for (const key of ['unread', 'theirs', 'ours', 'emptied']) {
      const object = fake.objects.get(prefix + key) ?? assert.fail()
      Object.assign(object, { tags: { team: 'CHANGED' }, meta: { who: 'others' }, type: 'text/css' })
    }
    Object.assign(fake.objects.get(`${prefix}none`) ?? {}, { tags: undefined })
    await site.scan(bucket)
    const report = await plan(bucket)
    assert.deepEqual([report.ready, report.unread, report.missing, report.missing_keys], [true, 6, 0, []])
    fake.log.length = 0
    await server.records(
      [
        { action: 'take_over', bucket },
        { action: 'scan', bucket },
      ],
      async () => {
        const scan = await takeOver(bucket)
        assert.deepEqual([scan.status, scan.detail, scan.changed], ['succeeded', null, 0])
      },
    )
    assert.equal(fake.log.filter((line) => line.startsWith('HEAD ')).length, 6, 'each is asked for once')
    const changed = { metadata: { who: 'others' }, content_type: 'text/css' }
    assert.deepEqual(await described(bucket, 'unread'), { tags: { team: 'CHANGED' }, ...changed })
    assert.deepEqual(await described(bucket, 'theirs'), { tags: { team: 'CHANGED' }, ...changed })
    assert.deepEqual(await described(bucket, 'ours'), { tags: { team: 'mine' }, ...changed })
    assert.deepEqual(await described(bucket, 'emptied'), { tags: {}, ...changed })
    const kept = { metadata: { who: 'them' }, content_type: 'text/plain' }
    assert.deepEqual(await described(bucket, 'none'), { tags: {}, ...kept })
    assert.deepEqual(await described(bucket, 'same'), { tags: { team: 'a' }, ...kept })
  })

  it('keeps tags that are set here while the engine is asked', async () => {
    const { bucket } = await attached('a')
    const patched = Promise.withResolvers<void>()
    const tagsOf = fake.objects.get.bind(fake.objects)
    let isFirst = true
    // The engine is asked for the object, and meanwhile somebody sets a tag.
    fake.objects.get = (key) => {
      if (isFirst) {
        isFirst = false
        server.admin
          .updateObject({ params: { bucket, key: 'a' }, body: { tags: { set: 'meanwhile' } } })
          .then(() => patched.resolve(), patched.reject)
      }
      return tagsOf(key)
    }
    try {
      assert.equal((await takeOver(bucket)).status, 'succeeded')
      await patched.promise
    } finally {
      fake.objects.get = tagsOf
    }
    assert.deepEqual((await described(bucket, 'a')).tags, { set: 'meanwhile' })
  })

  it('names what is missing, and leaves it out if exactly that is asked for', async () => {
    const { bucket, prefix } = await attached('a', 'gone/1', 'gone-2', 'back', 'z')
    for (const key of ['gone/1', 'gone-2']) fake.delete(prefix + key)
    assert.equal((await site.scan(bucket)).missing, 2)
    const report = await plan(bucket)
    assert.deepEqual([report.ready, report.missing, report.missing_keys], [false, 2, ['gone-2', 'gone/1']])
    assert.deepEqual(
      report.problems.map(({ code, detail }) => [code, detail]),
      [
        [
          'missing',
          '2 objects are marked as missing. Put them back, wait until they are removed, or take over without them.',
        ],
      ],
    )
    await rejectsWith(takeOver(bucket), 'conflict')
    // Only as many as were named.
    for (const without_missing of [1, 3]) {
      const other = await plan(bucket, { without_missing })
      assert.deepEqual(
        other.problems.map(({ code }) => code),
        ['missing'],
      )
      await rejectsWith(takeOver(bucket, { without_missing }), 'conflict')
    }
    assert.equal((await plan(bucket, { without_missing: 2 })).ready, true)
    await rejectsWith(plan(bucket, { without_missing: 0 }), 'invalid_request')

    // One that is missing only since then is not left out: that is a change.
    await server.admin.takeOverBucket({ params: { bucket }, body: { quiet_hours: 0, without_missing: 2 } })
    fake.delete(`${prefix}back`)
    const held = await site.finishScan(bucket)
    assert.deepEqual([held.status, held.held_reason, await modeOf(bucket)], ['held', 'changed', 'read_only'])
    assert.deepEqual(await site.missing(bucket), ['back', 'gone-2', 'gone/1'])
    fake.put(`${prefix}back`, 'back')
    await site.scan(bucket)

    await server.records(
      [
        { action: 'external_change', bucket, key: 'gone-2' },
        { action: 'external_change', bucket, key: 'gone/1' },
        { action: 'take_over', bucket },
        { action: 'scan', bucket },
      ],
      async () => {
        const scan = await takeOver(bucket, { without_missing: 2 })
        assert.deepEqual([scan.status, scan.detail, scan.removed], ['succeeded', null, 0])
      },
    )
    assert.equal(await modeOf(bucket), 'taken_over')
    assert.deepEqual([...(await site.shown(bucket)).keys()], ['a', 'back', 'z'])
    const { object_count, used_bytes } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([object_count, used_bytes], [3, 'abackz'.length])
    const [record] = (await allActions(server.database)).filter(
      (one) => one.action === 'take_over' && one.bucket === bucket,
    )
    const { left_out, objects } = JSON.parse(record?.details ?? '{}')
    assert.deepEqual([left_out, objects], [2, 3])
  })

  it('takes nothing over where a missing object is back', async () => {
    const { bucket, prefix } = await attached('a', 'b')
    fake.delete(`${prefix}b`)
    await site.scan(bucket)
    await server.admin.takeOverBucket({ params: { bucket }, body: { quiet_hours: 0, without_missing: 1 } })
    fake.put(`${prefix}b`, 'b')
    const scan = await site.finishScan(bucket)
    assert.deepEqual([scan.status, scan.held_reason, await modeOf(bucket)], ['held', 'changed', 'read_only'])
    assert.deepEqual([...(await site.shown(bucket)).keys()], ['a', 'b'])
    assert.deepEqual(await site.missing(bucket), [])
  })
})
