import { type Fault, ServiceError } from '../../contract/errors.ts'

/** What refuses a request for faults of its input, all of them named. */
export const invalidAll = (faults: readonly Fault[]): ServiceError =>
  new ServiceError('invalid_request', faults.map(({ path, message }) => `${path} ${message}`).join('; '), { faults })

/** The same for one: `invalid('body.name', 'is required')`. */
export const invalid = (path: string, message: string): ServiceError => invalidAll([{ path, message }])
