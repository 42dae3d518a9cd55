import { ServiceError } from '../../../contract/errors.ts'

/** To be tried again. */
export class TakenMeanwhile extends Error {}

/** Runs an action again while others take keys it was about to take. */
export async function retryTaken<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TakenMeanwhile)) throw error
      if (attempt === 10)
        throw new ServiceError('busy', 'Others keep writing the same keys. Try again.', {
          headers: { 'retry-after': '1' },
        })
    }
}
