import { ServiceError } from '../../../contract/errors.ts'

/** Thrown to have `retryTaken` run the action again. */
export class TakenMeanwhile extends Error {}

/** Runs an action again while other requests take the keys it was about to take. */
export async function retryTaken<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TakenMeanwhile)) throw error
      if (attempt === 10)
        throw new ServiceError('busy', 'Other requests keep writing the same keys. Try again.', {
          headers: { 'retry-after': '1' },
        })
    }
}
