// The load generator: a separate process that is paused over IPC, and then replies with what it knows.
import { setTimeout as pause } from 'node:timers/promises'
import { administrator, foreman } from './chores.ts'
import { sender } from './client.ts'
import { Model, pathsOf } from './model.ts'
import { makeNoise } from './noise.ts'
import { random } from './random.ts'
import { BUCKETS, bucketOf, keyOf, type Tools, worker } from './worker.ts'

/** How the load is to be. */
export interface LoadOptions {
  bases: readonly string[]
  token: string
  seed: number
  workers: number
  /** Milliseconds a client rests between two things, on average. */
  rest: number
  inlineMaxBytes: number
}
export type Order = { pause: true } | { resume: true } | { tolerant: boolean }
/** What the load knows while it pauses, when no answer is outstanding. */
export type Snapshot = Pick<Model, 'objects' | 'trash' | 'records' | 'acknowledged' | 'lost' | 'small' | 'things'> & {
  faults: string[]
  /** Doubtful changes since the last pause of which some happened and some did not. */
  happened: number
}
/** After the last answer was lost: what a killed process had sent to the database is settled by then. */
const SETTLE_MS = 1500

async function run({ bases, token, seed, workers, rest, inlineMaxBytes }: LoadOptions): Promise<void> {
  const model = new Model(inlineMaxBytes)
  const noise = makeNoise(seed)
  const faults: string[] = []
  const fault = (text: string) => void faults.push(`${new Date().toISOString()} ${text}`)
  let tolerant = false
  let paused = false
  let resumed = Promise.withResolvers<void>()
  const busy = new Set<number>()

  const tools = (n: number): Tools => {
    const own = random(seed * 1000 + n)
    const report = (text: string) => !tolerant && fault(`unexpected answer: ${text}`)
    return { ...sender(bases, token, own, report), model, random: own, noise, fault }
  }
  const steps = [
    ...Array.from({ length: workers }, (_, n) => worker(`w${n}/`, tools(n))),
    foreman('job/', tools(901)),
    administrator(tools(902)),
  ]
  const slow = new Set([workers, workers + 1])
  const { send, persist } = tools(903)

  async function loop(step: () => Promise<void>, n: number): Promise<void> {
    for (;;) {
      // A client that was told to continue may be told to pause again before it runs.
      while (paused) await resumed.promise
      busy.add(n)
      await step().catch((error: Error) => fault(`the load itself: ${error.stack}`))
      busy.delete(n)
      await pause(rest * 2 * Math.random() * (slow.has(n) ? 6 : 1))
    }
  }
  /** The quota must hold at every moment. */
  async function watch(): Promise<void> {
    for (;;) {
      await pause(400)
      const looked = await send((client) => client.getBucket({ params: { bucket: 'tight' } }))
      if (looked.kind !== 'done') continue
      const { used_bytes, reserved_bytes } = looked.value
      if ((used_bytes ?? 0) + (reserved_bytes ?? 0) > BUCKETS.tight.quota_gb * 1024 ** 3)
        fault(`the quota is exceeded: ${used_bytes} used, ${reserved_bytes} reserved`)
    }
  }

  async function settle(): Promise<Snapshot> {
    await pause(SETTLE_MS)
    const etags = new Map<string, string | null>()
    const paths = model.doubtful.flatMap(pathsOf)
    for (const [name, some] of Map.groupBy(paths, bucketOf))
      for (let i = 0; i < some.length; i += 1000) {
        const keys = [...new Set(some.slice(i, i + 1000).map(keyOf))]
        const found = await persist((client) => client.objectsExist({ params: { bucket: name }, body: { keys } }))
        if (found.kind === 'refused') throw new Error(`${found.code}: ${found.detail}`)
        for (const { key, etag } of found.value.items) etags.set(`${name}/${key}`, etag)
      }
    const before = model.records.size
    faults.push(...model.resolve(etags))
    const { objects, trash, records, acknowledged, lost, small, things } = model
    return {
      objects,
      trash,
      records,
      acknowledged,
      lost,
      small,
      things,
      faults: faults.splice(0),
      happened: records.size - before,
    }
  }

  process.on('message', async (order: Order) => {
    if ('tolerant' in order) tolerant = order.tolerant
    else if ('resume' in order) {
      paused = false
      resumed.resolve()
    } else {
      paused = true
      resumed = Promise.withResolvers()
      while (busy.size > 0) await pause(20)
      process.send?.(await settle())
    }
  })
  process.on('disconnect', () => process.exit(0))
  await Promise.all([...steps.map(loop), watch()])
}

await run(JSON.parse(process.env.LOAD ?? '{}') as LoadOptions)
