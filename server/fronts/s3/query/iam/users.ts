import { EMAIL } from '../../../../../contract/names.ts'
import { isAdmin } from '../../../../../contract/permissions.ts'
import {
  createServiceAccount,
  deleteEmptyUser,
  listUsersBelow,
  renameUser,
} from '../../../../access/users/service-accounts.ts'
import { resourceOfArn } from '../../../../features/identities/resources.ts'
import { addressOf, userArn, userNameOf } from '../../../../iam/names.ts'
import { ACCOUNT_ID } from '../../../../iam/principal.ts'
import { element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { QueryError } from '../query-error.ts'
import { answerPage, member, PAGED, pageIn } from './pages.ts'
import { NAMED, NEW_USER_NAME, PATH, PATH_PREFIX } from './rules.ts'
import { permit, userFields, userIn } from './subjects.ts'

const ADDRESS = new RegExp(EMAIL)

/** A name that a user can be given. Throws ValidationError for one with an @ that is no address, or that stands for another. */
function newName({ parameters }: QueryCall, parameter: string): string | undefined {
  const name = parameters.optional(parameter, NEW_USER_NAME)
  if (name?.includes('@') && !(ADDRESS.test(name) && userNameOf(name) === name))
    throw new QueryError('ValidationError', `A name with an @ has to be an email address: ${name}`)
  return name
}

async function createUser(call: QueryCall) {
  call.parameters.required('UserName', NEW_USER_NAME)
  const name = newName(call, 'UserName') ?? ''
  const path = call.parameters.optional('Path', PATH) ?? '/'
  permit(call, resourceOfArn(userArn({ email: name, path })))
  return [element('User', ...userFields(await createServiceAccount(call.ctx, { name, path })))]
}

/** Administrators are, to IAM, the root user of the account: no policy limits them. */
async function getUser(call: QueryCall) {
  const { ctx, parameters } = call
  const row = await userIn(call)
  const isRoot = parameters.optional('UserName', NAMED) === undefined && isAdmin(ctx.actor.groups)
  return [element('User', ...userFields(row, isRoot ? `arn:aws:iam::${ACCOUNT_ID}:root` : undefined))]
}

async function listUsers(call: QueryCall) {
  const path = call.parameters.optional('PathPrefix', PATH_PREFIX) ?? '/'
  permit(call, resourceOfArn(`arn:aws:iam::${ACCOUNT_ID}:user${path}`))
  const { after, limit } = pageIn(call)
  const found = await listUsersBelow(call.ctx.db, path, { after, limit: limit + 1 })
  return answerPage(found, limit, {
    name: 'Users',
    of: (row) => member(...userFields(row)),
    markerOf: ({ email_key }) => email_key,
  })
}

async function updateUser(call: QueryCall) {
  const name = call.parameters.required('UserName', NAMED)
  const { id, email, path } = await userIn(call)
  const change = { name: newName(call, 'NewUserName'), path: call.parameters.optional('NewPath', PATH) }
  // As AWS asks: for what the user is, and for what they become.
  const becomes = { email: change.name === undefined ? email : addressOf(change.name), path: change.path ?? path }
  const given = userArn({ email: change.name ?? name, path: change.path })
  permit(call, resourceOfArn(userArn(becomes)), given)
  await renameUser(call.ctx, id, change)
  return undefined
}

async function deleteUser(call: QueryCall) {
  call.parameters.required('UserName', NAMED)
  await deleteEmptyUser(call.ctx, (await userIn(call)).id)
  return undefined
}

export const userActions: readonly QueryAction[] = [
  { name: 'CreateUser', api: IAM, accepts: ['UserName', 'Path'], run: createUser },
  { name: 'GetUser', api: IAM, accepts: ['UserName'], run: getUser },
  { name: 'ListUsers', api: IAM, accepts: ['PathPrefix', ...PAGED], run: listUsers },
  { name: 'UpdateUser', api: IAM, accepts: ['UserName', 'NewUserName', 'NewPath'], run: updateUser },
  { name: 'DeleteUser', api: IAM, accepts: ['UserName'], run: deleteUser },
]
