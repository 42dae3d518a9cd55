import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { cephGateway, type Gateway, noGateway } from '../support/ceph.ts'
import { runsInTime } from '../support/runs-in-time.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { foreignBucket } from './foreign.ts'
import { Run } from './model.ts'
import { type Command, command } from './model-commands.ts'
import { Truth } from './model-truth.ts'
import { type EngineProxy, startProxy } from './proxy.ts'
import { placeOn, type Site, siteOf } from './site.ts'

/**
 * ATTACH_RUNS: how many runs there are. A failure prints a seed and a path, which ATTACH_SEED and ATTACH_PATH repeat;
 * with ATTACH_SHRINK=1 a shorter run that fails is looked for. By default there are as many as 45 seconds have room for, at most 15.
 */
const { ATTACH_RUNS, ATTACH_SEED, ATTACH_PATH, ATTACH_SHRINK } = process.env
const numRuns = ATTACH_RUNS === undefined ? 15 : Number(ATTACH_RUNS)
const MOST_MS = ATTACH_RUNS === undefined ? 45_000 : Number.POSITIVE_INFINITY
const again = {
  ...(ATTACH_SEED === undefined ? {} : { seed: Number(ATTACH_SEED) }),
  ...(ATTACH_PATH === undefined ? {} : { path: ATTACH_PATH }),
}

/** How a bucket of a run is, and how its engine lists it. */
interface Way {
  versioned: boolean
  many: boolean
  page: 2 | 5 | undefined
  bySegments: boolean
}

const gateway = await cephGateway()

describe('attached buckets: a model', { skip: gateway ? false : noGateway }, () => {
  let server: TestServer
  let other: Running
  let site: Site
  let proxy: EngineProxy
  before(async () => {
    server = await startServer('sqlite')
    site = siteOf(server)
    proxy = await startProxy(gateway as Gateway)
    other = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false })
  })
  after(async () => {
    await other.stop()
    await server.stop()
    await proxy.stop()
  })

  it('shows what is there, whatever others do, whenever it fails, and changes nothing', {
    timeout: ATTACH_RUNS === undefined ? 3_600_000 : 12 * 3_600_000,
  }, async () => {
    let runs = 0
    const run = fc.asyncProperty(
      fc.array(command, { minLength: 15, maxLength: 40, size: 'max' }),
      fc.record({
        versioned: fc.boolean(),
        many: fc.boolean(),
        page: fc.constantFrom(undefined, 2, 5),
        bySegments: fc.boolean(),
      }),
      runsInTime(MOST_MS, async (commands: Command[], { versioned, many, page, bySegments }: Way) => {
        const foreign = await foreignBucket(gateway as Gateway, { versioned })
        const truth = new Truth(foreign)
        await truth.fill(many)
        proxy.page = page && many ? page * 15 : page
        proxy.bySegments = bySegments
        proxy.log.length = 0
        const storage = await site.storage({ ...placeOn(gateway as Gateway, proxy.endpoint), bucket: foreign.bucket })
        const bucket = await site.attach(storage)
        await site.finishScan(bucket)
        const { token } = await server.admin.createEventsToken({ params: { storage } })
        server.secrets.add(token)
        const steps = new Run({ server, other, site, proxy, foreign, truth, bucket, storage, token })
        for (const one of commands) await steps.take(one)
        await steps.settle()
        await steps.release()
        await foreign.empty()
        if (++runs % 50 === 0) console.log(`${runs} runs`)
      }),
    )
    await fc.assert(run, { numRuns, ...again, endOnFailure: ATTACH_SHRINK === undefined, verbose: 1 })
  })
})
