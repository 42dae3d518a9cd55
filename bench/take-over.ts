/**
 * What it costs to take over a filled bucket of a real engine, to rename all of it, and to release it again, with the engine
 * on the same machine. Every request to the engine is counted, and in the end both sides are compared.
 * `node bench/take-over.ts [--objects N] [--postgres]`. An engine that TEST_S3_URL names keeps its objects for the next run.
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../client/derived.ts'
import type { Job } from '../contract/jobs.ts'
import { type EngineProxy, said, startProxy } from '../tests/attached/proxy.ts'
import { cephGateway, type Gateway, noGateway } from '../tests/support/ceph.ts'
import type { ServerProcess } from '../tests/support/process.ts'
import {
  asked,
  assertSeen,
  CONNECTIONS,
  type Cost,
  cost,
  type EngineBucket,
  each,
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
import { inFolders } from './seed.ts'

const { count: COUNT, postgres } = asked()
const BUCKET = 'attached'
const PLACE = `bench-take-over-${COUNT}`
const DESTINATION = `bench-release-${COUNT}`
/** Objects for which a bare client sends the same requests. */
const BARE = Math.min(COUNT, 5000)
/** Objects that are read in the end, evenly spread. */
const READ = Math.min(COUNT, 1000)
/** As many as a scan asks for, and a release writes, at the same time. */
const ASKED_AT_ONCE = 64
const WRITTEN_AT_ONCE = 8

const renamed = (key: string) => key.replace('photos-', 'renamed-')
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const keys = [...inFolders(COUNT)]
const bytes = keys.reduce((sum, key) => sum + key.length, 0)

const { report, print } = newTable()
const gateway = await cephGateway()
if (!gateway) throw new Error(noGateway)
const proxy = await startProxy(gateway)
const [source, destination] = [await engineBucket(gateway, PLACE), await engineBucket(gateway, DESTINATION)]
const floor = await fillOnce(source, keys)
await destination.empty()
await withService({ postgres }, (server, client) => measure(gateway, server, client))
print()
for (const one of [source, destination]) one.close()
await proxy.stop()
await gateway.stop()

async function measure(on: Gateway, server: ServerProcess, client: Client): Promise<void> {
  for (const [name, place] of [
    ['engine', PLACE],
    ['another', DESTINATION],
  ] as const)
    await client.createStorage({ body: { name, ...placeOf(on, place, proxy.endpoint) } })
  await attach(server, client)
  await takeOver(server, client)
  await rename(server, client)
  await release(server, client)
  const comparing = await timed(compare)
  console.log(`both sides are as they should be, compared in ${seconds(comparing)}`)
}

async function attach(server: ServerProcess, client: Client): Promise<void> {
  const asked = counted(proxy)
  const scanned = await cost(server, async () => {
    await client.createBucket({ body: { name: BUCKET, mode: 'read_only', storage: 'engine' } })
    return scanEnded(client, BUCKET, asked.wait)
  })
  assertSeen('first scan', scanned.result, COUNT)
  tell('first scan', scanned, { beside: `bare list ${seconds(floor)}`, floor, goal: '' })
  asked.tell('first scan')
}

async function takeOver(server: ServerProcess, client: Client): Promise<void> {
  const params = { bucket: BUCKET }
  const sample = await bare(ASKED_AT_ONCE, (key) => source.send('HEAD', key))
  const asked = counted(proxy)
  const taken = await cost(server, async () => {
    await client.takeOverBucket({ params, body: { quiet_hours: 0 } })
    return scanEnded(client, BUCKET, asked.wait)
  })
  assertSeen('take-over', taken.result, COUNT)
  const { mode } = await client.getBucket({ params })
  if (mode !== 'taken_over') throw new Error(`The bucket is ${mode} instead of taken over`)
  tell('take over', taken, {
    beside: `bare HEADs and list ${seconds(sample + floor)}`,
    floor: sample + floor,
    goal: '',
  })
  asked.tell('take over')
}

async function rename(server: ServerProcess, client: Client): Promise<void> {
  const asked = counted(proxy)
  const moved = await cost(server, async () => {
    const { id } = await client.createJob({
      body: { kind: 'move', source_bucket: BUCKET, prefix: 'photos-', dest_prefix: 'renamed-' },
    })
    return jobEnded(client, id, asked.wait)
  })
  assertDone(moved.result)
  const requests = asked.total()
  if (requests > 0) throw new Error(`The engine was asked ${requests} times while objects were renamed`)
  tell('rename all', moved, { beside: '', goal: 'seconds, no request' })
  asked.tell('rename all')
}

