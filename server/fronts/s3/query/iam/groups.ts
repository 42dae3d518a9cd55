import { createGroupAt, deleteEmptyGroup, renameGroup } from '../../../../access/groups/by-path.ts'
import { addMembers, removeMembers } from '../../../../access/groups/members.ts'
import { grantingGroupsOf } from '../../../../access/groups/service.ts'
import { findMemberIds, listBelow } from '../../../../access/groups/store.ts'
import { assertMayTouch } from '../../../../access/users/service.ts'
import { findUserNamed, listUsersBelow } from '../../../../access/users/service-accounts.ts'
import { EVERYTHING, resourceOfArn } from '../../../../features/identities/resources.ts'
import { groupArn } from '../../../../iam/names.ts'
import { element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { QueryError } from '../query-error.ts'
import { answerPage, member, PAGED, pageIn } from './pages.ts'
import { NAMED, NEW_GROUP_NAME, PATH, PATH_PREFIX } from './rules.ts'
import { callIn, groupFields, groupIn, permit, userFields, userIn } from './subjects.ts'

async function createGroup(call: QueryCall) {
  const name = call.parameters.required('GroupName', NEW_GROUP_NAME)
  const path = call.parameters.optional('Path', PATH) ?? '/'
  permit(call, resourceOfArn(groupArn({ name, path })))
  return [element('Group', ...groupFields(await createGroupAt(call.ctx, { name, path })))]
}

async function getGroup(call: QueryCall) {
  const group = await groupIn(call)
  const { after, limit } = pageIn(call)
  const members = await listUsersBelow(call.ctx.db, '/', { after, limit: limit + 1, groupId: group.id })
  return [
    element('Group', ...groupFields(group)),
    ...answerPage(members, limit, {
      name: 'Users',
      of: (row) => member(...userFields(row)),
      markerOf: ({ email_key }) => email_key,
    }),
  ]
}

async function answerGroups(call: QueryCall, path: string, userId?: string) {
  const { after, limit } = pageIn(call)
  const of = userId === undefined ? {} : { userId }
  const found = await listBelow(call.ctx.db, path, { after, limit: limit + 1, ...of })
  return answerPage(found, limit, {
    name: 'Groups',
    of: (row) => member(...groupFields(row)),
    markerOf: ({ name_key }) => name_key,
  })
}

async function listGroups(call: QueryCall) {
  const path = call.parameters.optional('PathPrefix', PATH_PREFIX) ?? '/'
  permit(call, EVERYTHING)
  return answerGroups(call, path)
}

async function listGroupsForUser(call: QueryCall) {
  call.parameters.required('UserName', NAMED)
  return answerGroups(call, '/', (await userIn(call)).id)
}

async function updateGroup(call: QueryCall) {
  const { id, name, path } = await groupIn(call)
  const asked = call.parameters.required('GroupName', NAMED)
  const change = {
    name: call.parameters.optional('NewGroupName', NEW_GROUP_NAME),
    path: call.parameters.optional('NewPath', PATH),
  }
  const becomes = { name: change.name ?? name, path: change.path ?? path }
  const given = groupArn({ name: change.name ?? asked, path: change.path ?? '/' })
  permit(call, resourceOfArn(groupArn(becomes)), given)
  await renameGroup(call.ctx, id, change)
  return undefined
}

async function deleteGroup(call: QueryCall) {
  await deleteEmptyGroup(call.ctx, (await groupIn(call)).id)
  return undefined
}

/** The group and the user of a request; AWS asks for the right on the group. */
async function membershipIn(call: QueryCall) {
  const name = call.parameters.required('UserName', NAMED)
  const group = await groupIn(call)
  const user = await findUserNamed(call.ctx.db, name)
  if (!user) throw new QueryError('NoSuchEntity', `The user with name ${name} cannot be found.`)
  const isMember = (await findMemberIds(call.ctx.db, group.id)).includes(user.id)
  return { group, user, isMember }
}

async function addUserToGroup(call: QueryCall) {
  const { group, user, isMember } = await membershipIn(call)
  if (isMember) return undefined
  await addMembers(call.ctx, group.id, [user.id], async (step) => {
    // Policies that the group gets later would reach an administrator.
    const { ctx } = await callIn(call, step)
    assertMayTouch(ctx, await grantingGroupsOf(ctx.db, user.id))
  })
  return undefined
}

async function removeUserFromGroup(call: QueryCall) {
  const { group, user, isMember } = await membershipIn(call)
  if (!isMember) throw new QueryError('NoSuchEntity', `The user is not a member of the group ${group.name}.`)
  await removeMembers(call.ctx, group.id, [user.id])
  return undefined
}

export const groupActions: readonly QueryAction[] = [
  { name: 'CreateGroup', api: IAM, accepts: ['GroupName', 'Path'], run: createGroup },
  { name: 'GetGroup', api: IAM, accepts: ['GroupName', ...PAGED], run: getGroup },
  { name: 'ListGroups', api: IAM, accepts: ['PathPrefix', ...PAGED], run: listGroups },
  { name: 'ListGroupsForUser', api: IAM, accepts: ['UserName', ...PAGED], run: listGroupsForUser },
  { name: 'UpdateGroup', api: IAM, accepts: ['GroupName', 'NewGroupName', 'NewPath'], run: updateGroup },
  { name: 'DeleteGroup', api: IAM, accepts: ['GroupName'], run: deleteGroup },
  { name: 'AddUserToGroup', api: IAM, accepts: ['GroupName', 'UserName'], run: addUserToGroup },
  { name: 'RemoveUserFromGroup', api: IAM, accepts: ['GroupName', 'UserName'], run: removeUserFromGroup },
]
