import type { BucketAction } from '../../../../contract/names.ts'
import type { ActionNames, Asked } from '../../../iam/names-of-rights.ts'
import { actionOfOperation } from '../../../iam/s3-operations.ts'
import { type Exchange, header, headersWith, parameter } from '../requests/exchange.ts'
import type { Operation } from './operation.ts'

/** The action that an operation is; undefined for one that is about no bucket. */
export const actionOf = ({ name }: Pick<Operation, 'name'>, hasVersion: boolean): Asked | undefined => {
  const found = actionOfOperation(name)
  return found && { right: found.right, action: (hasVersion ? found.version : undefined) ?? found.action }
}

/** What a request asks for with each right. */
export function namesOf(operation: Operation, hasVersion: boolean): ActionNames {
  const asked = actionOf(operation, hasVersion)
  // What a copy reads is another object.
  return asked ? { [asked.right]: asked.action } : {}
}

/** The action without which its operation says too much, or changes too much, where a policy denies it. */
export function furtherActions(exchange: Exchange, { name }: Operation): Asked[] {
  const exactly = (right: BucketAction, action: string): Asked => ({ right, action: `s3:${action}`, exactly: true })
  if (name === 'GetObjectAttributes')
    return [exactly('read', parameter(exchange, 'versionId') === undefined ? 'GetObject' : 'GetObjectVersion')]
  if (!/^(Put|Copy)Object$|^CreateMultipartUpload$/.test(name)) return []
  const isSaid = (...names: string[]) => names.some((one) => header(exchange, one) !== undefined)
  return [
    ...(isSaid('x-amz-tagging') ? [exactly('write', 'PutObjectTagging')] : []),
    ...(isSaid('x-amz-acl') || headersWith(exchange, 'x-amz-grant-').length > 0
      ? [exactly('write', 'PutObjectAcl')]
      : []),
    ...(isSaid('x-amz-object-lock-mode') ? [exactly('write', 'PutObjectRetention')] : []),
    ...(isSaid('x-amz-object-lock-legal-hold') ? [exactly('write', 'PutObjectLegalHold')] : []),
  ]
}
