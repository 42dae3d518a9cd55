import Type from 'typebox'
import { Via } from './groups.ts'
import { PolicyFault, PolicySentence, PolicyWarning } from './policy-sentences.ts'
import { route } from './route.ts'
import { Exactly, Id, Nullable, Prefix } from './shapes.ts'
import { Line, Opaque } from './texts.ts'

/** A policy as it is written. */
export const PolicyDocument = Type.String({
  maxLength: 20_480,
  contentMediaType: 'application/json',
  description: 'A policy in AWS’ language, as JSON.',
})
const byBucket = Type.Object({ bucket: Type.String() })

/** A policy with what it says. */
export const DescribedPolicy = Type.Object({
  document: Type.String(),
  fault: Nullable(PolicyFault, {
    description: 'Why it cannot be read. One that was kept and cannot be read denies everything.',
  }),
  sentences: Type.Array(PolicySentence),
  warnings: Type.Array(PolicyWarning),
})
export type DescribedPolicy = Type.Static<typeof DescribedPolicy>

/** The policy of a bucket, which may have none. */
export const BucketPolicy = Type.Object({
  ...DescribedPolicy.properties,
  document: Nullable(Type.String(), { description: 'Null if it has none.' }),
})
export type BucketPolicy = Type.Static<typeof BucketPolicy>

const bucketPolicy = { url: '/buckets/{bucket}/policy', tag: 'access-policies', access: 'signed_in' } as const

export const RoleName = Type.String({ pattern: '^[\\w+=,.@-]{1,64}$', description: 'The name of a role.' })

const Asker = Type.Union(
  [
    Exactly({ user_id: Id }),
    Exactly({ group_id: Id }),
    Exactly({ role: RoleName }),
    Exactly({ anonymous: Type.Literal(true) }),
  ],
  { description: 'The caller: a user, members of a group, a session of a role, or someone without a credential.' },
)
export const simulationReasons = [
  'statement',
  'policy',
  'grant',
  'administrator',
  'user_disabled',
  'outside_session',
  'action_unknown',
  'nothing',
] as const

export const operations = {
  getBucketPolicy: route({
    ...bucketPolicy,
    method: 'GET',
    summary: 'Get the policy of a bucket, and what it says',
    description: 'Needs `manage`.',
    status: 200,
    params: byBucket,
    reply: BucketPolicy,
    errors: ['not_found'],
  }),

  putBucketPolicy: route({
    ...bucketPolicy,
    method: 'PUT',
    summary: 'Set the policy of a bucket',
    description:
      'Needs `manage`. Takes effect on the next request, at every endpoint. What is unknown in it is refused, with its place in the text.',
    status: 200,
    params: byBucket,
    body: Exactly({ document: PolicyDocument }),
    reply: DescribedPolicy,
    errors: ['not_found', 'invalid_request'],
    records: ['update_bucket'],
  }),

  deleteBucketPolicy: route({
    ...bucketPolicy,
    method: 'DELETE',
    summary: 'Delete the policy of a bucket',
    description: 'Needs `manage`; administrators can always delete it, whatever it says.',
    status: 204,
    params: byBucket,
    errors: ['not_found'],
    records: ['update_bucket'],
  }),

  describePolicy: route({
    method: 'POST',
    url: '/permissions/describe',
    tag: 'access-policies',
    summary: 'Say what a policy would allow and deny, before it is saved',
    description:
      'A sentence for each statement, as parts from which every language makes its own, and in English; and what to look at: what it opens to whom, what has no effect. The policy of a bucket needs `manage` there, all others an administrator.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    body: Exactly({
      kind: Type.Enum(['bucket', 'identity', 'role'], {
        description: 'Whose: a bucket’s, one of a user, group or role, or the one that says who may take on a role.',
      }),
      bucket: Type.Optional(Opaque(63, { description: 'Of the kind `bucket`, required.', examples: ['photos'] })),
      document: PolicyDocument,
    }),
    reply: DescribedPolicy,
    errors: ['invalid_request'],
    records: [],
  }),

  simulatePermission: route({
    method: 'POST',
    url: '/permissions/simulate',
    tag: 'access-policies',
    summary: 'Say how a request would be decided, and by what',
    description:
      'By the same decision that requests are judged by, as at the S3 endpoint. Nothing is done. Needs `users.manage`.',
    access: 'user_manager',
    status: 200,
    body: Exactly({
      who: Asker,
      action: Type.String({
        pattern: '^[a-z0-9]{1,16}:[A-Za-z]{1,80}$',
        description: 'An action of S3, IAM or STS.',
        examples: ['s3:GetObject'],
      }),
      bucket: Type.Optional(Opaque(63, { examples: ['photos'] })),
      key: Type.Optional(Prefix),
      resource: Type.Optional(Line(2048, { description: 'Of actions that are about no bucket: an ARN.' })),
      context: Type.Optional(
        Type.Array(
          Exactly({
            key: Line(300, { examples: ['aws:SourceIp'] }),
            values: Type.Array(Type.String({ maxLength: 2048, pattern: '^[^\\x00-\\x1f\\x7f]*$' }), { maxItems: 100 }),
          }),
          { maxItems: 50, description: 'What conditions are to know of the request.' },
        ),
      ),
    }),
    reply: Type.Object({
      allowed: Type.Boolean(),
      reason: Type.Enum([...simulationReasons], { description: 'What decided.' }),
      statement: Nullable(
        Type.Object({
          policy_of: Type.Enum(['bucket', 'caller', 'session']),
          sid: Nullable(Type.String()),
          index: Type.Integer(),
          effect: Type.Enum(['Allow', 'Deny']),
          sentence: PolicySentence,
        }),
      ),
      via: Nullable(Via),
    }),
    errors: ['not_found', 'invalid_request'],
    records: [],
  }),
}
