// What actions of IAM are asked for on.
import type { IamResource } from '../../iam/decide-iam.ts'
import { ACCOUNT_ID } from '../../iam/principal.ts'

/** An ARN also as policies for Ceph write it: without the account. */
const withoutAccount = (arn: string): string => arn.replace(`::${ACCOUNT_ID}:`, ':::')

/** Something by its ARN; `others` are those that only count where a policy has them in full. */
export const resourceOfArn = (arn: string, others: readonly string[] = []): IamResource => ({
  arns: [arn, withoutAccount(arn)],
  exactly: others.flatMap((one) => [one, withoutAccount(one)]),
})

/** What lists and numbers of everything are asked for on. */
export const EVERYTHING = resourceOfArn(`arn:aws:iam::${ACCOUNT_ID}:*`)
