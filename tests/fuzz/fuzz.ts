import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { faultOf } from './check.ts'
import { type Document, type Operation, operationsOf, type Plan, planOf, wireOf } from './requests.ts'
import { playScenarios } from './scenarios.ts'
import { encode, send } from './wire.ts'
import { World } from './world.ts'

export interface Limits {
  /** Stops after this many seconds or requests, whichever comes first. */
  seconds: number
  requests: number
  seed: number
  /** Operations asked at the same time. */
  concurrency: number
  /** Longest that any answer may take. */
  timeoutMs: number
  /** Only operations whose name matches. */
  only?: RegExp
  say?(line: string): void
  /** Creates another administrator with this password; returns the email. */
  rescue(password: string): string
}
export interface Finding {
  operation: string
  fault: string
  /** The smallest request found that shows it. */
  request: string
  seed: number
}
export interface Outcome {
  requests: number
  /** How many answers had which status; 0: closed without one. */
  statuses: Readonly<Record<string, number>>
  operations: number
  /** Those that never answered with success. */
  missed: readonly string[]
  slowestMs: number
  findings: readonly Finding[]
}

export const randomSeed = (): number => randomInt(2 ** 31)
const TRIES_A_ROUND = 12

/**
 * Sends generated requests to every operation of a running service's own `/openapi.json`, over and over, until a limit
 * is reached. Violations are shrunk and reported once for each operation and rule.
 */
export async function fuzz(baseUrl: string, limits: Limits): Promise<Outcome> {
  const url = new URL(baseUrl)
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document
  const operations = [...operationsOf(document), ...elsewhere].filter(
    ({ operationId }) => limits.only?.test(operationId) ?? true,
  )
  const world = new World(baseUrl, limits.rescue)
  const statuses: Record<string, number> = {}
  const reached = new Set<string>()
  const findings = new Map<string, Finding>()
  let requests = 0
  let slowestMs = 0
  const end = performance.now() + limits.seconds * 1000
  const isOver = () => performance.now() >= end || requests >= limits.requests

  async function ask(operation: Operation, plan: Plan): Promise<string | undefined> {
    const wire = wireOf(plan, world.resolve, world.credential(plan.actor))
    requests++
    const answer = await send(url, wire, limits.timeoutMs).catch((error: Error) => error.message)
    if (typeof answer === 'string') return answer
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    slowestMs = Math.max(slowestMs, answer.milliseconds)
    if (answer.status >= 200 && answer.status < 400) {
      reached.add(operation.operationId)
      world.learn(operation.tags[0] ?? '', answer.body)
    }
    if (answer.status === 401 && operation.security?.length) await world.revive(plan.actor)
    return faultOf(operation, wire, answer)
  }

  async function tryOut(operation: Operation, plans: fc.Arbitrary<Plan>, seed: number): Promise<void> {
    const property = fc.asyncProperty(plans, async (plan) => {
      // What is known already is not to hide what is not.
      const fault = await ask(operation, plan)
      if (fault !== undefined && !findings.has(`${operation.operationId}: ${kindOf(fault)}`)) throw new Error(fault)
    })
    const result = await fc.check(property, { seed, numRuns: TRIES_A_ROUND, interruptAfterTimeLimit: 20_000 })
    if (!result.failed || !result.counterexample) return
    const [plan] = result.counterexample
    const fault = (result.errorInstance as Error | null)?.message ?? 'interrupted'
    const request = show(encode(wireOf(plan, world.resolve, world.credential(plan.actor))), plan.actor)
    findings.set(`${operation.operationId}: ${kindOf(fault)}`, {
      operation: operation.operationId,
      fault,
      request,
      seed,
    })
    limits.say?.(`FOUND ${operation.operationId}: ${fault}\n${request}`)
  }

  const arbitraries = operations.map((operation) => [operation, planOf(operation)] as const)
  for (let round = 0; !isOver(); round++) {
    const { admin, bucket } = await world.renew()
    if (limits.only === undefined)
      for (const fault of await playScenarios(baseUrl, admin, bucket)) {
        findings.set(kindOf(fault), { operation: 'scenario', fault, request: '', seed: limits.seed })
        limits.say?.(`FOUND ${fault}`)
      }
    const queue = [...arbitraries]
    const worker = async () => {
      for (let next = queue.shift(); next && !isOver(); next = queue.shift())
        await tryOut(next[0], next[1], (limits.seed + round * 7919 + operations.indexOf(next[0])) | 0)
    }
    await Promise.all(Array.from({ length: limits.concurrency }, worker))
    limits.say?.(
      `${Math.round(limits.seconds - (end - performance.now()) / 1000)} s, round ${round + 1}: ${requests} requests, ${reached.size}/${operations.length} operations reached`,
    )
  }
  const missed = operations.map(({ operationId }) => operationId).filter((name) => !reached.has(name))
  return { requests, statuses, operations: operations.length, missed, slowestMs, findings: [...findings.values()] }
}

/** A fault without what differs each time. */
const kindOf = (fault: string): string => fault.replaceAll(/[0-9a-f]{8,}|\d+ (ms|bytes)/g, '#').slice(0, 80)

const show = (bytes: Buffer, actor: string): string =>
  `  as ${actor}: ${JSON.stringify(bytes.toString('utf8').replaceAll(/(uthorization: Bearer )\S+/g, '$1…')).slice(0, 700)}`

/** What is served in addition to the contract: pages, assets, and unknown paths. */
const elsewhere: readonly Operation[] = [
  '/console/{rest}',
  '/console/assets/{rest}',
  '/help/{rest}',
  '/docs/{rest}',
  '/docs/static/{rest}',
  '/{rest}',
].map((path) => ({
  operationId: `GET ${path}`,
  method: 'GET',
  path,
  tags: ['pages'],
  parameters: [{ name: 'rest', in: 'path', required: true, schema: { type: 'string' } }],
  responses: { 200: {}, 206: {}, 412: {} },
}))
