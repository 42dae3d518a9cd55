// Several who change a bucket at once, through several processes. In which order that was is what the answers' moments say.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../server/base/id.ts'
import { runsInTime } from '../support/runs-in-time.ts'
import { onS3 } from '../support/server.ts'
import { runJob } from './concurrent/jobs.ts'
import { assertSeen, changedKeys, type Past, replay } from './concurrent/order.ts'
import { assertRestoredOnce, KEYS, type Log, type Step, step, take } from './concurrent/steps.ts'
import { World } from './concurrent/world.ts'
import { finished } from './jobs.ts'

/** More in a soak: MODEL_RUNS=500. By default there are as many as ten seconds have room for. */
const { MODEL_RUNS } = process.env
const RUNS = Number(MODEL_RUNS ?? 8)
const MOST_MS = MODEL_RUNS === undefined ? 10_000 : Number.POSITIVE_INFINITY
/** How many moments of a run are compared with each other. */
const COMPARED = 6

const each = (moments: readonly string[], work: (moment: string) => Promise<void>) => Promise.all(moments.map(work))

describe('writers at once (postgres, three processes)', { skip: onS3 && 'It has processes of its own.' }, () => {
  let world: World
  before(async () => {
    world = await World.open()
  })
  after(() => world.stop())

  it('leave an order of moments that is what happened, now and at each of them', {
    timeout: MODEL_RUNS === undefined ? 120_000 : 12 * 3_600_000,
  }, async (t) => {
    const sums = { runs: 0, changes: 0, refused: 0, jobs: 0, kills: 0, shared: 0 }
    const writers = fc.array(fc.array(step, { minLength: 3, maxLength: 9, size: 'max' }), {
      minLength: 3,
      maxLength: 5,
    })
    const given = fc.record({
      writers,
      versioning: fc.constantFrom(undefined, 'enabled' as const),
      to: fc.nat(50),
      forked: fc.nat(50),
    })
    const check = runsInTime(MOST_MS, async (run: typeof given extends fc.Arbitrary<infer Value> ? Value : never) => {
      const bucket = `order-${newId().slice(-12)}`
      await world.clients[0].createBucket({
        body: { name: bucket, ...(run.versioning ? { versioning: run.versioning } : {}) },
      })
      const log: Log = { world, bucket, changes: [], sights: [], restores: [], snapshots: new Map() }
      // Most of what they do needs something that is there.
      await Promise.all(KEYS.map((key) => take(log, { kind: 'put', key, how: 'any', tagged: true })))
      await Promise.all(run.writers.map((steps) => write(log, steps)))
      const { past, shared } = replay(log.changes)
      assertSeen(past, log.changes, log.sights)
      assertRestoredOnce(log)
      await assertPast(log, past)
      await assertChanges(log, past, run.versioning !== undefined)
      await assertBack(log, past, run.to)
      await assertFork(log, past, run.forked)
      const jobs = run.writers.flat().filter((one) => one.kind === 'job')
      sums.runs++
      sums.changes += log.changes.length
      sums.refused += log.sights.length
      sums.jobs += jobs.length
      sums.kills = world.kills
      sums.shared += shared
      if (sums.runs % 50 === 0) console.log(JSON.stringify(sums))
    })
    await fc.assert(fc.asyncProperty(given, check), { numRuns: RUNS, endOnFailure: true, verbose: 1 })
    t.diagnostic(JSON.stringify(sums))
  })

  async function write(log: Log, steps: readonly Step[]): Promise<void> {
    for (const one of steps) await (one.kind === 'job' ? runJob(log, one) : take(log, one))
  }

  /** What it is now, and what it was at each moment and each snapshot; with the bytes of each key since each of its changes. */
  async function assertPast({ bucket, snapshots }: Log, past: Past): Promise<void> {
    assert.deepEqual(await world.stateOf(bucket, undefined, { bytes: 'all' }), past.now, 'now')
    await each(past.moments, async (moment) => {
      const [state, before] = [past.at(moment), past.before(moment)]
      assert.deepEqual(await world.stateOf(bucket, moment, { bytes: changedKeys(before, state) }), state, moment)
    })
    for (const [name, moment] of snapshots) assert.deepEqual(await world.stateOf(bucket, name), past.at(moment), name)
  }

  /** What differs between any two of some moments. */
  async function assertChanges({ bucket }: Log, past: Past, isVersioned: boolean): Promise<void> {
    const every = Math.ceil(past.moments.length / COMPARED)
    const some = past.moments.filter((_, i) => i % every === 0)
    await each(some, async (from) => {
      for (const to of some.filter((one) => one > from)) {
        const [before, then] = [past.at(from), past.at(to)]
        const { items } = await world.clients[0].listChanges({ params: { bucket }, query: { from, to } })
        const differ = changedKeys(before, then)
        // Where versions are kept, the same contents may be another version.
        const found = items.filter(({ key, change }) => !isVersioned || change !== 'changed' || differ.includes(key))
        assert.deepEqual(
          found.map((one) => [one.key, one.change, one.before?.size ?? null, one.after?.size ?? null]),
          differ.map((key) => [
            key,
            before[key] ? (then[key] ? 'changed' : 'deleted') : 'added',
            before[key]?.text.length ?? null,
            then[key]?.text.length ?? null,
          ]),
          `${from} to ${to}`,
        )
      }
    })
  }

  /** Back to a moment, and the undoing of that; the moments before stay what they were. */
  async function assertBack({ bucket }: Log, past: Past, nth: number): Promise<void> {
    const client = world.clients[nth % 2 ? 1 : 0]
    const to = past.moments[nth % past.moments.length] ?? assert.fail('nothing has changed')
    const back = await client.createJob({ body: { kind: 'rollback', source_bucket: bucket, to } })
    const job = await finished(client, back)
    assert.deepEqual([job.status, job.errors], ['succeeded', []])
    assert.equal(job.total, changedKeys(past.now, past.at(to)).length)
    assert.deepEqual(await world.stateOf(bucket, undefined, { bytes: 'all' }), past.at(to), `back to ${to}`)
    if (job.total === 0) return
    const undone = await finished(client, await client.createJob({ body: { kind: 'restore', of: job.id } }))
    assert.deepEqual([undone.status, undone.errors], ['succeeded', []])
    assert.deepEqual(await world.stateOf(bucket, undefined, { bytes: 'all' }), past.now, `no longer back to ${to}`)
    await each(past.moments, async (moment) =>
      assert.deepEqual(await world.stateOf(bucket, moment), past.at(moment), moment),
    )
  }

  /** A fork is what its origin was, and neither sees what becomes of the other. */
  async function assertFork({ bucket }: Log, past: Past, nth: number): Promise<void> {
    const [first, second] = world.clients
    const at = past.moments[nth % past.moments.length] ?? assert.fail('nothing has changed')
    const name = `${bucket}-fork`
    await first.createBucket({ body: { name, from: { bucket, at } } })
    const then = past.at(at)
    assert.deepEqual(await world.stateOf(name, undefined, { bytes: 'all' }), then, `a fork of ${at}`)
    await second.putObject({ params: { bucket: name, key: 'a' }, body: world.contents(`of ${name}`) })
    await second.putObject({ params: { bucket, key: 'b' }, body: world.contents(`of ${bucket}`) })
    const [fork, origin] = [await world.stateOf(name), await world.stateOf(bucket)]
    assert.deepEqual(changedKeys(fork, then), ['a'])
    assert.deepEqual(changedKeys(origin, past.now), ['b'])
  }
})
