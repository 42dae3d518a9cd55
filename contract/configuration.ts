import Type from 'typebox'
import { accessKeyFields } from './access-keys.ts'
import { RoleName } from './access-policies.ts'
import { CorsRules, LifecycleRules, Website } from './bucket-rules.ts'
import { bucketFields } from './buckets.ts'
import { groupFields } from './groups.ts'
import { PolicyName } from './identity-policies.ts'
import { ACCESS_KEY_ID, listedKinds } from './names.ts'
import { policyFields } from './policies.ts'
import { IamPath, MaxSessionSeconds } from './roles.ts'
import { settingsFields } from './settings.ts'
import { BucketName, BucketTags, Exactly, Nullable } from './shapes.ts'
import { EnginePrefix, placeFields, StorageName } from './storages.ts'
import { Line, Lines } from './texts.ts'
import { DisplayName, Email, Password } from './users.ts'
import { webhookFields } from './webhooks.ts'

/** Most entries of one kind. */
const MOST_ENTRIES = 10_000

const listOf = <P extends Type.TProperties>(fields: P, description: string) =>
  Type.Optional(Type.Array(Exactly(fields), { maxItems: MOST_ENTRIES, description }))

/** The same fields, of which only those that are given are compared. */
const optional = <P extends Type.TProperties>(fields: P) => Type.Partial(Type.Object(fields)).properties

const { name: groupName, ...ofGroup } = groupFields
const { name: webhookName, ...ofWebhook } = webhookFields
const { name: policyName, ...ofPolicy } = policyFields
const { name: keyName, ...ofKey } = accessKeyFields

/** A policy in AWS' language, as it is written in a file. */
const Document = Type.Unsafe<{ [name: string]: unknown }>({ type: 'object', additionalProperties: true })

/** The policies of a user, a group or a role. */
const ownPolicies = {
  attached_policies: Type.Optional(
    Type.Array(Type.String({ pattern: '^(aws:)?[\\w+=,.@-]{1,128}$', examples: ['site', 'aws:readonly'] }), {
      maxItems: 20,
      uniqueItems: true,
      description:
        'All policies that are attached: those of `identity_policies` by name, built-in ones as `aws:readonly`.',
    }),
  ),
  inline_policies: Type.Optional(
    Type.Record(PolicyName, Document, {
      additionalProperties: false,
      maxProperties: 100,
      description: 'All policies of their own, by name, in AWS’ policy language.',
    }),
  ),
}

const configurationFields = {
  storages: listOf(
    { name: StorageName, ...placeFields, enabled: Type.Optional(Type.Boolean()) },
    'Storages, by name. Kind, bucket, prefix and folder cannot be changed.',
  ),
  identity_policies: listOf(
    {
      name: PolicyName,
      path: Type.Optional(IamPath),
      description: Type.Optional(Lines(1000)),
      document: Type.Optional({ ...Document, description: 'For a new policy, required.' } as typeof Document),
    },
    'Policies that can be attached, by name. Path and description cannot be changed.',
  ),
  groups: listOf(
    { name: groupName, ...ofGroup, ...ownPolicies },
    'Groups, by name. `grants` are all the grants of a group.',
  ),
  users: listOf(
    {
      email: Email,
      display_name: Type.Optional(DisplayName),
      password: Type.Optional({
        ...Password,
        description: 'For a user that is created. It is not changed afterwards.',
      } as typeof Password),
      must_change_password: Type.Optional(
        Type.Boolean({
          description:
            'Together with a password, for a user that is created: they choose another one when they first log in.',
        }),
      ),
      invite: Type.Optional(
        Type.Boolean({
          description:
            'Instead of a password, for a user that is created: they get a link with which they choose one themselves.',
        }),
      ),
      is_active: Type.Optional(Type.Boolean()),
      idp_subject: Type.Optional(Nullable(Line(255))),
      groups: Type.Optional(
        Type.Array(groupName, {
          maxItems: 100,
          uniqueItems: true,
          description: 'Names of all the groups they are in.',
        }),
      ),
      ...ownPolicies,
    },
    'Users, by email address.',
  ),
  roles: listOf(
    {
      name: RoleName,
      path: Type.Optional(IamPath),
      description: Type.Optional(Lines(1000)),
      trust: Type.Optional({
        ...Document,
        description: 'The policy that says who may take it on. For a new role, required.',
      } as typeof Document),
      max_session_seconds: Type.Optional(MaxSessionSeconds),
      tags: Type.Optional(BucketTags),
      ...ownPolicies,
    },
    'Roles, by name. The path cannot be changed.',
  ),
  buckets: listOf(
    {
      name: BucketName,
      ...bucketFields,
      storage: Type.Optional(StorageName),
      mode: Type.Optional(Type.Enum(['owned', 'read_only'])),
      prefix: Type.Optional(EnginePrefix),
      public_access_blocked: Type.Optional(Type.Boolean()),
      cors: Type.Optional(Nullable(CorsRules)),
      lifecycle: Type.Optional(Nullable(LifecycleRules)),
      website: Type.Optional(Nullable(Website)),
      policy: Type.Optional(
        Nullable(Document, {
          description: 'What is allowed and denied in it besides, in AWS’ policy language.',
        }),
      ),
    },
    'Buckets, by name. Storage, mode and prefix cannot be changed: move, attach, take over or release a bucket instead.',
  ),
  access_keys: listOf(
    {
      access_key_id: Type.String({ pattern: ACCESS_KEY_ID }),
      secret_access_key: Type.Optional(
        Type.String({
          minLength: 8,
          maxLength: 128,
          pattern: '^[!-~]*$',
          description: 'For a new key, required.',
        }),
      ),
      name: Type.Optional(keyName),
      user: Type.Optional({ ...Email, description: 'Whose it is: the email address of a user.' } as typeof Email),
      expires_at: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
      ...ofKey,
      policy: Type.Optional(
        Nullable(Document, {
          description: 'What limits it further, in AWS’ policy language: nothing is allowed that it does not allow.',
        }),
      ),
    },
    'Access keys, by ID.',
  ),
  webhooks: listOf(
    {
      name: webhookName,
      ...optional(ofWebhook),
      secret: Type.Optional(
        Type.String({
          pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
          examples: [`whsec_${'A'.repeat(43)}=`],
          description: 'Without it, a new endpoint gets one that nobody knows: rotate it to see the next.',
        }),
      ),
    },
    'Webhook endpoints, by name.',
  ),
  policies: listOf(
    { name: policyName, ...optional(ofPolicy) },
    'Cleanup policies, by name. Those of lifecycle configurations are in `buckets`.',
  ),
  settings: Type.Optional(
    Exactly({
      ...settingsFields,
      idp: Type.Optional(
        Exactly({
          ...settingsFields.idp.properties,
          group_mapping: Type.Optional(
            Type.Array(Exactly({ value: Line(500), group: groupName }), {
              maxItems: 200,
              description: 'Values of the groups claim, each with the name of one of our groups.',
            }),
          ),
        }),
      ),
    }),
  ),
}

/** What a service is to have. Only what it names is compared and changed. */
export const Configuration = Exactly(configurationFields, {
  description: 'What the service is to have. What it does not name stays unchanged.',
})
export type Configuration = Type.Static<typeof Configuration>

export type ListedKind = (typeof listedKinds)[number]
export const configurationKinds = [...listedKinds, 'settings'] as const
export type ConfigurationKind = (typeof configurationKinds)[number]
