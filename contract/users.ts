import Type from 'typebox'
import { EMAIL } from './names.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'
import { Line, Plain } from './texts.ts'

export const User = Type.Object({
  id: Id,
  email: Type.String(),
  display_name: Type.String(),
  is_active: Type.Boolean(),
  is_admin: Type.Boolean({ description: 'Derived: whether they are in a group with `admin`.' }),
  has_password: Type.Boolean({ description: 'Whether they can log in with email and password.' }),
  has_second_factor: Type.Boolean({ description: 'Whether they have one for logins with their password.' }),
  must_change_password: Type.Boolean({ description: 'Whether they choose another one at their next login with it.' }),
  invitation_expires_at: Nullable(Timestamp, { description: 'Until when they can accept an invitation; null: none.' }),
  idp_subject: Nullable(Type.String({ description: 'Their identifier at the identity provider.' })),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  is_service_account: Type.Boolean({
    description: 'Made by the IAM API: programs act as it, with access keys, and it can never sign in.',
  }),
  created_at: Timestamp,
  last_login_at: Nullable(Timestamp),
})
export type User = Type.Static<typeof User>

export const Invitation = Type.Object({
  url: Type.String({ description: 'Shown only now. Whoever has it can choose the password of the account, once.' }),
  expires_at: Timestamp,
})
export type Invitation = Type.Static<typeof Invitation>

export const Email = Type.String({ minLength: 3, maxLength: 320, pattern: EMAIL })
export const DisplayName = Line(200)
export const Password = Type.String({
  maxLength: 4096,
  format: 'password',
  description: '8–72 bytes of UTF-8 after NFKC.',
})
const GroupIds = Type.Array(Id, { maxItems: 100, uniqueItems: true })
const MustChange = Type.Boolean({
  description: 'Together with a password: they choose another one when they next log in with it.',
})
const byId = Type.Object({ id: Id })

export const DirectoryPerson = Type.Object({
  external_id: Type.String(),
  email: Nullable(Type.String()),
  display_name: Type.String(),
  username: Nullable(Type.String()),
  enabled: Type.Boolean(),
  already_imported: Type.Boolean(),
})

export const operations = {
  createUser: route({
    method: 'POST',
    url: '/users',
    tag: 'users',
    summary: 'Create a user',
    description:
      'Unless you are an administrator, you can add them only to groups whose permissions you have yourself.',
    access: 'user_manager',
    status: 201,
    body: Exactly({
      email: Email,
      display_name: DisplayName,
      password: Type.Optional(Password),
      must_change_password: Type.Optional(MustChange),
      invite: Type.Optional(
        Type.Boolean({ description: 'Instead of a password: returns a link with which they choose one themselves.' }),
      ),
      group_ids: Type.Optional(GroupIds),
    }),
    reply: Type.Object({ ...User.properties, invitation: Type.Optional(Invitation) }),
    errors: ['already_exists', 'invalid_request', 'conflict'],
    records: ['user_create', 'invitation_create'],
  }),

  listUsers: route({
    method: 'GET',
    url: '/users',
    tag: 'users',
    summary: 'List users by email',
    access: 'user_manager',
    status: 200,
    query: Exactly({
      q: Type.Optional(Plain(100, { minLength: 1, description: 'Part of the email address or the name.' })),
      group_id: Type.Optional(Id),
      active: Type.Optional(Type.Boolean({ description: 'Only active users, or only disabled ones.' })),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Page(User),
  }),

  searchDirectory: route({
    method: 'GET',
    url: '/users/idp/search',
    tag: 'users',
    summary: 'Search the identity provider’s user directory',
    access: 'user_manager',
    status: 200,
    query: Exactly({
      q: Plain(200, { minLength: 2, description: '2–100 characters, trimmed.', examples: ['kim'] }),
      cursor: Type.Optional(Cursor),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
    }),
    reply: Page(DirectoryPerson),
    errors: [
      'directory_not_configured',
      'directory_forbidden',
      'directory_busy',
      'directory_timeout',
      'directory_unavailable',
    ],
    rate: 'costly',
  }),

  importUsers: route({
    method: 'POST',
    url: '/users/idp/import',
    tag: 'users',
    summary: 'Create accounts for people in the directory before they log in',
    description: 'Each is looked up by id and belongs to no group. Repeating the request is harmless.',
    access: 'user_manager',
    status: 200,
    body: Exactly({
      external_ids: Type.Array(Line(255), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
      }),
    }),
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          external_id: Type.String(),
          result: Type.Enum(['created', 'exists', 'not_found', 'email_in_use', 'no_email', 'disabled']),
          user_id: Nullable(Id),
        }),
      ),
    }),
    errors: [
      'directory_not_configured',
      'directory_forbidden',
      'directory_busy',
      'directory_timeout',
      'directory_unavailable',
    ],
    records: ['user_import'],
    rate: 'costly',
  }),

  getUser: route({
    method: 'GET',
    url: '/users/{id}',
    tag: 'users',
    summary: 'Get a user',
    access: 'user_manager',
    status: 200,
    params: byId,
    reply: User,
    errors: ['not_found'],
  }),

  updateUser: route({
    method: 'PATCH',
    url: '/users/{id}',
    tag: 'users',
    summary: 'Change, disable or enable a user',
    description:
      'Disabling a user or setting a password ends all their sessions at once; personal access tokens survive a new password and do not work while the user is disabled. The last administrator who can log in cannot be demoted or disabled.',
    access: 'user_manager',
    status: 200,
    params: byId,
    body: Type.Object(
      {
        email: Type.Optional(Email),
        display_name: Type.Optional(DisplayName),
        is_active: Type.Optional(Type.Boolean()),
        password: Type.Optional(Nullable(Password)),
        must_change_password: Type.Optional(MustChange),
        group_ids: Type.Optional(GroupIds),
        idp_subject: Type.Optional(
          Nullable(
            Line(255, {
              description:
                'Links the account to a user at the identity provider, or (null) unlinks it. Administrators only.',
            }),
          ),
        ),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    reply: User,
    errors: ['not_found', 'already_exists', 'last_admin', 'invalid_request'],
    records: ['user_update'],
  }),

  deleteUser: route({
    method: 'DELETE',
    url: '/users/{id}',
    tag: 'users',
    summary: 'Delete a user',
    description: 'Ends their sessions, tokens and links at once. Their uploads and the audit log stay.',
    access: 'user_manager',
    status: 204,
    params: byId,
    errors: ['not_found', 'last_admin'],
    records: ['user_delete'],
  }),

  endUserSessions: route({
    method: 'DELETE',
    url: '/users/{id}/sessions',
    tag: 'users',
    summary: 'Sign a user out everywhere',
    access: 'user_manager',
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['logout'],
  }),
}
