// What a policy in AWS' language says, in parts that every language can make sentences of.
import Type from 'typebox'
import { Nullable } from './shapes.ts'

/** Whom a statement names; `account` is everyone who has a credential, `gone` a user who is not there any more. */
export const whoKinds = [
  'anyone',
  'account',
  'other_account',
  'user',
  'role',
  'session',
  'provider',
  'service',
  'gone',
] as const
/** Kinds of what a statement allows or denies; `others` are the actions that are in none. */
export const deedKinds = [
  'everything',
  'list_buckets',
  'list',
  'read',
  'read_versions',
  'write',
  'delete',
  'delete_versions',
  'tag',
  'lock',
  'bypass_lock',
  'change_acls',
  'change_policy',
  'change_settings',
  'see_settings',
  'create_bucket',
  'delete_bucket',
  'see_identities',
  'change_identities',
  'assume',
  'assume_with_token',
  'others',
] as const
/** What they are called in English. */
export const deedWords: { readonly [kind in (typeof deedKinds)[number]]: string } = {
  everything: 'do everything',
  list_buckets: 'see the names of all buckets',
  list: 'list objects',
  read: 'read objects',
  read_versions: 'read older versions',
  write: 'upload and replace objects',
  delete: 'delete objects',
  delete_versions: 'delete versions permanently',
  tag: 'change tags',
  lock: 'lock objects',
  bypass_lock: 'remove governance locks',
  change_acls: 'change ACLs',
  change_policy: 'change bucket policies',
  change_settings: 'change bucket settings',
  see_settings: 'see bucket settings',
  create_bucket: 'create buckets',
  delete_bucket: 'delete buckets',
  see_identities: 'see users, groups, keys and policies',
  change_identities: 'change users, groups, keys and policies',
  assume: 'take on the role',
  assume_with_token: 'take on the role with a token',
  others: '',
}
/** What a resource is: all of a bucket is the bucket itself and its objects. */
export const placeKinds = ['everywhere', 'whole', 'bucket', 'objects', 'below', 'object', 'pattern'] as const
/** How conditions compare; of several values one has to fit, and with a negation none. */
export const relations = [
  'is',
  'is_not',
  'is_ignoring_case',
  'is_not_ignoring_case',
  'like',
  'not_like',
  'equals',
  'not_equals',
  'less',
  'at_most',
  'more',
  'at_least',
  'in_network',
  'not_in_network',
  'bytes',
  'absent',
  'present',
] as const
/** What is to be looked at before a policy is saved. */
export const warningCodes = [
  'opens_to_anyone',
  'opens_to',
  'lets_change_policy',
  'locks_out',
  'account_allows_nobody',
  'no_effect',
  'never_holds',
  'always_holds',
] as const

const Who = Type.Object({ kind: Type.Enum([...whoKinds]), name: Type.String() })
const What = Type.Object({
  all_but: Type.Boolean({ description: 'Everything but this.' }),
  kinds: Type.Array(Type.Enum([...deedKinds])),
  others: Type.Array(Type.String(), { description: 'Names of actions that are in none of the kinds.' }),
})

/** What one statement says. */
export const PolicySentence = Type.Object({
  statement: Type.Integer({ description: 'Which of the policy’s statements it is, from 0.' }),
  sid: Nullable(Type.String()),
  effect: Type.Enum(['Allow', 'Deny']),
  who: Nullable(Type.Object({ all_but: Type.Boolean(), of: Type.Array(Who) }), {
    description: 'Null in policies of users, groups and roles: whom they belong to.',
  }),
  what: What,
  where: Nullable(
    Type.Object({
      all_but: Type.Boolean(),
      of: Type.Array(Type.Object({ kind: Type.Enum([...placeKinds]), name: Type.String() })),
    }),
    { description: 'Null in policies that say who may take on a role.' },
  ),
  when: Type.Array(
    Type.Object({
      key: Type.String({ description: 'The condition’s key, as the policy writes it.' }),
      relation: Type.Enum([...relations]),
      values: Type.Array(Type.String()),
      of: Type.Enum(['one', 'any', 'all'], {
        description: 'Of keys with several values: whether one of them, or all, have to be so.',
      }),
      if_exists: Type.Boolean({ description: 'Holds as well where a request does not have the key.' }),
    }),
    { description: 'All of which have to hold.' },
  ),
  text: Type.String({ description: 'The sentence in English.' }),
})
export type PolicySentence = Type.Static<typeof PolicySentence>

/** What to look at before a policy is saved. */
export const PolicyWarning = Type.Object({
  code: Type.Enum([...warningCodes]),
  statement: Type.Integer(),
  who: Type.Array(Who),
  what: What,
  names: Type.Array(Type.String(), { description: 'The actions, or the condition’s key, that it is about.' }),
  text: Type.String({ description: 'The warning in English.' }),
})
export type PolicyWarning = Type.Static<typeof PolicyWarning>

/** Why a text is no policy, and where that shows. */
export const PolicyFault = Type.Object({
  message: Type.String(),
  path: Type.Array(Type.String(), { description: 'What of the document it is about.' }),
  line: Type.Integer({ description: 'From 1.' }),
  column: Type.Integer({ description: 'From 1.' }),
})
export type PolicyFault = Type.Static<typeof PolicyFault>
