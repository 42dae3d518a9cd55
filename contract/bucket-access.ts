// Who has access to what, and why.
import Type from 'typebox'
import { Via } from './groups.ts'
import { bucketActions } from './permissions.ts'
import { PolicySentence } from './policy-sentences.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, ObjectKey, Page, Prefix } from './shapes.ts'

const params = Type.Object({ bucket: BucketName })
const query = Exactly({
  key: Type.Optional(ObjectKey),
  prefix: Type.Optional(Prefix),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
})

const Actions = (description: string) => Type.Array(Type.Enum([...bucketActions]), { description })

export const accessEffects = ['allowed', 'conditional', 'in_part', 'denied'] as const
export const accessReasons = ['administrator', 'grant', 'everyone', 'acl', 'object_acls', 'statement'] as const
export const otherKinds = ['anyone', 'signed_in', 'provider', 'session', 'role'] as const

/** A policy of a user, group or role, and whose it is. */
const NamedPolicy = Type.Object({
  kind: Type.Enum(['managed', 'inline']),
  name: Type.String(),
  of: Type.Enum(['user', 'group', 'role']),
  owner: Type.String({ description: 'The name of the user, group or role that has it.' }),
})

/** What allows or denies something. */
export const AccessReason = Type.Object({
  kind: Type.Enum([...accessReasons], {
    description:
      'A grant of a group, or its permission `admin`; what the group of everyone grants; the ACL of the bucket; ACLs of objects; or a statement of a policy.',
  }),
  via: Nullable(Via, { description: 'Of a grant, and of administrators.' }),
  statement: Nullable(
    Type.Object({
      policy_of: Type.Enum(['bucket', 'caller']),
      policy: Nullable(NamedPolicy, { description: 'Of a policy of the user, of a group of theirs, or of the role.' }),
      sid: Nullable(Type.String()),
      index: Type.Integer({ description: 'Which of the policy’s statements it is, from 0.' }),
      effect: Type.Enum(['Allow', 'Deny']),
      sentence: PolicySentence,
    }),
    {
      description:
        'What it says. Of a policy of a user, group or role, only where it is about the place that is asked about.',
    },
  ),
})
export type AccessReason = Type.Static<typeof AccessReason>

const References = (description: string) => Type.Array(Type.Integer(), { description })

/** One thing that somebody may do, or could but for a policy. */
const AccessDecision = Type.Object({
  permission: Type.Enum([...bucketActions]),
  action: Nullable(Type.String(), {
    description:
      'The action of S3 that is decided about. Null where S3 has none: then policies have no say. Older versions, and changing the policy of the bucket, are listed besides what each permission mostly is.',
  }),
  effect: Type.Enum([...accessEffects], {
    description:
      '`allowed`: for all of the place. `conditional`: for all of it, if a request is as the policies say. `in_part`: for some of the keys with the prefix, under conditions or not. `denied`: it would be allowed, but a policy denies it.',
  }),
  by: References('Which of `reasons` allow it.'),
  unless: References('Which of `reasons` deny it, or do under their conditions, or for a part.'),
})

/** What somebody may do at a place, and why. */
const rights = {
  permissions: Actions('What they may do with the key, or with every key that has the prefix.'),
  permissions_in_part: Actions('What they may do only with some of the keys that have the prefix. Empty for a key.'),
  permissions_if: Actions('What they may do if a request is as policies say: from where it comes, for example.'),
  permissions_denied: Actions('What they would have, and a policy denies.'),
  decisions: Type.Array(AccessDecision, { description: 'Why, of each of these.' }),
  reasons: Type.Array(AccessReason, { description: 'What `decisions` refer to, from 0.' }),
}

/** A user who may do something at a place of a bucket, or could but for a policy. */
export const UserAccess = Type.Object({
  user_id: Id,
  email: Type.String(),
  display_name: Type.String(),
  ...rights,
  via: Type.Array(Via, {
    description: 'The grants that allow it, those in part too, whether or not a policy denies it.',
  }),
})
export type UserAccess = Type.Static<typeof UserAccess>

/** Who is no user and may do something at a place of a bucket. */
export const OtherAccess = Type.Object({
  kind: Type.Enum([...otherKinds], {
    description:
      'Anyone, without a credential; everyone with a credential; sessions that an identity provider’s token opened; one session of a role; sessions of a role.',
  }),
  name: Type.String({
    description: 'Of the provider, its issuer; of a session, `ROLE/SESSION`; of a role, its name. Otherwise empty.',
  }),
  ...rights,
})
export type OtherAccess = Type.Static<typeof OtherAccess>

const shared = {
  method: 'GET',
  tag: 'buckets',
  access: 'signed_in',
  status: 200,
  params,
  query,
  errors: ['not_found', 'invalid_request'],
} as const
const NEEDS = 'Needs `manage` on the bucket, or `users.manage` and any permission in it.'

export const operations = {
  listBucketAccess: route({
    ...shared,
    url: '/buckets/{bucket}/access',
    summary: 'List who has access to a bucket, folder or object, by email',
    description: `Of one \`key\`, or of the keys under a \`prefix\`; without either, of the whole bucket. By the decision that requests are judged by: grants of groups, and all policies. Administrators are listed, disabled users are not; what anyone may do is in the list of others. A page may have fewer users than \`limit\`, or none, and be followed by more. ${NEEDS}`,
    reply: Page(UserAccess),
  }),

  listOtherBucketAccess: route({
    ...shared,
    url: '/buckets/{bucket}/access/others',
    summary: 'List who but users has access to a bucket, folder or object: anyone, and roles',
    description: `As the list of users: what anyone may do at the S3 endpoint, with a credential and without, and roles by name. A page may have fewer than \`limit\`, or none, and be followed by more. ${NEEDS}`,
    reply: Page(OtherAccess),
  }),
}
