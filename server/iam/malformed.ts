/** A policy that is not one: the S3 endpoint answers `MalformedPolicy`, IAM `MalformedPolicyDocument`, both with this text. */
export class MalformedPolicy extends Error {}

export const malformed = (message: string): MalformedPolicy => new MalformedPolicy(message)
