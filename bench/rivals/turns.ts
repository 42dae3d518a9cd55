import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Done, Order, Reply } from './client.ts'
import type { Engine } from './engines.ts'
import type { Job } from './row.ts'
import type { Turn } from './table.ts'
import { cpuSecondsOf, residentBytesOf } from './tree.ts'

/** How often memory is looked at during a turn. */
const SAMPLE_MS = 500

/** The processes that send the requests. */
export interface Clients {
  /** Puts what the turns of a row read. */
  fill(job: Task): Promise<void>
  /** Has one server do one turn, and measures it. */
  turn(job: Task, engine: Engine): Promise<Turn>
  stop(): Promise<void>
}
/** What all clients together are to do. */
export type Task = Omit<Job, 'n' | 'of'>

/** Starts a client on each of some CPUs; undefined is all of them. */
export function startClients(cpus: readonly (number | undefined)[]): Clients {
  const file = path.join(import.meta.dirname, 'client.ts')
  const children = cpus.map((cpu) =>
    cpu === undefined
      ? fork(file)
      : fork(file, { execPath: 'taskset', execArgv: ['-c', String(cpu), process.execPath] }),
  )
  const all = (order: (n: number) => Order): Promise<Done[]> =>
    Promise.all(children.map(async (child, n) => reply(child, order(n)))).then((done) => done.flat())
  const shared = (what: 'fill' | 'begin', task: Task) =>
    all((n) => ({ do: what, job: { ...task, n, of: children.length } }))
  return {
    fill: (task) => shared('fill', task).then(() => undefined),
    async turn(task, engine) {
      await shared('begin', task)
      // What servers that do not sync have left to be written is not written during the turn of another.
      await promisify(execFile)('sync')
      let resident = residentBytesOf(engine.roots)
      const sampling = setInterval(() => {
        resident = Math.max(resident, residentBytesOf(engine.roots))
      }, SAMPLE_MS)
      try {
        const before = cpuSecondsOf(engine.roots)
        const done = await all(() => ({ do: 'run' }))
        const cpuSeconds = cpuSecondsOf(engine.roots) - before
        resident = Math.max(resident, residentBytesOf(engine.roots))
        const sum = (of: (one: Done) => number) => done.reduce((total, one) => total + of(one), 0)
        const operations = sum((one) => one.operations)
        return {
          perSecond: sum((one) => one.amount / one.seconds),
          cpuMs: (cpuSeconds * 1000) / operations,
          clientCpuMs: (sum((one) => one.cpuSeconds) * 1000) / operations,
          resident,
        }
      } finally {
        clearInterval(sampling)
        await all(() => ({ do: 'end' }))
      }
    },
    async stop() {
      for (const child of children) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }
    },
  }
}

/** Gives one client an order, and waits until it has carried it out. Throws what it failed with. */
async function reply(child: ChildProcess, order: Order): Promise<Done[]> {
  const given = new AbortController()
  const answered = once(child, 'message', { signal: given.signal }) as Promise<[Reply]>
  const ended = once(child, 'exit', { signal: given.signal }).then((): [Reply] => [{ error: 'The client ended' }])
  child.send(order)
  const [answer] = await Promise.race([answered, ended])
  given.abort()
  await Promise.allSettled([answered, ended])
  if ('error' in answer) throw new Error(answer.error)
  return answer.done ? [answer.done] : []
}
