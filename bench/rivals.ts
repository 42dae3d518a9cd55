import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median } from './load.ts'
import { type Engine, type Place, RIVALS, startFloor, startStrongroom } from './rivals/engines.ts'
import type { Row } from './rivals/row.ts'
import { ROWS } from './rivals/rows.ts'
import { cell, markdown, megabytes, type Turn } from './rivals/table.ts'
import { residentBytesOf } from './rivals/tree.ts'
import { startClients, type Task } from './rivals/turns.ts'

/**
 * Measures Strongroom's S3 endpoint beside other S3 servers whose programs are on this machine, and beside a bare server.
 * `BENCH_RIVALS=minio=/path,versitygw=/path node bench/rivals.ts` prints a table in Markdown (bench/README.md). The servers take
 * turns, so that each of them meets the machine as it is in the same minutes.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    warm: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
    keys: { type: 'string', default: '4000' },
    deletes: { type: 'string', default: '3200' },
    idle: { type: 'string', default: '60' },
  },
})
const ROUNDS = Number(options.rounds)
/** The turn before the first that counts. */
const WARM = 'warm'
const WARM_DELETES = 400
/** From so many CPUs on, a quarter of them is the clients' and the others are the servers'. */
const ENOUGH_CPUS = 4

const rows = ROWS.filter(({ name }) => name.includes(options.only))
if (rows.length === 0) throw new Error(`No row is named so: ${ROWS.map(({ name }) => name).join('; ')}`)
if (Number(options.keys) % 1000 !== 0) throw new Error('--keys is not a multiple of 1,000: pages would differ')
const rivals = (process.env.BENCH_RIVALS ?? '')
  .split(',')
  .filter(Boolean)
  .map((one) => {
    const [name = '', file = ''] = one.split('=')
    const start = RIVALS[name]
    if (start && fs.existsSync(file)) return { name, start: (place: Place) => start(file, place) }
    throw new Error(`BENCH_RIVALS: "${one}" is not NAME=PATH, with one of ${Object.keys(RIVALS).join(', ')}`)
  })

/** Strongroom runs once with each of these numbers of processes. */
const processes = options.workers.split(',').map(Number)
const cpus = os.availableParallelism()
const ofClients = cpus >= ENOUGH_CPUS ? Math.floor(cpus / 4) : 0
const ofServers = ofClients > 0 ? `0-${cpus - ofClients - 1}` : undefined
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const clients = startClients(
  ofClients > 0 ? Array.from({ length: ofClients }, (_, i) => cpus - ofClients + i) : [undefined],
)
const engines: Engine[] = []
try {
  const all = [
    ...processes.map((count) => ({
      name: count === 1 ? 'strongroom' : `strongroom, ${count} processes`,
      start: (place: Place) => startStrongroom(place, count, options.postgres),
    })),
    ...rivals,
    { name: 'bare', start: startFloor },
  ]
  for (const [i, { name, start }] of all.entries()) {
    const own = path.join(folder, String(i))
    fs.mkdirSync(own)
    engines.push(await start({ folder: own, cpus: ofServers }))
    console.error(`${name} runs`)
  }
  await measure()
} finally {
  await clients.stop()
  for (const engine of engines) await engine.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  /** The server that the others are compared with; Strongroom itself is compared with it too. */
  const first = rivals.length > 0 ? engines[processes.length] : engines[0]
  const lines: string[][] = []
  for (const row of rows) {
    const turns = await measureRow(row)
    const cells = engines.map((engine) => cell(row, turns.get(engine), first && turns.get(first)))
    const ofClient = median([...turns.values()].flat().map(({ clientCpuMs }) => clientCpuMs))
    lines.push([row.name, ...cells, `${ofClient.toFixed(2)} ms`])
    console.error(`${row.name}: ${cells.join(' | ')}`)
  }
  await pause(Number(options.idle) * 1000)
  const rest = engines.map(({ roots }) => megabytes(residentBytesOf(roots)))
  const connections = 'connections: 16, or 4 where it says so'
  const where = ofServers === undefined ? 'client on the same CPUs' : `servers on CPUs ${ofServers}, clients on others`
  console.log(
    `\n${cpus} CPUs, ${where}; ${connections}; ${ROUNDS} rounds of ${options.seconds} s in turns; lists of a bucket of ${options.keys}\n`,
  )
  console.log(
    markdown(
      ['S3', ...engines.map(({ name }) => name), 'CPU time of the client'],
      [
        ['acknowledged = on disk', ...engines.map(({ durable }) => durable), ''],
        ...lines,
        [`resident memory ${options.idle} s later`, ...rest, ''],
      ],
    ),
  )
}

/** The turns of each server that had no failure; of one that had, what came before it is not worth showing. */
async function measureRow(row: Row): Promise<Map<Engine, Turn[]>> {
  const turns = new Map<Engine, Turn[]>()
  const task = ({ target }: Engine, turn: string): Task => ({
    target,
    row: row.name,
    turn: `${row.name.replace(/\W+/g, '-')}-${turn}`,
    seconds: Number(turn === WARM ? options.warm : options.seconds),
    keys: Number(options.keys),
    deletes: turn === WARM ? WARM_DELETES : Number(options.deletes),
  })
  const attempt = async (engine: Engine, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      console.error(`${row.name}, ${engine.name}: ${error}`)
      turns.delete(engine)
      process.exitCode = 1
    }
  }
  for (const engine of engines) {
    turns.set(engine, [])
    await attempt(engine, async () => {
      await clients.fill(task(engine, WARM))
      await clients.turn(task(engine, WARM), engine)
    })
  }
  for (let round = 0; round < ROUNDS; round++) {
    const order = engines.map((_, i) => engines[(i + round) % engines.length] as Engine)
    for (const engine of order) {
      const before = turns.get(engine)
      if (!before) continue
      await attempt(engine, async () => {
        before.push(await clients.turn(task(engine, String(round)), engine))
      })
    }
  }
  return turns
}
