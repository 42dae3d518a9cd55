import type { ErrorCode } from '../../contract/errors.ts'

/** Why one object stays as it is while others go on. */
export interface ItemError {
  key: string
  code: ErrorCode
  detail: string
}
