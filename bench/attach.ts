/**
 * What it costs to attach a filled bucket of a real engine, which shares this machine: the first scan, a quiet one after it,
 * and what people wait for meanwhile. `node bench/attach.ts [--objects N] [--postgres]`. An engine that
 * TEST_S3_URL names keeps its objects for the next run.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../client/derived.ts'
import type { Scan } from '../contract/scans.ts'
import { cephGateway, noGateway } from '../tests/support/ceph.ts'
import type { ServerProcess } from '../tests/support/process.ts'
import {
  asked,
  assertSeen,
  type Cost,
  cost,
  endpointOf,
  engineBucket,
  fillOnce,
  newTable,
  placeOf,
  rate,
  scanEnded,
  seconds,
  timed,
  withService,
} from './engine.ts'
import { median } from './load.ts'
import { inFolders } from './seed.ts'

const { count: COUNT, postgres } = asked()
const BUCKET = 'attached'
const PLACE = `bench-attach-${COUNT}`
/** Requests of each kind after the scans, to compare with those during the first. */
const ASKED = 50
/** Folders of a thousand objects that are attached before anything is measured. */
const WARM_UP = 100

const { report, print } = newTable()
const gateway = await cephGateway()
if (!gateway) throw new Error(noGateway)
const engine = await engineBucket(gateway, PLACE)
const floor = await fillOnce(engine, [...inFolders(COUNT)])
await withService({ postgres }, async (server, client) => {
  await client.createStorage({ body: { name: 'engine', ...placeOf(gateway, PLACE, endpointOf(gateway)) } })
  await measureScans(server, client)
})
print()
engine.close()
await gateway.stop()

async function measureScans(server: ServerProcess, client: Client): Promise<void> {
  const params = { bucket: BUCKET }
  const asks = {
    'first page': () => client.browse({ params, query: { prefix: 'photos-0000/', limit: 100 } }),
    search: () => client.listObjects({ params, query: { search: '_0042', limit: 100 } }),
  }
  const times: Record<keyof typeof asks, number[]> = { 'first page': [], search: [] }
  async function ask(into: typeof times): Promise<void> {
    for (const [name, work] of Object.entries(asks) as [keyof typeof asks, () => Promise<unknown>][])
      into[name].push(await timed(work))
  }
  await warmUp(client)
  const created = await cost(server, async () => {
    await client.createBucket({ body: { name: BUCKET, mode: 'read_only', storage: 'engine' } })
    return scanEnded(client, BUCKET, async () => {
      await ask(times)
      await pause(100)
    })
  })
  tell('first scan', created, '1 M in 10 min')
  const again = await cost(server, async () => {
    await client.startScan({ params })
    return scanEnded(client, BUCKET, () => pause(50))
  })
  tell('quiet scan', again, '1 M in 3 min')

  const quiet: typeof times = { 'first page': [], search: [] }
  for (let i = 0; i < ASKED; i++) await ask(quiet)
  for (const name of Object.keys(asks) as (keyof typeof asks)[]) {
    const [during, afterwards] = [median(times[name]), median(quiet[name])]
    report(`${name} during the first scan`, {
      measured: `${during.toFixed(1)} ms, ${Math.max(...times[name]).toFixed(0)} ms at most, of ${times[name].length}`,
      beside: `afterwards ${afterwards.toFixed(1)} ms`,
      ratio: (during / afterwards).toFixed(2),
      goal: '',
    })
  }
  const { object_count } = await client.getBucket({ params })
  if (object_count !== COUNT) throw new Error(`It shows ${object_count} objects instead of ${COUNT}`)
}

/** Attaches a few folders and releases them: the first work of a process takes memory that further work uses again. */
async function warmUp(client: Client): Promise<void> {
  for (let folder = 0; folder < Math.min(WARM_UP, COUNT / 1000); folder++) {
    const bucket = `warm-up-${folder}`
    const prefix = `photos-${String(folder).padStart(4, '0')}/`
    await client.createBucket({ body: { name: bucket, mode: 'read_only', storage: 'engine', prefix } })
    await scanEnded(client, bucket, () => client.listObjects({ params: { bucket }, query: { search: '_0042' } }))
    await client.releaseBucket({ params: { bucket } })
  }
}

function tell(name: string, { result: scan, ms, mb, cpu }: Cost<Scan>, goal: string): void {
  assertSeen(name, scan, COUNT)
  report(name, {
    measured: `${seconds(ms)}, ${rate(COUNT, ms)}, CPU ${cpu.toFixed(1)} s`,
    beside: `bare list ${seconds(floor)}`,
    ratio: `${(ms / floor).toFixed(2)} ×`,
    goal,
  })
  report(`memory during the ${name}`, {
    measured: `${Math.round(mb)} MB of RSS more`,
    beside: '',
    ratio: '',
    goal: 'flat: the same for any number',
  })
}
