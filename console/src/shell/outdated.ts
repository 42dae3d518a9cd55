/** A part of the page that could not be fetched: most likely there is a newer one. */
class OutdatedPage extends Error {}

/**
 * Fetches a part of the page. The router would reload the page by itself where that fails, with whatever is being
 * uploaded: here it is told, and `FailedView` asks.
 */
export const part =
  <T>(load: () => Promise<T>) =>
  (): Promise<T> =>
    load().catch((cause: unknown) => {
      throw new OutdatedPage('A part of the page could not be fetched', { cause })
    })

export const isOutdated = (error: unknown): boolean =>
  error instanceof OutdatedPage || (error instanceof TypeError && /import|module/i.test(error.message))
