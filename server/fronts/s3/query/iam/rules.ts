/** What IAM's parameters may be (https://docs.aws.amazon.com/IAM/latest/APIReference/API_Types.html). */
const NAME = /^[\w+=,.@-]+$/
export const NAMED = { most: 128, pattern: NAME } as const
/** What a user or group can be called anew: nothing that could be an id or a canonical id. */
const NEW_NAME = /^(?!([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{64})$)[\w+=,.@-]+$/i
export const NEW_USER_NAME = { most: 64, pattern: NEW_NAME } as const
export const NEW_GROUP_NAME = { most: 128, pattern: NEW_NAME } as const
export const PATH = { most: 512, pattern: /^(\/|\/[\x21-\x7e]+\/)$/ } as const
export const PATH_PREFIX = { most: 512, pattern: /^\/[\x21-\x7e]*$/ } as const
export const DOCUMENT = { most: 131_072 } as const
export const DESCRIPTION = { most: 1000, least: 0 } as const
export const POLICY_ARN = { most: 2048, least: 20 } as const
export const VERSION_ID = { most: 16, pattern: /^v[1-9]\d{0,8}(\.[\w-]*)?$/ } as const
/** Longer and other IDs than ours are looked for as well, and not found. */
export const KEY_ID = { most: 128, least: 16, pattern: /^\w+$/ } as const
