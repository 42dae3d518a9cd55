import { type Fault, ServiceError } from '../../contract/errors.ts'

/** The error for invalid input, naming every fault. */
export const invalidAll = (faults: readonly Fault[]): ServiceError =>
  new ServiceError('invalid_request', faults.map(({ path, message }) => `${path} ${message}`).join('; '), { faults })

/** The error for a header that cannot be read, or that its body contradicts: `malformedHeader('content-md5', 'must be …')`. */
export const malformedHeader = (name: string, message: string): ServiceError =>
  new ServiceError('malformed', `The header ${name} ${message}.`, { faults: [{ path: `header.${name}`, message }] })

/** The error for one fault: `invalid('body.name', 'is required')`. */
export const invalid = (path: string, message: string): ServiceError => invalidAll([{ path, message }])
