import cluster from 'node:cluster'
import fs from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { ServiceError } from '../../../contract/errors.ts'
import { within } from '../../base/deadline.ts'
import { Refusal } from '../../base/refusal.ts'
import type { BackupPlace } from '../../config/backup.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { openNamedFiles } from '../../drivers/named-files/open.ts'
import { storageFolder } from '../../drivers/open.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { assertSame, Fenced, newestEpoch, type Own } from './epochs.ts'
import { mirrorsOfDefault, placeFor } from './place.ts'

/** How often a service looks whether another instance has taken over, and how old a look may be for a write, in milliseconds. */
const EVERY_MS = 5000
const OLDEST_MS = 15_000
/** How long a place has to answer. */
const DEADLINE_MS = 5000

/** The epoch of a database. */
export async function epochIn(db: Db): Promise<Own> {
  const row = await db.selectFrom('instance').select(['id', 'epoch', 'epoch_holder']).executeTakeFirstOrThrow()
  return { instance: row.id, number: row.epoch, holder: row.epoch_holder ?? row.id }
}

/**
 * Where epochs are on record: next to the blobs of the default storage, at both of its places if it has a mirror, and at the
 * backup place. Some of that only the database knows.
 */
async function recordsOf(config: Config, db?: Db): Promise<BackupPlace[]> {
  const { storageUrl, s3Credentials } = config
  const storage = { url: storageUrl, credentials: s3Credentials }
  const [mirrors, backup] = [db ? await mirrorsOfDefault(config, db) : [], await placeFor(config, db)]
  // A folder that is not there is not made for this.
  return [storage, ...mirrors, ...(backup ? [backup] : [])].filter((one) => {
    const folder = one === backup ? undefined : storageFolder(one.url)
    return folder === undefined || fs.existsSync(folder)
  })
}
const openAll = (places: readonly BackupPlace[]): Promise<NamedFiles[]> =>
  Promise.all(places.map(({ url, credentials }) => openNamedFiles(url, credentials)))

/** The places where epochs are on record; without a database, those that the environment names. */
export const placesOf = async (config: Config, db?: Db): Promise<NamedFiles[]> => openAll(await recordsOf(config, db))

/** The highest epoch on record at those of these places that answer; 0 if there is none. */
export async function highestEpoch(places: readonly NamedFiles[], secretKeys: readonly string[]): Promise<number> {
  const found = await Promise.allSettled(places.map((place) => newestEpoch(place, secretKeys)))
  return Math.max(0, ...found.map((one) => (one.status === 'fulfilled' ? (one.value?.header.number ?? 0) : 0)))
}

/** Throws Fenced if a place says that another instance has taken over. */
export const assertAtAll = (places: readonly NamedFiles[], secretKeys: readonly string[], own: Own): Promise<void> =>
  lookAtAll(places, async (place) => {
    const found = await newestEpoch(place, secretKeys)
    if (found?.header.instance === own.instance) assertSame(found.header, own)
  })

/**
 * Throws if a look at one of these places throws Fenced. A place that does not answer, or has only what cannot be read, says
 * nothing: a service does not stop because of it.
 */
async function lookAtAll(places: readonly NamedFiles[], look: (place: NamedFiles) => Promise<void>): Promise<void> {
  const looks = places.map((place) =>
    within(DEADLINE_MS, look(place)).catch((error: unknown) => {
      if (error instanceof Fenced) throw error
    }),
  )
  await Promise.all(looks)
}

/** Throws a Refusal if another instance has taken over from a database. */
export async function assertNotFenced(config: Config, db: Db): Promise<void> {
  const own = await epochIn(db)
  const places = await placesOf(config, db)
  try {
    await assertAtAll(places, secretKeysOf(config), own)
  } catch (error) {
    if (!(error instanceof Fenced)) throw error
    throw new Refusal(`This database must not be used any more: ${error.message}. It was not changed.`)
  } finally {
    for (const place of places) place.close()
  }
}

/** Keeps a service from writing once another instance has taken over. */
export interface Fence {
  /** Before a change: undefined if it may be made, otherwise to be awaited. Rejects if it must not. */
  mayWrite(): Promise<void> | undefined
  stop(): void
}

/**
 * Looks every few seconds whether another instance has taken over; then nothing is changed any more, and the service ends. A
 * process that was stopped, or whose machine slept, looks before it makes its first change.
 */
export async function raiseFence(config: Config, db: Db, log: Logger): Promise<Fence> {
  const own = await epochIn(db)
  let records = await recordsOf(config, db)
  let places = await openAll(records)
  const secretKeys = secretKeysOf(config)
  /** The backup place, or a mirror, may be another by now. */
  const follow = async (): Promise<void> => {
    const now = await within(DEADLINE_MS, recordsOf(config, db))
    if (isDeepStrictEqual(now, records)) return
    const [opened, former] = [await openAll(now), places]
    records = now
    places = opened
    for (const place of former) place.close()
  }
  let fenced: Fenced | undefined
  let looked = { clock: Date.now(), elapsed: performance.now() }
  let looking: Promise<void> | undefined
  const look = async (): Promise<void> => {
    const began = { clock: Date.now(), elapsed: performance.now() }
    try {
      await follow().catch(() => undefined)
      await assertAtAll(places, secretKeys, own)
      looked = began
    } catch (error) {
      if (!(error instanceof Fenced) || fenced) return
      fenced = error
      log.fatal(`this service must not write any more: ${error.message}`)
      endService()
    }
  }
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  // Asked before every change, so no file is read for it. The clock shows that the machine slept, which `performance.now()` does
  // not count; that one shows that the process was stopped, even if the clock was set back meanwhile.
  const isOld = (): boolean =>
    Math.abs(Date.now() - looked.clock) > OLDEST_MS || performance.now() - looked.elapsed > OLDEST_MS
  const assertOwn = (): void => {
    if (fenced) throw new ServiceError('busy', `Another instance has taken over: ${fenced.message}.`)
  }
  const timer = setInterval(() => void lookOnce(), EVERY_MS)
  timer.unref()
  return {
    mayWrite() {
      if (!fenced && !isOld()) return undefined
      // A look that was under way when the process was stopped says nothing of the time since.
      const again = () => (fenced || !isOld() ? undefined : lookOnce())
      return (fenced ? Promise.resolve() : lookOnce().then(again)).then(assertOwn)
    },
    stop() {
      clearInterval(timer)
      for (const place of places) place.close()
    },
  }
}

/** As if the whole service was stopped from outside. */
export const endService = (): void => void process.kill(cluster.isWorker ? process.ppid : process.pid, 'SIGTERM')
