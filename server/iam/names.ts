/**
 * How AWS' IAM calls our users and groups
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html). People are called by their email addresses.
 * Service accounts may have names that are none: theirs end in a domain that there cannot be (RFC 2606).
 */
import { ACCOUNT_ID } from './principal.ts'

const DOMAIN = '@iam.invalid'

/** The address of the user whom IAM calls so. */
export const addressOf = (userName: string): string => (userName.includes('@') ? userName : userName + DOMAIN)

/** What IAM calls the user of an address. */
export const userNameOf = (email: string): string =>
  email.toLowerCase().endsWith(DOMAIN) ? email.slice(0, -DOMAIN.length) : email

/** `arn:aws:iam::<account>:user/<path><name>` */
export const userArn = ({ email, path = '/' }: { email: string; path?: string | undefined }): string =>
  `arn:aws:iam::${ACCOUNT_ID}:user${path}${userNameOf(email)}`

/** `arn:aws:iam::<account>:group/<path><name>` */
export const groupArn = ({ name, path }: { name: string; path: string }): string =>
  `arn:aws:iam::${ACCOUNT_ID}:group${path}${name}`

/** `arn:aws:iam::<account>:policy/<path><name>` */
export const policyArn = ({ name, path }: { name: string; path: string }): string =>
  `arn:aws:iam::${ACCOUNT_ID}:policy${path}${name}`
