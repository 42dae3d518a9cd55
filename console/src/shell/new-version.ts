import { ping, untilReachable } from '../api/reach.ts'

/** A chunk that a server which responds does not have: there is a new version. */
class OutdatedPage extends Error {}

/**
 * Loads a chunk. On failure the router would reload the page by itself and interrupt uploads; instead `FailedView`
 * asks.
 */
export const part =
  <T>(load: () => Promise<T>) =>
  (): Promise<T> =>
    load().catch(async (cause: unknown) => {
      void untilReachable()
      // What the page knows of the server may be some seconds old.
      if (await ping()) throw new OutdatedPage('A part of the page is no longer there', { cause })
      throw new TypeError('The server did not respond', { cause })
    })

/** Whether it is certain that there is a new version: the server responded, without the chunk. */
export const isGone = (error: unknown): boolean => error instanceof OutdatedPage

export const isOutdated = (error: unknown): boolean =>
  isGone(error) || (error instanceof TypeError && /import|module/i.test(error.message))
