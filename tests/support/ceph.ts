import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** An S3 engine with a bucket for the tests. */
export interface Gateway {
  /** A STORAGE_URL of its bucket, without a prefix. */
  url: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** Stops the engine and removes its folder; resolves when both are gone. Safe to call twice. */
  stop(): Promise<void>
  /** Kills the gateway (not what is behind it) and restarts it after a delay; only for an engine started here. */
  restart?(afterMs: number): Promise<void>
}

/** Why S3 tests are skipped without a gateway. */
export const noGateway =
  'no S3 engine: apt-get install --no-install-recommends ceph-mon ceph-mgr ceph-osd radosgw, or set TEST_S3_URL'

const script = path.resolve(import.meta.dirname, '../../scripts/ceph-rgw.sh')
const NOT_INSTALLED = 3

/**
 * Starts Ceph with its S3 gateway in a fresh temporary folder, by scripts/ceph-rgw.sh; undefined if its programs are not
 * installed. A shell supervises it, and stops it as soon as this process exits or is killed. Throws with Ceph's output if
 * it cannot be started.
 */
export async function startCeph(): Promise<Gateway | undefined> {
  for (let tries = 1; ; tries++) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-ceph-'))
    const port = await freePort()
    const shell =
      'out=$("$0" start "$1" "$2"); code=$?; echo "$out"; exec >&-; [ $code = 0 ] && cat >/dev/null; "$0" wipe "$1" "$2"'
    const keeper = spawn('bash', ['-c', `${shell}; exit $code`, script, folder, String(port)], {
      // Its own process group: Ctrl-C in the terminal reaches the tests, not the engine under them.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const exited = once(keeper, 'exit') as Promise<[number | null]>
    const said = text(keeper.stderr)
    const values = Object.fromEntries((await text(keeper.stdout)).split('\n').map((line) => line.split('=')))
    if (values.S3_ENDPOINT) {
      keeper.unref()
      for (const stream of [keeper.stdin, keeper.stderr]) (stream as net.Socket).unref()
      return {
        url: `s3://${values.S3_BUCKET}?endpoint=${encodeURIComponent(values.S3_ENDPOINT)}`,
        credentials: { accessKeyId: values.AWS_ACCESS_KEY_ID, secretAccessKey: values.AWS_SECRET_ACCESS_KEY },
        async stop() {
          keeper.ref()
          keeper.stdin.end()
          await exited
        },
        async restart(afterMs) {
          process.kill(Number(fs.readFileSync(path.join(folder, 'run', 'rgw.pid'), 'utf8')), 'SIGKILL')
          await pause(afterMs)
          const starting = spawn(script, ['start', folder, String(port)], { stdio: 'ignore' })
          const [code] = await once(starting, 'exit')
          if (code !== 0) throw new Error(`The gateway did not start again (${code}).`)
        },
      }
    }
    const [code] = await exited
    if (code === NOT_INSTALLED) return undefined
    // Another process may have taken the port meanwhile.
    if (tries === 3) throw new Error(`Ceph for the tests did not start:\n${await said}`)
  }
}

let own: Promise<Gateway | undefined> | undefined

/**
 * The S3 engine that the tests share: TEST_S3_URL (a STORAGE_URL without a prefix) with TEST_S3_ACCESS_KEY and
 * TEST_S3_SECRET_KEY if they are set, otherwise this process's own Ceph, started once and stopped when the process has
 * nothing left to do; undefined if Ceph is not installed. Get your own place in it from `newBucket`.
 */
export function cephGateway(): Promise<Gateway | undefined> {
  const { TEST_S3_URL: url, TEST_S3_ACCESS_KEY: accessKeyId, TEST_S3_SECRET_KEY: secretAccessKey } = process.env
  if (url && accessKeyId && secretAccessKey)
    return Promise.resolve({ url, credentials: { accessKeyId, secretAccessKey }, stop: async () => {} })
  if (!own) {
    own = startCeph()
    process.once('beforeExit', async () => (await own?.catch(() => undefined))?.stop())
  }
  return own
}

/** A STORAGE_URL that no other test has: a prefix in the gateway's bucket. */
export function newBucket(gateway: Gateway): string {
  const url = new URL(gateway.url)
  url.pathname = `/test-${randomUUID()}`
  return url.href
}

/** A port that is followed by a few free ones, which Ceph needs. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(200, 310) * 100
    if ((await isFree(port)) && (await isFree(port + 1)) && (await isFree(port + 10))) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = net.createServer()
  try {
    probe.listen(port, '127.0.0.1')
    await once(probe, 'listening')
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}
