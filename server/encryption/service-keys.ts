import type { KeyObject } from 'node:crypto'
import { perSystem } from '../base/per-system.ts'
import { Refusal } from '../base/refusal.ts'
import type { Config } from '../config/config.ts'
import type { Db, Tx } from '../db/schema.ts'
import { isSealedWithCurrent, sealServiceKey, unsealServiceKey, wantedRoot } from './root-keys.ts'
import * as store from './store.ts'
import { newKey } from './wrap.ts'

/** What the keys of a service are read with. */
export interface KeyAccess {
  db: Db
  config: Config
  now(): Date
}

/** A key of the service that wraps the keys of blobs. */
export interface ServiceKey {
  version: number
  key: KeyObject
}

interface Ring {
  current: ServiceKey | undefined
  all: ReadonlyMap<number, KeyObject>
  /** In ms. */
  readAt: number
}
/** Milliseconds after which the current key is looked up again: another process may have made a newer one. */
export const FRESH_MS = 10_000

const ringsOf = perSystem((): { ring: Ring | undefined; reading: Promise<Ring> | undefined } => ({
  ring: undefined,
  reading: undefined,
}))

async function read({ db, config, now }: KeyAccess): Promise<Ring> {
  const readAt = now().getTime()
  const rows = await store.listServiceKeys(db)
  const keys = rows.flatMap(({ version, sealed }): ServiceKey[] => {
    const key = unsealServiceKey(config, version, sealed)
    return key ? [{ version, key }] : []
  })
  const retired = new Set(rows.flatMap(({ version, retired_at }) => (retired_at === null ? [] : version)))
  return {
    current: keys.find(({ version }) => !retired.has(version)) ?? ringsOf(config).ring?.current,
    // What was unsealed once stays known: a replica with a newer SECRET_KEY may have sealed it with that.
    all: new Map([...(ringsOf(config).ring?.all ?? []), ...keys.map(({ version, key }) => [version, key] as const)]),
    readAt,
  }
}

/** Reads the keys again; those who ask at the same time share one look. */
function readOnce(access: KeyAccess): Promise<Ring> {
  const known = ringsOf(access.config)
  known.reading ??= read(access)
    .then((ring) => {
      known.ring = ring
      return ring
    })
    .finally(() => {
      known.reading = undefined
    })
  return known.reading
}

/** The key that wraps the keys of new blobs. */
export function currentServiceKey(access: KeyAccess): ServiceKey | Promise<ServiceKey> {
  const { ring } = ringsOf(access.config)
  const isFresh = ring && Math.abs(access.now().getTime() - ring.readAt) <= FRESH_MS
  return isFresh && ring.current ? ring.current : readOnce(access).then(currentOf)
}
function currentOf({ current }: Ring): ServiceKey {
  if (!current) throw new Error('There is no key to encrypt with')
  return current
}

/** The same as the database has it now. */
export const latestServiceKey = (access: KeyAccess): Promise<ServiceKey> => readOnce(access).then(currentOf)

/** The key of a version; undefined if there is none, or it cannot be unsealed. */
export function findServiceKey(
  access: KeyAccess,
  version: number,
): KeyObject | undefined | Promise<KeyObject | undefined> {
  const known = ringsOf(access.config).ring?.all.get(version)
  return known ?? readOnce(access).then(({ all }) => all.get(version))
}

/** What changes of the keys work with. */
interface KeyStep {
  tx: Tx
  config: Config
  now(): Date
}

/** Step: makes a new key the current one; returns its version. */
export async function newServiceKey({ tx, config, now }: KeyStep): Promise<number> {
  const [latest] = await store.lockServiceKeys(tx)
  const version = (latest?.version ?? 0) + 1
  const time = now().toISOString()
  await store.insertServiceKey(tx, { version, sealed: sealServiceKey(config, version, newKey()), created_at: time })
  await store.retireServiceKeys(tx, version, time)
  return version
}

/**
 * Step: sees to it that there is a current key, and that all that can be unsealed are sealed with the current root key;
 * returns how many were sealed with another one. The caller holds a lock against others who do the same.
 */
export async function prepareServiceKeys(step: KeyStep): Promise<number> {
  const { tx, config } = step
  let sealed = 0
  let isReady = false
  for (const { version, sealed: before, retired_at } of await store.lockServiceKeys(tx)) {
    const key = unsealServiceKey(config, version, before)
    if (!key) continue
    isReady ||= retired_at === null
    if (isSealedWithCurrent(config, before)) continue
    await store.resealServiceKey(tx, version, sealServiceKey(config, version, key))
    sealed++
  }
  if (!isReady) await newServiceKey(step)
  return sealed
}

/**
 * Throws a Refusal, which names the key that is wanted, unless the current service key can be unsealed. Of others, those are
 * left that were lost for good, with what they encrypt.
 */
export async function assertServiceKeys(config: Config, db: Db): Promise<void> {
  for (const { version, sealed, retired_at } of await store.listServiceKeys(db)) {
    if (retired_at !== null || unsealServiceKey(config, version, sealed)) continue
    throw new Refusal(
      `Encrypted contents could not be read: their keys are protected by ${wantedRoot(sealed)}, which is not given. Set that key, or name it in ${sealed.split('.')[0]}_PREVIOUS to replace it.`,
    )
  }
}

/** Step: retired keys, the oldest first. */
export const listRetired = async (db: Db): Promise<{ version: number; retired_at: string }[]> =>
  (await store.listServiceKeys(db))
    .flatMap(({ version, retired_at }) => (retired_at === null ? [] : { version, retired_at }))
    .reverse()

/** Step: deletes a retired key that wraps nothing any more. */
export const deleteServiceKey = store.deleteServiceKey
