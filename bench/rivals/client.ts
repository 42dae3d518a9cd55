import { Connection, type Request } from './connection.ts'
import { assertOk } from './requests.ts'
import type { Job, Operation, Row } from './row.ts'
import { ROWS } from './rows.ts'

/**
 * A client in a process of its own, which lives for all servers and rows, so that each of them meets a client that is equally warm.
 * It is told what to do by messages, one at a time, and answers each.
 */
export type Order = { do: 'fill' | 'begin'; job: Job } | { do: 'run' | 'end' }
export interface Done {
  /** Operations, and how much of the row's unit they were. */
  operations: number
  amount: number
  seconds: number
  /** CPU time of this client. */
  cpuSeconds: number
}
/** What it answers: of a `run`, what was done. */
export type Reply = { error: string } | { done?: Done }

interface Turn {
  job: Job
  row: Row
  operation: Operation
  done: number
}
let turn: Turn | undefined

const rowOf = ({ row: name }: Job): Row => ROWS.find((row) => row.name === name) as Row
const connectionsOf = ({ target, of }: Job, row: Row): Promise<Connection[]> =>
  Promise.all(Array.from({ length: Math.ceil(row.connections / of) }, () => Connection.open(target.host, target.port)))

/** Has some work done over the connections of a row, which are new: a server may have closed those of the turn before. */
async function over(job: Job, row: Row, work: (connection: Connection) => Promise<void>): Promise<void> {
  const connections = await connectionsOf(job, row)
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Sends all of some requests. */
async function each(job: Job, row: Row, requests: Iterable<Request>): Promise<void> {
  const left = requests[Symbol.iterator]()
  await over(job, row, async (connection) => {
    for (let next = left.next(); !next.done; next = left.next()) assertOk(await connection.send(next.value))
  })
}

async function run({ job, row, operation }: Turn): Promise<Done> {
  let operations = 0
  let amount = 0
  const before = process.cpuUsage()
  const began = performance.now()
  const until = began + job.seconds * 1000
  await over(job, row, async (connection) => {
    while (performance.now() < until) {
      const doing = operation.one(connection, operations)
      if (doing === undefined) return
      operations++
      const more = await doing
      amount += more
    }
  })
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  return { operations, amount, seconds, cpuSeconds: (user + system) / 1e6 }
}

async function obey(order: Order): Promise<Reply> {
  if (order.do === 'fill' || order.do === 'begin') {
    const { job } = order
    const row = rowOf(job)
    const sendAll = (requests: Iterable<Request>) => each(job, row, requests)
    if (order.do === 'fill') await row.fill?.(job, sendAll)
    else turn = { job, row, operation: await row.begin(job, sendAll), done: 0 }
    return {}
  }
  if (!turn) throw new Error('There is nothing to run')
  if (order.do === 'run') {
    const done = await run(turn)
    turn.done = done.operations
    return { done }
  }
  await each(turn.job, turn.row, turn.operation.end?.(turn.done) ?? [])
  turn = undefined
  return {}
}

process.on('message', async (order: Order) => {
  const reply = await obey(order).catch((error: unknown): Reply => ({ error: String(error) }))
  process.send?.(reply)
})
