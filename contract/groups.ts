import Type from 'typebox'
import { BUCKET_PATTERN } from './names.ts'
import { bucketActions, globalRights, presetNames } from './permissions.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Prefix } from './shapes.ts'
import { Line, Lines, Opaque } from './texts.ts'
import { User } from './users.ts'

export const BucketPattern = Type.String({
  pattern: BUCKET_PATTERN,
  description: 'A bucket name; `*` matches any characters, at most three times.',
})
const Actions = Type.Array(Type.Enum([...bucketActions]), {
  minItems: 1,
  maxItems: bucketActions.length,
  uniqueItems: true,
})
const GlobalRights = Type.Array(Type.Enum([...globalRights]), { maxItems: 2, uniqueItems: true })
const PresetName = Type.Enum([...presetNames])

const Grant = Type.Object({
  id: Id,
  bucket_pattern: BucketPattern,
  prefix: Type.String(),
  actions: Actions,
  preset: Nullable(PresetName),
})
const NewGrant = Exactly({
  bucket_pattern: BucketPattern,
  prefix: Type.Optional(Prefix),
  actions: Type.Optional(Actions),
  preset: Type.Optional(Type.Enum([...presetNames], { description: 'A named set of actions, instead of `actions`.' })),
})
export type NewGrant = Type.Static<typeof NewGrant>

const PolicyStatement = Type.Object(
  {
    policy_of: Type.Enum(['bucket', 'caller', 'session'], { description: 'Whose policy it is in.' }),
    sid: Nullable(Type.String()),
    index: Type.Integer({ description: 'Which of its statements it is, from 0.' }),
    effect: Type.Enum(['Allow', 'Deny']),
  },
  { description: 'The statement of a policy that decided; null where grants did.' },
)

/** What gives a permission. */
export const Via = Type.Object({
  group_id: Id,
  group: Type.String(),
  grant: Nullable(Grant, { description: 'Null: the group grants `admin`.' }),
})
export type Via = Type.Static<typeof Via>

export const Group = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  builtin: Type.Boolean({ description: 'Built in; it cannot be deleted and keeps its permissions.' }),
  public: Type.Boolean({
    description:
      'The built-in group of everyone: it has no members. While `s3.public_access` is on, its grants of `list`, `read`, `write` and `delete` apply to everyone at the S3 endpoint, without a credential.',
  }),
  global: GlobalRights,
  grants: Type.Array(Grant),
  member_count: Type.Integer(),
})
export type Group = Type.Static<typeof Group>

export const groupFields = {
  name: Line(100),
  description: Type.Optional(Lines(1000)),
  global: Type.Optional(GlobalRights),
  grants: Type.Optional(Type.Array(NewGrant, { maxItems: 100 })),
}
const byId = Type.Object({ id: Id })
const userIds = (minItems: number) =>
  Exactly({ user_ids: Type.Array(Id, { minItems, maxItems: 1000, uniqueItems: true }) })

const members = {
  url: '/groups/{id}/members',
  tag: 'groups',
  access: 'user_manager',
  status: 200,
  params: byId,
  reply: Group,
  errors: ['not_found', 'invalid_request', 'last_admin'],
  records: ['group_update'],
} as const

export const operations = {
  createGroup: route({
    method: 'POST',
    url: '/groups',
    tag: 'groups',
    summary: 'Create a group with its grants',
    description: 'Only administrators may grant permissions; others create groups without any.',
    access: 'user_manager',
    status: 201,
    body: Exactly(groupFields),
    reply: Group,
    errors: ['already_exists', 'invalid_request'],
    records: ['group_create'],
  }),

  listGroups: route({
    method: 'GET',
    url: '/groups',
    tag: 'groups',
    summary: 'List groups by name',
    access: 'user_manager',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Group),
  }),

  getGroup: route({
    method: 'GET',
    url: '/groups/{id}',
    tag: 'groups',
    summary: 'Get a group',
    access: 'user_manager',
    status: 200,
    params: byId,
    reply: Group,
    errors: ['not_found'],
  }),

  updateGroup: route({
    method: 'PATCH',
    url: '/groups/{id}',
    tag: 'groups',
    summary: 'Change a group',
    description:
      '`grants` and `global` replace the previous values and apply to the next request; administrators only.',
    access: 'user_manager',
    status: 200,
    params: byId,
    body: Type.Object(
      { ...groupFields, name: Type.Optional(groupFields.name) },
      { additionalProperties: false, minProperties: 1 },
    ),
    reply: Group,
    errors: ['not_found', 'already_exists', 'last_admin', 'conflict', 'invalid_request'],
    records: ['group_update'],
  }),

  deleteGroup: route({
    method: 'DELETE',
    url: '/groups/{id}',
    tag: 'groups',
    summary: 'Delete a group',
    access: 'user_manager',
    status: 204,
    params: byId,
    query: Exactly({
      force: Type.Optional(Type.Boolean({ default: false, description: 'Delete it even if it has members.' })),
    }),
    errors: ['not_found', 'not_empty', 'last_admin', 'conflict'],
    records: ['group_delete'],
  }),

  listMembers: route({
    method: 'GET',
    url: '/groups/{id}/members',
    tag: 'groups',
    summary: 'List the members of a group by email',
    access: 'user_manager',
    status: 200,
    params: byId,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(User),
    errors: ['not_found'],
  }),

  addMembers: route({
    ...members,
    method: 'POST',
    summary: 'Add members to a group',
    description: 'You need every permission of the group yourself.',
    body: userIds(1),
  }),

  replaceMembers: route({
    ...members,
    method: 'PUT',
    summary: 'Set the members of a group',
    body: userIds(0),
  }),

  removeMembers: route({
    ...members,
    method: 'DELETE',
    summary: 'Remove members from a group',
    body: userIds(1),
  }),

  explainPermission: route({
    method: 'GET',
    url: '/permissions/explain',
    tag: 'groups',
    summary: 'Check whether a user may do something, and through which groups and grants',
    description:
      'Anyone may check themselves; checking others needs `users.manage`. Conditions of policies are judged as for a request that says nothing else, and for others comes from no address.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: Exactly({
      user_id: Type.Optional(Id),
      action: Type.Enum([...bucketActions]),
      bucket: Opaque(63, { examples: ['photos'] }),
      key: Type.Optional(Prefix),
    }),
    reply: Type.Object({
      allowed: Type.Boolean(),
      reason: Type.String({ description: 'The answer in a sentence.' }),
      via: Type.Array(Via, { description: 'The grants that allow it, also where a policy denies it.' }),
      statement: Nullable(PolicyStatement),
    }),
    errors: ['not_found'],
  }),
}
