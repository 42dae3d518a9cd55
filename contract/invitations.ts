import Type from 'typebox'
import { sessionQuery, TokenPair } from './auth.ts'
import { route } from './route.ts'
import { Exactly, Id, Timestamp } from './shapes.ts'
import { Opaque } from './texts.ts'
import { Invitation, Password } from './users.ts'

const Token = Opaque(200, { description: 'The part after `#` in the link.' })
const byId = Type.Object({ id: Id })

export const operations = {
  inviteUser: route({
    method: 'POST',
    url: '/users/{id}/invitation',
    tag: 'users',
    summary: 'Invite a user to choose a password',
    description:
      'Returns a link that works once, for seven days; an earlier one of the same user stops working. For users without a password, while logins with a password are enabled. Their link also stops working when their email address or identity changes, and when they are disabled or signed out everywhere.',
    access: 'user_manager',
    status: 201,
    params: byId,
    reply: Invitation,
    errors: ['not_found', 'conflict'],
    records: ['invitation_create'],
  }),

  revokeInvitation: route({
    method: 'DELETE',
    url: '/users/{id}/invitation',
    tag: 'users',
    summary: 'Revoke the invitation of a user',
    access: 'user_manager',
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['invitation_revoke'],
  }),

  readInvitation: route({
    method: 'POST',
    url: '/auth/invitation',
    tag: 'auth',
    summary: 'See whom an invitation is for',
    access: 'public',
    status: 200,
    body: Exactly({ token: Token }),
    reply: Type.Object({ email: Type.String(), display_name: Type.String(), expires_at: Timestamp }),
    errors: ['gone', 'login_disabled', 'rate_limited'],
    records: ['login_failed'],
  }),

  acceptInvitation: route({
    method: 'POST',
    url: '/auth/invitation/accept',
    tag: 'auth',
    summary: 'Accept an invitation: choose a password and log in',
    description:
      'Works once, and ends all earlier sessions of the user. Users who must set up a second factor get `second_factor_enrollment_required`, with a `challenge` for `POST /auth/token/enrollment`: their password is set then.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({ token: Token, password: Password }),
    reply: TokenPair,
    errors: [
      'gone',
      'forbidden',
      'login_disabled',
      'invalid_request',
      'second_factor_required',
      'second_factor_enrollment_required',
      'rate_limited',
      'busy',
    ],
    records: ['invitation_accept', 'login', 'login_failed'],
  }),
}
