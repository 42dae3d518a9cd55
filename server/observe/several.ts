import cluster from 'node:cluster'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** The metrics of one process as the others of its service get them. */
export type Counted = MetricObjectWithValues<MetricValue<string>>[]

/** How long the others have to tell theirs, and the primary to hand all of them on. Milliseconds. */
const OTHERS_MS = 2000
const PRIMARY_MS = 3000

/** From a process: what do all have? From the primary: what have you? And the answers to both. */
type Message =
  | { metrics: 'all?'; id: number }
  | { metrics: 'all'; id: number; found: Counted[]; expected: number }
  | { metrics: 'own?'; id: number }
  | { metrics: 'own'; id: number; found: Counted }

const isMessage = (said: unknown): said is Message => typeof said === 'object' && said !== null && 'metrics' in said

/** In a process of several: tells the primary its metrics when it asks. Until the function it gives is called. */
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

/** What all processes of the service have, and how many there should be; of this one alone where it is the only one. */
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

/** In the primary: asks every process when one of them wants to know. */
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

/** One text of what several processes have: added up, unless a metric says otherwise. */
export function addedUp(found: readonly Counted[]): Promise<string> {
  // prom-client would leave out when processes began, also where there is one.
  const kept = found.map((one) =>
    one.map((metric) => (metric.aggregator === 'omit' ? { ...metric, aggregator: 'max' as const } : metric)),
  )
  return AggregatorRegistry.aggregate(kept).metrics()
}

/** A process that is just ending does not get it. */
const ignore = (): void => undefined
const send = (message: Message): void => void process.send?.(message, ignore)
