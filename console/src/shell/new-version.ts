import { untilReachable } from '../api/reach.ts'

/** A chunk that could not be loaded, most likely because there is a new version. */
class OutdatedPage extends Error {}

/**
 * Loads a chunk. On failure the router would reload the page by itself and interrupt uploads; instead `FailedView`
 * asks.
 */
export const part =
  <T>(load: () => Promise<T>) =>
  (): Promise<T> =>
    load().catch((cause: unknown) => {
      void untilReachable()
      throw new OutdatedPage('A part of the page could not be fetched', { cause })
    })

export const isOutdated = (error: unknown): boolean =>
  error instanceof OutdatedPage || (error instanceof TypeError && /import|module/i.test(error.message))
