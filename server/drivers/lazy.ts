import { Readable } from 'node:stream'
import type { BlobDriver, DriverTraits } from './driver.ts'

/**
 * A storage that is opened and checked by the first call for which that succeeds. Until then every call tries again,
 * and fails as `open` does. `traits` are the driver's.
 */
export function lazyStorage(traits: DriverTraits, open: () => Promise<BlobDriver>): BlobDriver {
  let opening: Promise<BlobDriver> | undefined
  const driver = (): Promise<BlobDriver> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  /** Destroys the source on failure, like a driver that cannot store it. */
  const driverFor = (source: unknown): Promise<BlobDriver> =>
    driver().catch((error: unknown) => {
      if (source instanceof Readable) source.destroy()
      throw error
    })
  return {
    traits,
    put: async (id, source, size) => (await driverFor(source)).put(id, source, size),
    putOver: async (id, source, size) => (await driverFor(source)).putOver(id, source, size),
    get: async (...call) => (await driver()).get(...call),
    remove: async (...call) => (await driver()).remove(...call),
    holds: async () => (await driver()).holds(),
    hold: async (...call) => (await driver()).hold(...call),
    removeHeld: async (...call) => (await driver()).removeHeld(...call),
    beginParts: async (...call) => (await driver()).beginParts(...call),
    putPart: async (id, handle, part, source) => (await driverFor(source)).putPart(id, handle, part, source),
    copyPart: async (...call) => (await driver()).copyPart(...call),
    removePart: async (...call) => (await driver()).removePart(...call),
    listParts: async (...call) => (await driver()).listParts(...call),
    completeParts: async (...call) => (await driver()).completeParts(...call),
    copyRanges: async (...call) => (await driver()).copyRanges(...call),
    abortParts: async (...call) => (await driver()).abortParts(...call),
    partUrl: async (...call) => (await driver()).partUrl(...call),
    directUrl: async (...call) => (await driver()).directUrl(...call),
    async *list(onDamaged) {
      yield* (await driver()).list(onDamaged)
    },
    setAside: async (...call) => (await driver()).setAside(...call),
    bringBack: async (...call) => (await driver()).bringBack(...call),
    async *listAside() {
      yield* (await driver()).listAside()
    },
    removeAside: async (...call) => (await driver()).removeAside(...call),
    owner: async () => (await driver()).owner(),
    claimFor: async (instance) => (await driver()).claimFor(instance),
    unclaim: async (instance) => (await driver()).unclaim(instance),
    check: async () => (await driver()).check(),
    async close() {
      const opened = await opening?.catch(() => undefined)
      await opened?.close()
    },
  }
}
