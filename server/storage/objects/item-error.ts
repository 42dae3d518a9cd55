import type { ErrorCode, ServiceError } from '../../../contract/errors.ts'

/** Why one object stays as it is while others go on. */
export interface ItemError {
  key: string
  code: ErrorCode
  detail: string
}

/** An error that would refuse the object if it were alone, as that of one among others. */
export const itemError = (key: string, { code, message }: ServiceError): ItemError => ({ key, code, detail: message })
