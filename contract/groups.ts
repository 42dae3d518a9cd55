import Type from 'typebox'
import { bucketActions, globalRights } from './permissions.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Page, Prefix } from './shapes.ts'

export const BucketPattern = Type.String({
  pattern: '^(?!([^*]*\\*){4})[a-z0-9.*-]{1,63}$',
  description: 'A bucket name; `*` is any run of characters, at most three of them.',
})
const Actions = Type.Array(Type.Enum([...bucketActions]), { minItems: 1, maxItems: 8, uniqueItems: true })
const GlobalRights = Type.Array(Type.Enum([...globalRights]), { maxItems: 2, uniqueItems: true })

export const Group = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  builtin: Type.Boolean({ description: 'Comes with Stowage; it cannot be deleted or lose its rights.' }),
  global: GlobalRights,
  grants: Type.Array(Type.Object({ id: Id, bucket_pattern: BucketPattern, prefix: Type.String(), actions: Actions })),
  member_count: Type.Integer(),
})
export type Group = Type.Static<typeof Group>

export const createGroup = route({
  method: 'POST',
  url: '/groups',
  tag: 'groups',
  summary: 'Create a group with its grants',
  access: 'admin',
  status: 201,
  body: Exactly({
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    description: Type.Optional(Type.String({ maxLength: 1000 })),
    global: Type.Optional(GlobalRights),
    grants: Type.Optional(
      Type.Array(Exactly({ bucket_pattern: BucketPattern, prefix: Type.Optional(Prefix), actions: Actions }), {
        maxItems: 100,
      }),
    ),
  }),
  reply: Group,
  errors: ['already_exists'],
  records: ['group_create'],
})

export const listGroups = route({
  method: 'GET',
  url: '/groups',
  tag: 'groups',
  summary: 'List groups by name',
  access: 'admin',
  status: 200,
  query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
  reply: Page(Group),
})

export const addMembers = route({
  method: 'POST',
  url: '/groups/{id}/members',
  tag: 'groups',
  summary: 'Add members to a group',
  access: 'admin',
  status: 200,
  params: Type.Object({ id: Id }),
  body: Exactly({ user_ids: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }) }),
  reply: Group,
  errors: ['not_found', 'invalid_request'],
  records: ['group_update'],
})
