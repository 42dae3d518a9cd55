import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { TestServer } from '../support/server.ts'
import type { FakeEngine } from './fake-engine.ts'
import { fakeWorld } from './fake-world.ts'
import type { Site } from './site.ts'

const DAY_MS = 86_400_000
/** More than the grace period of blobs. */
const GRACE_MS = 2 * 3_600_000
const NONE: ReadonlySet<string> = new Set()

describe('engines from which a bucket is taken over, and that refuse, fail or lie', () => {
  const world = fakeWorld()
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  before(() => {
    ;({ server, site, fake, storage } = world.parts())
  })

  /** Attaches objects, whose bytes are their keys, and leaves them alone for a day. */
  async function quiet(...keys: string[]): Promise<{ bucket: string; prefix: string }> {
    const prefix = world.nextPrefix()
    for (const key of keys) fake.put(prefix + key, key)
    const bucket = await site.attach(storage, prefix)
    assert.equal((await site.finishScan(bucket)).status, 'succeeded')
    await server.later(DAY_MS + 1000)
    return { bucket, prefix }
  }
  const problems = async (bucket: string) => {
    const plan = await server.admin.takeOverBucket({ params: { bucket }, body: { dry_run: true } })
    for (const { detail } of plan.problems) assert.match(detail, /^[A-Z].{10,300}\.$/s)
    return plan.problems.map(({ code }) => code)
  }
  async function takenOver(...keys: string[]) {
    const made = await quiet(...keys)
    fake.lies = { deletesAllBut: NONE }
    await server.admin.takeOverBucket({ params: { bucket: made.bucket } })
    assert.equal((await site.finishScan(made.bucket)).status, 'succeeded')
    return made
  }
  const modeOf = async (bucket: string) => (await server.admin.getBucket({ params: { bucket } })).mode
  const findings = async (bucket: string) =>
    (await server.admin.listFindings({ params: { bucket } })).items.map(({ key, kind, size }) => [key, kind, size])
  async function collect() {
    await server.later(GRACE_MS)
    await server.running.tick('blob-collector').catch(() => undefined)
  }

  it('says that the credentials may not delete, that nothing answers, or that there are no ETags', async () => {
    const { bucket } = await quiet('a')
    assert.deepEqual(await problems(bucket), ['not_removable'])
    fake.lies = { deletesAllBut: NONE }
    assert.deepEqual(await problems(bucket), [])
    fake.lies = { answers500: true }
    assert.deepEqual(await problems(bucket), ['unreachable'])
    fake.lies = { deletesAllBut: NONE, noEtags: true }
    const weak = await quiet('b')
    assert.deepEqual(await problems(weak.bucket), ['weak'])
  })

  it('stays read-only where an object is not given away, and names it', async () => {
    const { bucket, prefix } = await quiet('a', 'b')
    fake.put(`${prefix}b`, 'b', { sealed: true })
    fake.lies = { deletesAllBut: NONE }
    const take = async () => {
      await server.admin.takeOverBucket({ params: { bucket } })
      return site.finishScan(bucket)
    }
    const { status, held_reason, detail } = await take()
    assert.deepEqual([status, held_reason], ['held', 'unreadable'])
    assert.match(detail ?? '', /“b”/)
    assert.equal(await modeOf(bucket), 'read_only')
    fake.put(`${prefix}b`, 'b')
    assert.equal((await take()).status, 'succeeded')
    assert.equal(await modeOf(bucket), 'taken_over')
  })

  it('finds nothing in an outage, an empty, a halved or a disordered list', async () => {
    const { bucket } = await takenOver('a', 'b', 'c', 'd')
    for (const lie of ['listsNothing', 'listsHalf'] as const) {
      fake.lies = { [lie]: true }
      const { status, missing } = await site.scan(bucket)
      assert.deepEqual([status, missing, await findings(bucket)], ['succeeded', 0, []], lie)
    }
    for (const lie of ['listsOutOfOrder', 'noSuchBucket', 'answersHtml'] as const) {
      fake.lies = { [lie]: true }
      assert.equal((await site.scan(bucket)).status, 'held', lie)
      assert.deepEqual(await findings(bucket), [], lie)
    }
    fake.lies = {}
    const read = await site.read(bucket, 'a')
    assert.ok(read.kind === 'whole' && read.bytes.toString() === 'a')
  })

  it('never sends other bytes than were taken over', async () => {
    const { bucket, prefix } = await takenOver('a', 'b')
    fake.lies = { otherEtagOnGet: true }
    const lied = await site.read(bucket, 'a')
    assert.ok(lied.kind === 'problem' && lied.code === 'conflict')
    fake.put(`${prefix}b`, 'others wrote this')
    fake.lies = { ignoresIfMatch: true, ignoresRange: true }
    const changed = await site.read(bucket, 'b')
    assert.ok(changed.kind === 'problem' && changed.code === 'conflict')
  })

  it('shows what it is not given as a finding', async () => {
    const { bucket, prefix } = await takenOver('a', 'b')
    fake.put(`${prefix}a`, 'sealed by others', { sealed: true })
    fake.put(`${prefix}x`, 'sealed', { sealed: true })
    const { status, added, changed } = await site.scan(bucket)
    assert.deepEqual([status, added, changed], ['succeeded', 1, 1])
    assert.deepEqual(await findings(bucket), [
      ['a', 'changed', null],
      ['x', 'foreign', null],
    ])
  })

  it('removes everything else where an object may not be removed, and that once it may', async () => {
    const { bucket, prefix } = await takenOver('a', 'b', 'c')
    for (const key of ['a', 'b', 'c']) await server.admin.deleteObject({ params: { bucket, key } })
    await server.admin.purgeTrash({ params: { bucket }, body: { all: true } })
    fake.lies = { deletesAllBut: new Set([`${prefix}a`]) }
    const left = () => [...fake.objects.keys()].filter((key) => key.startsWith(prefix))
    await collect()
    assert.deepEqual(left(), [`${prefix}a`])
    fake.lies = { deletesAllBut: NONE }
    await collect()
    assert.deepEqual(left(), [])
  })
})
