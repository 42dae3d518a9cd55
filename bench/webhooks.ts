import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { Agent } from 'undici'
import type { Client } from '../client/derived.ts'
import { openDatabase } from '../server/db/open.ts'
import { queueDeliveries, registerFor } from '../tests/support/outbox.ts'

/** Deliveries of a round, over so many endpoints with two in flight each. */
const DELIVERIES = 6000
const ENDPOINTS = 20
const CONNECTIONS = ENDPOINTS * 2

/** Raw POSTs of the same size by undici, as many at a time, without a queue, a log or a signature: run as a process. */
async function floor(url: string): Promise<number> {
  const { origin, pathname } = new URL(url)
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })
  const body = JSON.stringify({ event: 'upload', i: 1234 })
  let left = DELIVERIES
  const began = performance.now()
  const worker = async () => {
    while (left-- > 0) {
      const headers = { 'content-type': 'application/json' }
      const response = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
      await response.body.dump()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  const perSecond = DELIVERIES / ((performance.now() - began) / 1000)
  await agent.close()
  return perSecond
}

async function floorInProcess(url: string): Promise<number> {
  const child = spawn(process.execPath, [import.meta.filename, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The floor of the webhooks failed')
  return Number(text)
}

/**
 * Deliveries per second from the queue to the log, beside raw POSTs, in turns; the receiver is a process of its own. Each
 * delivery is claimed, signed, sent, and its outcome and attempt written down.
 */
export async function measureWebhooks(
  { databaseUrl, client, receiver, rounds }: { databaseUrl: string; client: Client; receiver: string; rounds: number },
  report: (ours: number, theirs: number) => void,
): Promise<void> {
  const database = await openDatabase(databaseUrl)
  const endpoints: string[] = []
  for (let i = 0; i < ENDPOINTS; i++) endpoints.push(await registerFor(client, receiver))
  const left = async () =>
    (
      await database.db
        .selectFrom('webhook_deliveries')
        .select((e) => e.fn.countAll<number>().as('count'))
        // A literal, for the index of what is queued.
        .where(sql<boolean>`status = 'queued'`)
        .executeTakeFirstOrThrow()
    ).count
  for (let round = 0; round < rounds; round++) {
    const theirs = await floorInProcess(receiver)
    const began = performance.now()
    await queueDeliveries(database, endpoints, DELIVERIES / ENDPOINTS)
    while ((await left()) > 0) await pause(50)
    report(DELIVERIES / ((performance.now() - began) / 1000), theirs)
  }
  for (const id of endpoints) await client.deleteWebhook({ params: { id } })
  await database.close()
}

if (import.meta.main) process.stdout.write(String(await floor(process.argv[2] ?? '')))
