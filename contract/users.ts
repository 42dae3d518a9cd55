import Type from 'typebox'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'

export const User = Type.Object({
  id: Id,
  email: Type.String(),
  display_name: Type.String(),
  is_active: Type.Boolean(),
  is_admin: Type.Boolean({ description: 'Derived: a member of a group that holds `admin`.' }),
  idp_subject: Nullable(Type.String()),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  created_at: Timestamp,
  last_login_at: Nullable(Timestamp),
})
export type User = Type.Static<typeof User>

export const Email = Type.String({ minLength: 3, maxLength: 320, pattern: '^[^\\s@]+@[^\\s@]+$' })

export const createUser = route({
  method: 'POST',
  url: '/users',
  tag: 'users',
  summary: 'Create a user',
  access: 'admin',
  status: 201,
  body: Exactly({
    email: Email,
    display_name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    password: Type.Optional(
      Type.String({ maxLength: 4096, format: 'password', description: '8–72 bytes of UTF-8 after NFKC.' }),
    ),
    group_ids: Type.Optional(Type.Array(Id, { maxItems: 100, uniqueItems: true })),
  }),
  reply: User,
  errors: ['already_exists', 'invalid_request'],
  records: ['user_create'],
})

export const listUsers = route({
  method: 'GET',
  url: '/users',
  tag: 'users',
  summary: 'List users by e-mail',
  access: 'admin',
  status: 200,
  query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
  reply: Page(User),
})