async function release(server: ServerProcess, client: Client): Promise<void> {
  const params = { bucket: BUCKET }
  const planned = await client.releaseBucket({ params, body: { storage: 'another', dry_run: true } })
  console.log(`a release would write ${planned.objects} objects of ${planned.bytes} bytes`)
  if (planned.objects !== COUNT || planned.bytes !== bytes)
    throw new Error(`It would write ${planned.objects} objects of ${planned.bytes} bytes, not ${COUNT} of ${bytes}`)
  const sample = await bare(WRITTEN_AT_ONCE, async (key) => {
    await source.send('GET', key)
    await destination.send('PUT', key, key)
    await destination.send('HEAD', key)
    await destination.send('GET', key)
  })
  await destination.empty()
  const asked = counted(proxy)
  const released = await cost(server, async () => {
    const { job } = await client.releaseBucket({ params, body: { storage: 'another' } })
    return jobEnded(client, job?.id ?? '', asked.wait)
  })
  assertDone(released.result)
  const { mode, storage, object_count, source: shown } = await client.getBucket({ params })
  if (mode !== 'read_only' || storage !== 'another' || shown?.bucket !== DESTINATION || object_count !== COUNT)
    throw new Error(`The bucket is ${mode} on ${storage} with ${object_count} objects instead of released`)
  tell('release', released, {
    beside: `bare GET, PUT, HEAD, GET of each and two lists ${seconds(sample + 2 * floor)}`,
    floor: sample + 2 * floor,
    goal: '',
  })
  asked.tell('release')
}

/** Throws unless every object is at its new place under its new key, and all are still at the old one. */
async function compare(): Promise<void> {
  await compareList(destination, renamed)
  await compareList(source, (key) => key)
  const every = Math.floor(COUNT / READ)
  const some = keys.filter((_, i) => i % every === 0)
  await each(some, CONNECTIONS, async (key) => {
    for (const [engine, name] of [
      [destination, renamed(key)],
      [source, key],
    ] as const) {
      const body = String(await engine.send('GET', name))
      if (body !== key) throw new Error(`${name} has the bytes “${body}” in ${engine.bucket}`)
    }
  })
}

/** Compares a list with what was filled: the body of an object was its key. */
async function compareList({ bucket, listed }: EngineBucket, named: (key: string) => string): Promise<void> {
  let i = 0
  for await (const { Key, ETag, Size } of listed()) {
    const key = keys[i++]
    if (key === undefined || Key !== named(key) || ETag !== `"${md5(key)}"` || Size !== key.length)
      throw new Error(`${bucket} lists ${Key} of ${Size} bytes with ${ETag} where ${key} should be`)
  }
  if (i !== COUNT) throw new Error(`${bucket} lists ${i} objects instead of ${COUNT}`)
}

/** The milliseconds that some requests for all objects would take a bare client, without the proxy; measured with fewer. */
async function bare(atOnce: number, work: (key: string) => Promise<unknown>): Promise<number> {
  return ((await timed(() => each(keys.slice(0, BARE), atOnce, work))) * COUNT) / BARE
}

/** What the engine is asked from now on, by kind. */
function counted({ log }: EngineProxy) {
  log.length = 0
  const kinds = new Map<string, number>()
  // Not kept longer than need be: a release of many objects asks hundreds of thousands of times.
  const count = () => {
    for (const request of log.splice(0)) kinds.set(said(request), (kinds.get(said(request)) ?? 0) + 1)
  }
  const total = () => {
    count()
    return [...kinds.values()].reduce((sum, one) => sum + one, 0)
  }
  return {
    total,
    /** Between two looks at whether something has ended. */
    async wait(): Promise<void> {
      await pause(50)
      count()
    },
    tell(name: string): void {
      const all = total()
      const measured = [...kinds].toSorted().map(([kind, times]) => `${kind} ${times}`)
      report(`requests of the ${name}`, {
        measured: measured.join(', ') || 'none',
        beside: `${(all / COUNT).toFixed(2)} an object`,
        ratio: '',
        goal: '',
      })
    },
  }
}

async function jobEnded(client: Client, id: string, meanwhile: () => Promise<unknown>): Promise<Job> {
  for (;;) {
    const job = await client.getJob({ params: { id } })
    if (job.status !== 'queued' && job.status !== 'running') return job
    await meanwhile()
  }
}

function assertDone({ kind, status, detail, total, done, errors }: Job): void {
  const [first] = errors
  if (status === 'succeeded' && total === COUNT && done === COUNT) return
  throw new Error(`The ${kind} ended as ${status} with ${done} of ${total}: ${detail ?? first?.detail}`)
}

function tell(name: string, { ms, mb, cpu }: Cost<unknown>, than: { beside: string; floor?: number; goal: string }) {
  const { beside, goal } = than
  report(name, {
    measured: `${seconds(ms)}, ${rate(COUNT, ms)}, CPU ${cpu.toFixed(1)} s`,
    beside,
    ratio: than.floor === undefined ? '' : `${(ms / than.floor).toFixed(2)} ×`,
    goal,
  })
  report(`memory during the ${name}`, {
    measured: `${Math.round(mb)} MB of RSS more`,
    beside: '',
    ratio: '',
    goal: 'flat: the same for any number',
  })
}
