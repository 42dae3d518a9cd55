import { createKeyFor, deleteKeyOf, setKeyActive } from '../../../../access/access-keys/by-others.ts'
import { type AccessKeyRow, findLiveKeys, findNamedKey } from '../../../../access/access-keys/store.ts'
import { grantingGroupsOf } from '../../../../access/groups/service.ts'
import { assertMayTouch } from '../../../../access/users/service.ts'
import type { Step } from '../../../../context.ts'
import type { Row } from '../../../../db/schema.ts'
import { resourceOfArn } from '../../../../features/identities/resources.ts'
import { userArn, userNameOf } from '../../../../iam/names.ts'
import { element, xmlTime } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { QueryError } from '../query-error.ts'
import { answerPage, member, PAGED, pageIn } from './pages.ts'
import { KEY_ID } from './rules.ts'
import { callIn, permit, userIn } from './subjects.ts'

/** The user whose keys a request changes: those of administrators are for administrators. */
async function ownerIn(call: QueryCall): Promise<Row<'users'>> {
  const user = await userIn(call)
  if (user.id !== call.ctx.actor.user_id) assertMayTouch(call.ctx, await grantingGroupsOf(call.ctx.db, user.id))
  return user
}

/** Step: the same, in the transaction that changes something. */
const confirming = (call: QueryCall) => async (step: Step) => ownerIn(await callIn(call, step))

const keyFields = ({ email }: Row<'users'>, row: AccessKeyRow, now: Date) => [
  element('UserName', userNameOf(email)),
  element('AccessKeyId', row.access_key_id),
  element('Status', isActive(row, now) ? 'Active' : 'Inactive'),
  element('CreateDate', xmlTime(row.created_at)),
]

const isActive = ({ deactivated_at, expires_at }: AccessKeyRow, now: Date): boolean =>
  deactivated_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime())

async function createAccessKey(call: QueryCall) {
  const user = await ownerIn(call)
  const { row, secret } = await createKeyFor(call.ctx, user.id, confirming(call))
  return [element('AccessKey', ...keyFields(user, row, call.ctx.now()), element('SecretAccessKey', secret))]
}

async function listAccessKeys(call: QueryCall) {
  const user = await userIn(call)
  const { after, limit } = pageIn(call)
  const found = await findLiveKeys(call.ctx.db, user.id, { after, limit: limit + 1 })
  return answerPage(found, limit, {
    name: 'AccessKeyMetadata',
    of: (row) => member(...keyFields(user, row, call.ctx.now())),
    markerOf: ({ id }) => id,
  })
}

async function updateAccessKey(call: QueryCall) {
  const { id } = await ownerIn(call)
  const accessKeyId = call.parameters.required('AccessKeyId', KEY_ID)
  const status = call.parameters.choice('Status', ['Active', 'Inactive'])
  if (status === undefined) throw new QueryError('ValidationError', 'Status is either Active or Inactive.')
  await setKeyActive(call.ctx, { userId: id, accessKeyId, active: status === 'Active' }, confirming(call))
  return undefined
}

async function deleteAccessKey(call: QueryCall) {
  const { id } = await ownerIn(call)
  await deleteKeyOf(call.ctx, id, call.parameters.required('AccessKeyId', KEY_ID), confirming(call))
  return undefined
}

async function getAccessKeyLastUsed(call: QueryCall) {
  const accessKeyId = call.parameters.required('AccessKeyId', KEY_ID)
  const key = await findNamedKey(call.ctx.db, accessKeyId)
  const anyone = userArn({ email: '*' })
  permit(call, resourceOfArn(key ? userArn(key) : anyone), anyone)
  if (!key) throw new QueryError('NoSuchEntity', `The Access Key with id ${accessKeyId} cannot be found.`)
  const { s3 } = call.system.config
  return [
    element('UserName', userNameOf(key.email)),
    element(
      'AccessKeyLastUsed',
      element('LastUsedDate', key.last_used_at === null ? undefined : xmlTime(key.last_used_at)),
      element('ServiceName', key.last_used_at === null ? 'N/A' : 's3'),
      element('Region', key.last_used_at === null ? 'N/A' : s3.region),
    ),
  ]
}

export const accessKeyActions: readonly QueryAction[] = [
  { name: 'CreateAccessKey', api: IAM, accepts: ['UserName'], run: createAccessKey },
  { name: 'ListAccessKeys', api: IAM, accepts: ['UserName', ...PAGED], run: listAccessKeys },
  { name: 'UpdateAccessKey', api: IAM, accepts: ['UserName', 'AccessKeyId', 'Status'], run: updateAccessKey },
  { name: 'DeleteAccessKey', api: IAM, accepts: ['UserName', 'AccessKeyId'], run: deleteAccessKey },
  { name: 'GetAccessKeyLastUsed', api: IAM, accepts: ['AccessKeyId'], run: getAccessKeyLastUsed },
]
