import { systemActor } from '../access/actors.ts'
import { createContext, type System } from '../context.ts'
import type { Blobs } from '../drivers/blobs.ts'
import type { BlobDriver } from '../drivers/driver.ts'
import type { BlobObserver } from '../drivers/observe.ts'
import { routeBlobs } from '../drivers/routing/router.ts'
import { telemetryOf } from '../observe/telemetry.ts'

/** Blobs on every storage of a process; `storage` is that of STORAGE_URL. */
export function blobsOf(shared: Omit<System, 'blobs'>, storage: BlobDriver, observe?: BlobObserver): Blobs {
  const { config, database, now, log } = shared
  const { metrics } = telemetryOf(config)
  const blobs: Blobs = routeBlobs({
    storage,
    db: database.db,
    config,
    now,
    observe,
    upkeep: (change, options) => createContext({ ...shared, blobs }, systemActor).upkeep(change, options),
    onFailure(place, error) {
      metrics.strongroom_other_copy_reads_total.inc()
      log.warn({ err: error, place }, 'a copy cannot be read; the other one is read instead')
    },
  })
  return blobs
}
