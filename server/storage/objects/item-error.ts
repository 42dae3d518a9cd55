// What an operation on many objects reports of each that it left alone.
import type { ErrorCode, ServiceError } from '../../../contract/errors.ts'

/** Why one object was left alone while others were processed. */
export interface ItemError {
  key: string
  code: ErrorCode
  detail: string
}

/** Turns the error that a single object would be refused with into an item's error. */
export const itemError = (key: string, { code, message }: ServiceError): ItemError => ({ key, code, detail: message })
