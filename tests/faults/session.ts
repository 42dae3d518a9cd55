import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../client/derived.ts'
import { brokenStatements } from '../support/log-faults.ts'
import { bareEnv } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { checkCommands, checkDeliveries, checkLeftovers, checkModel, type Faults, faults } from './check.ts'
import type { LoadOptions, Order, Snapshot } from './load.ts'
import type { Small } from './model.ts'
import { ADMIN, configOf, type Pair } from './pair.ts'
import { type Random, random } from './random.ts'
import { BUCKETS } from './worker.ts'

/** A pair under load. */
export interface Session {
  pair: Pair
  seed: number
  random: Random
  faults: Faults
  admin: Client
  token: string
  receiver: Receiver
  figures: Figures
  /** Whether answers of 5xx are to be expected from now on. */
  tolerate(on: boolean): void
  /** Pauses the load, compares everything with what was acknowledged, and resumes it unless this is the last check. */
  check(what: string, options?: { last?: boolean; deep?: boolean }): Promise<void>
  /** Starts a replica and notes how long it took. */
  start(index: number): Promise<void>
  end(): Promise<void>
}
export interface Figures {
  kills: number
  acknowledged: number
  inDoubt: number
  small: Small
  objects: number
  deliveries: number
  duplicates: number
  orphans: number
  checks: number
  /** Milliseconds of each start, from the fork until it listens. */
  starts: number[]
}

export const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`)

/** Starts the replicas, fills them with what the load needs, and the load. */
export async function openSession(pair: Pair, seed: number, load: { workers: number; rest: number }): Promise<Session> {
  const found = faults()
  const figures: Figures = {
    kills: 0,
    acknowledged: 0,
    inDoubt: 0,
    objects: 0,
    deliveries: 0,
    duplicates: 0,
    orphans: 0,
    checks: 0,
    small: { acknowledged: 0, lost: 0, together: 0 },
    starts: [],
  }
  const receiver = await startReceiver()
  const start = async (index: number) => {
    const ms = await pair.replicas[index]?.start()
    if (ms) figures.starts.push(ms)
  }
  // One after the other: the first makes the schema and the administrator.
  for (const [i] of pair.replicas.entries()) await start(i)
  const [first] = pair.replicas
  const baseUrl = first?.url ?? ''
  const { access_token } = await createClient({ baseUrl }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  const { token } = await createClient({ baseUrl, token: access_token }).createToken({ body: { name: 'load' } })
  const admin = createClient({ baseUrl, token })
  for (const body of Object.values(BUCKETS)) await admin.createBucket({ body })
  const { url } = receiver
  await admin.createWebhook({ body: { name: 'All', url, events: ['*'], max_in_flight: 50 } })
  await admin.createWebhook({
    body: { name: 'Some', url, events: ['delete', 'move'], bucket: 'bare', prefix: 'w1/', max_in_flight: 50 },
  })
  // What is recorded from now on is later than the endpoints.
  await pause(5)

  const options: LoadOptions = {
    bases: pair.replicas.map((replica) => replica.url),
    token,
    seed,
    ...load,
    inlineMaxBytes: configOf(pair).inlineMaxBytes,
  }
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'load.ts'), {
    env: { ...bareEnv, LOAD: JSON.stringify(options) },
    serialization: 'advanced',
  })
  let ended = false
  child.on('exit', (code, signal) => {
    if (!ended) found.found.push(`the load ended with ${code ?? signal}`)
  })
  const order = (what: Order) => void child.send(what)
  let reported = 0
  return {
    pair,
    seed,
    random: random(seed ^ 0x5eed),
    faults: found,
    admin,
    token,
    receiver,
    figures,
    start,
    tolerate: (on) => order({ tolerant: on }),
    async check(what, { last = false, deep = false } = {}) {
      const began = Date.now()
      const answered = once(child, 'message') as Promise<[Snapshot]>
      order({ pause: true })
      const [snapshot] = await answered
      await checkModel(pair, admin, snapshot, found)
      figures.deliveries = await checkDeliveries(pair, receiver, found)
      figures.duplicates = receiver.received.length - figures.deliveries
      for (const replica of pair.replicas) found.found.push(...replica.crashes.splice(0))
      if (deep || last) await checkCommands(pair, found)
      figures.acknowledged = snapshot.acknowledged
      figures.inDoubt = snapshot.lost
      figures.small = snapshot.small
      figures.objects = snapshot.objects.size
      figures.checks++
      const fresh = found.found.slice(reported)
      reported = found.found.length
      say(
        `${what}: ${snapshot.acknowledged} changes acknowledged, ${snapshot.lost} in doubt, ${snapshot.objects.size} objects, ${figures.deliveries} deliveries; ${fresh.length} violations (looked at in ${Math.round((Date.now() - began) / 100) / 10} s)`,
      )
      for (const text of fresh.slice(0, 20)) say(`  VIOLATION ${text}`)
      if (!last) return order({ resume: true })
      for (const replica of pair.replicas) {
        const code = await replica.kill('SIGTERM')
        found.expect(code === 0, () => `a server that was asked to end gave ${code}`)
      }
      figures.orphans = await checkLeftovers(pair, found)
      for (const name of fs.readdirSync(pair.logs)) {
        const broken = brokenStatements(fs.readFileSync(path.join(pair.logs, name), 'utf8'))
        found.expect(
          broken.length === 0,
          () => `${broken.length} statements that the database cannot read: ${broken[0]}`,
        )
      }
      for (const text of found.found.slice(reported)) say(`  VIOLATION ${text}`)
      reported = found.found.length
    },
    async end() {
      ended = true
      child.kill('SIGKILL')
      await receiver.stop()
    },
  }
}
