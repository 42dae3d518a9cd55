import http from 'node:http'
import path from 'node:path'
import { spawnServer } from './process.ts'

/**
 * How long a service blocks other requests: the longest time without a turn of its event loop, in CPU time of its main
 * thread. Wall time would also count what other processes on this machine did meanwhile, which on two busy cores is more
 * than what is measured.
 */
export interface Stretches {
  /** Runs `work`; returns its result and the longest blocked time in milliseconds. */
  during<T>(work: () => Promise<T>): Promise<{ result: T; longestMs: number }>
}

/** Starts a service like `spawnServer`, with a probe in its event loop. */
export async function spawnWatched(env: Record<string, string>) {
  const socketPath = path.join(env.DATA_DIR ?? '', 'stretches.sock')
  const server = await spawnServer({ ...env, NODE_OPTIONS: `--import=${PROBE}`, STRETCHES_SOCKET: socketPath })
  const longest = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = http.get({ socketPath, path: '/', agent: false }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve(Number(text)))
      })
      asked.on('error', reject)
    })
  const stretches: Stretches = {
    async during(work) {
      await longest()
      const result = await work()
      return { result, longestMs: await longest() }
    },
  }
  return { ...server, stretches }
}

const PROBE = new URL('./stretch-probe.ts', import.meta.url).href
