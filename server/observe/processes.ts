import cluster from 'node:cluster'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** One process's metrics as sent to its siblings. */
export type Counted = MetricObjectWithValues<MetricValue<string>>[]

/** Milliseconds that the other processes have to report, and the primary to pass on all reports. */
const OTHERS_MS = 2000
const PRIMARY_MS = 3000

/** From a process: request for all metrics. From the primary: request for its metrics. And the replies to both. */
type Message =
  | { metrics: 'all?'; id: number }
  | { metrics: 'all'; id: number; found: Counted[]; expected: number }
  | { metrics: 'own?'; id: number }
  | { metrics: 'own'; id: number; found: Counted }

const isMessage = (said: unknown): said is Message => typeof said === 'object' && said !== null && 'metrics' in said

/** In one of several processes: sends its metrics when the primary asks, until the returned function is called. */
export function answerPrimary(own: () => Promise<Counted>): () => void {
  if (!cluster.isWorker) return () => undefined
  const answer = (said: unknown): void => {
    if (!isMessage(said) || said.metrics !== 'own?') return
    own().then(
      (found) => send({ metrics: 'own', id: said.id, found }),
      () => undefined,
    )
  }
  process.on('message', answer)
  return () => void process.off('message', answer)
}

let asked = 0

/** The metrics of all processes, and how many there should be; just this one's if it is the only one. */
export async function ofAll(own: () => Promise<Counted>): Promise<{ found: Counted[]; expected: number }> {
  if (!cluster.isWorker) return { found: [await own()], expected: 1 }
  const id = ++asked
  const { promise, resolve } = Promise.withResolvers<{ found: Counted[]; expected: number } | undefined>()
  const hear = (said: unknown): void => {
    if (isMessage(said) && said.metrics === 'all' && said.id === id) resolve(said)
  }
  const timer = setTimeout(() => resolve(undefined), PRIMARY_MS)
  process.on('message', hear)
  send({ metrics: 'all?', id })
  try {
    const all = await promise
    return all && all.found.length > 0 ? all : { found: [await own()], expected: 0 }
  } finally {
    clearTimeout(timer)
    process.off('message', hear)
  }
}

/** In the primary: asks every process when one of them wants all metrics. */
export function collectForProcesses(expected: number): void {
  let questions = 0
  cluster.on('message', (asking, said: unknown) => {
    if (!isMessage(said) || said.metrics !== 'all?') return
    const id = ++questions
    const waiting = new Set(Object.values(cluster.workers ?? {}).filter((one) => one?.isConnected()))
    const found: Counted[] = []
    const end = (): void => {
      clearTimeout(timer)
      cluster.off('message', hear)
      if (asking.isConnected()) asking.send({ metrics: 'all', id: said.id, found, expected } satisfies Message, ignore)
    }
    const hear = (from: typeof asking, told: unknown): void => {
      if (!isMessage(told) || told.metrics !== 'own' || told.id !== id || !waiting.delete(from)) return
      found.push(told.found)
      if (waiting.size === 0) end()
    }
    const timer = setTimeout(end, OTHERS_MS)
    cluster.on('message', hear)
    for (const one of waiting) one?.send({ metrics: 'own?', id } satisfies Message, ignore)
  })
}

/** Combines several processes' metrics into one text: added up, unless a metric says otherwise. */
export function sumMetrics(found: readonly Counted[]): Promise<string> {
  // prom-client would drop the processes' start times, even with a single process.
  const kept = found.map((one) =>
    one.map((metric) => (metric.aggregator === 'omit' ? { ...metric, aggregator: 'max' as const } : metric)),
  )
  return AggregatorRegistry.aggregate(kept).metrics()
}

/** For a message to a process that is just exiting. */
const ignore = (): void => undefined
const send = (message: Message): void => void process.send?.(message, ignore)
