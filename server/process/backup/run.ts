import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { BackupPlace } from '../../config/backup.ts'
import type { Config } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'
import { openNamedFiles } from '../../drivers/named-files/open.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { fingerprint } from '../instance/key.ts'
import { Fenced } from './epochs.ts'
import { isRegistered, placeOfFile } from './place.ts'
import { Shipper } from './shipper.ts'

/** How often it is looked whether anything is due, and the longest between two files of changes, in milliseconds. */
const LOOK_MS = 200
const EVERY_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** When the thread is started again where it has failed. */
const THREAD_AGAIN_MS = 10_000
/** How often it is looked whether a registered storage is where it was. */
const PLACE_MS = 30_000
/** How long an end waits for a place that does not answer. */
const END_MS = 10_000

interface Given {
  backup: true
  database: string
  place: BackupPlace
  secretKeys: readonly string[]
  keyName: string
}
const keysOf = ([secretKey = '', ...previousSecretKeys]: readonly string[]) => ({ secretKey, previousSecretKeys })
type Said = { error: string } | { recovered: true } | { fenced: string }

/**
 * Keeps the copy of a SQLite database at the backup place up to date, on a thread of its own, for as long as this service
 * has the database; undefined where nothing is configured. `onFenced` is called once another instance has taken over.
 */
export function startBackup(
  config: Config,
  log: Logger,
  onFenced: (why: string) => void,
): { stop(): Promise<void> } | undefined {
  const database = databaseFile(config.databaseUrl)
  if (config.backup === null || database === undefined) return undefined
  const { secretKey, backup: place, storagesEnabled } = config
  if (isRegistered(place) && !storagesEnabled) return undefined
  const given: Given = {
    backup: true,
    database,
    place,
    secretKeys: secretKeysOf(config),
    keyName: fingerprint(secretKey),
  }
  let stopping = false
  let again: NodeJS.Timeout | undefined
  let worker: Worker
  let exited: Promise<unknown>
  function begin(): void {
    worker = new Worker(new URL(import.meta.url), { workerData: given })
    exited = once(worker, 'exit').catch(() => undefined)
    let fenced = false
    worker.on('message', (said: Said) => {
      if ('fenced' in said) {
        fenced = true
        log.fatal(said.fenced)
        onFenced(said.fenced)
      } else if ('error' in said) log.error(`the backup place (BACKUP_URL) cannot be used: ${said.error}`)
      else log.info('the backup place can be used again')
    })
    worker.on('error', (error) => log.error({ err: error }, 'the thread that copies the database has failed'))
    worker.on('exit', () => {
      if (stopping || fenced) return
      again = setTimeout(begin, THREAD_AGAIN_MS)
      again.unref()
    })
  }
  begin()
  return {
    async stop() {
      stopping = true
      clearTimeout(again)
      worker.postMessage('stop')
      await exited
    },
  }
}

async function run({ database, place: asked, secretKeys, keyName }: Given, port: NonNullable<typeof parentPort>) {
  const say = (said: Said) => port.postMessage(said)
  const stopping = new AbortController()
  port.on('message', () => stopping.abort())
  const find = () => placeOfFile(database, keysOf(secretKeys), asked)
  const place = await findPlace(find, say, stopping.signal)
  if (!place) process.exit(0)
  const shipper = new Shipper({
    database,
    url: place.url,
    place: await openNamedFiles(place.url, place.credentials),
    secretKeys,
    keyName,
    every: EVERY_MS,
    now: () => new Date(),
  })
  let failures = 0
  const step = async (all: boolean): Promise<void> => {
    try {
      await shipper.step(all)
      if (failures > 0) say({ recovered: true })
      failures = 0
      shipper.tell(null)
    } catch (error) {
      if (failures++ === 0 && !(error instanceof Fenced)) say({ error: (error as Error).message })
      shipper.tell(error as Error)
      shipper.giveUp()
      throw error
    }
  }
  let lookedAt = performance.now()
  /** Whether the storage was registered otherwise meanwhile: the next thread uses that. */
  const hasMoved = (): boolean => {
    if (!isRegistered(asked) || performance.now() - lookedAt < PLACE_MS) return false
    lookedAt = performance.now()
    try {
      return !isDeepStrictEqual(find(), place)
    } catch {
      return true
    }
  }
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted && !hasMoved()) {
      try {
        await step(false)
      } catch (error) {
        if (!(error instanceof Fenced)) continue
        say({ fenced: `This instance must not write any more: ${error.message}.` })
        return
      } finally {
        const ms = failures === 0 ? LOOK_MS : Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(failures, 10))
        await pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const looping = loop()
  await Promise.race([looping, once(stopping.signal, 'abort')])
  // A place that does not answer keeps nobody from ending.
  const last = looping.then(() => step(true)).then(() => true)
  const stored = await Promise.race([last, pause(END_MS, false)]).catch(() => false)
  await shipper.close(stored)
  process.exit(0)
}

/** The place to copy to, once there is one; undefined if it ends before. */
async function findPlace(
  find: () => BackupPlace,
  say: (said: Said) => void,
  signal: AbortSignal,
): Promise<BackupPlace | undefined> {
  for (let told = false; !signal.aborted; told = true)
    try {
      const place = find()
      if (told) say({ recovered: true })
      return place
    } catch (error) {
      if (!told) say({ error: (error as Error).message })
      await pause(THREAD_AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  return undefined
}

if (!isMainThread && parentPort && (workerData as Given | undefined)?.backup === true)
  await run(workerData as Given, parentPort)
