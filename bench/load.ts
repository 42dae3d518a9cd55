import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'

/** Has a job done by a process of its own. */
export async function run(job: Job): Promise<Outcome> {
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The load of ${job.method} ${job.url} failed`)
  return JSON.parse(text) as Outcome
}

/** CPU time that a process has used so far, in seconds (Linux). */
export function cpuSeconds(pid: number | undefined): number {
  const [, rest = ''] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export interface Measured extends Outcome {
  /** CPU time of the service for each request. */
  cpuMs: number
}
/** Has a job done, and measures what it costs the process that answers. */
export async function runMeasured(job: Job, pid: number | undefined): Promise<Measured> {
  const before = cpuSeconds(pid)
  const outcome = await run(job)
  return { ...outcome, cpuMs: ((cpuSeconds(pid) - before) * 1000) / (outcome.perSecond * job.seconds) }
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/**
 * Sends requests over 16 connections for some seconds, in a process of its own, and prints what came of it as JSON.
 * Argument: a Job as JSON.
 */
export interface Job {
  /** `#` in the path becomes a number of its own for each request. */
  url: string
  /** Several, which the requests take in turn, instead of one. */
  urls?: readonly string[]
  method: string
  headers: Record<string, string>
  /** Further headers of each of `urls`, such as its signature. */
  signed?: readonly Record<string, string>[]
  /** Bytes of the body; 0 for none. */
  body: number
  seconds: number
  connections: number
}
export interface Outcome {
  perSecond: number
  medianMs: number
  p99Ms: number
  bytesPerSecond: number
}

async function load(job: Job): Promise<Outcome> {
  const body = Buffer.alloc(job.body, 'strongroom ')
  const agent = new http.Agent({ keepAlive: true, maxSockets: job.connections })
  const times: number[] = []
  const base = process.hrtime.bigint().toString(36)
  let bytes = 0
  let count = 0
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const began = performance.now()
      const n = count++
      const own = job.signed?.[n % job.signed.length]
      const length = job.body > 0 ? { 'content-length': String(job.body) } : undefined
      const headers = own || length ? { ...job.headers, ...own, ...length } : job.headers
      const url = job.urls?.[n % job.urls.length] ?? job.url.replace('#', `${base}-${n}`)
      const request = http.request(url, { method: job.method, headers, agent })
      request.on('error', reject)
      request.on('response', (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on('end', () => {
          if ((response.statusCode ?? 500) >= 300) return reject(new Error(`${job.method} ${response.statusCode}`))
          times.push(performance.now() - began)
          resolve()
        })
      })
      request.end(job.body > 0 ? body : undefined)
    })
  const began = performance.now()
  const until = began + job.seconds * 1000
  const worker = async () => {
    while (performance.now() < until) await one()
  }
  await Promise.all(Array.from({ length: job.connections }, worker))
  const seconds = (performance.now() - began) / 1000
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return {
    perSecond: times.length / seconds,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    bytesPerSecond: (job.body > 0 ? times.length * job.body : bytes) / seconds,
  }
}

if (import.meta.main) process.stdout.write(JSON.stringify(await load(JSON.parse(process.argv[2] ?? '') as Job)))
