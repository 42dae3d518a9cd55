import { findGroupsByIds } from '../../../../access/groups/store.ts'
import { countAttachments, listOwners } from '../../../../access/identity-policies/attached.ts'
import {
  createPolicy,
  createVersion,
  deletePolicy,
  deleteVersion,
  getVersion,
  listBuiltIn,
  listCreated,
  listVersions,
  type ManagedPolicy,
  type PolicyVersion,
  setDefaultVersion,
} from '../../../../access/identity-policies/managed.ts'
import { findUsers } from '../../../../access/users/store.ts'
import { EVERYTHING, resourceOfArn } from '../../../../features/identities/resources.ts'
import { policyArn, userNameOf } from '../../../../iam/names.ts'
import { type Element, element, xmlTime } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { answerPage, member, PAGED, pageIn } from './pages.ts'
import { DESCRIPTION, DOCUMENT, NAMED, PATH, PATH_PREFIX, VERSION_ID } from './rules.ts'
import { permit, policyIn } from './subjects.ts'

/** When built-in policies were made, for clients that need a time. */
const EPOCH = new Date(0).toISOString()

const policyFields = (policy: ManagedPolicy, attachments: number): Element[] => [
  element('PolicyName', policy.name),
  element('PolicyId', policy.id),
  element('Arn', policy.arn),
  element('Path', policy.path),
  element('DefaultVersionId', `v${policy.version}`),
  element('AttachmentCount', attachments),
  element('PermissionsBoundaryUsageCount', 0),
  element('IsAttachable', true),
  element('Description', policy.description === '' ? undefined : policy.description),
  element('CreateDate', xmlTime(policy.created_at ?? EPOCH)),
  element('UpdateDate', xmlTime(policy.updated_at ?? EPOCH)),
]

const versionFields = ({ version, document, isDefault, created_at }: PolicyVersion, withText: boolean): Element[] => [
  ...(withText ? [element('Document', encodeURIComponent(document))] : []),
  element('VersionId', `v${version}`),
  element('IsDefaultVersion', isDefault),
  element('CreateDate', xmlTime(created_at ?? EPOCH)),
]

async function create(call: QueryCall) {
  const { parameters, ctx } = call
  const name = parameters.required('PolicyName', NAMED)
  const path = parameters.optional('Path', PATH) ?? '/'
  const description = parameters.optional('Description', DESCRIPTION) ?? ''
  const document = parameters.required('PolicyDocument', DOCUMENT)
  permit(call, resourceOfArn(policyArn({ name, path })))
  return [element('Policy', ...policyFields(await createPolicy(ctx, { name, path, description, document }), 0))]
}

async function get(call: QueryCall) {
  const policy = await policyIn(call)
  const attachments = await countAttachments(call.ctx.db, [policy.key])
  return [element('Policy', ...policyFields(policy, attachments.get(policy.key) ?? 0))]
}

async function remove(call: QueryCall) {
  await deletePolicy(call.ctx, (await policyIn(call)).arn)
  return undefined
}

/** What a marker of the second part of the list begins with: built-in policies come first, then those that were created. */
const CREATED = 'created/'

async function list(call: QueryCall) {
  const { parameters, ctx } = call
  const scope = parameters.choice('Scope', ['All', 'AWS', 'Local']) ?? 'All'
  const path = parameters.optional('PathPrefix', PATH_PREFIX) ?? '/'
  const onlyAttached = parameters.flag('OnlyAttached') ?? false
  const usage = parameters.choice('PolicyUsageFilter', ['PermissionsPolicy', 'PermissionsBoundary'])
  permit(call, EVERYTHING)
  const { after, limit } = pageIn(call)
  const found: { policy: ManagedPolicy; attachments: number }[] = []
  const add = async (policies: readonly ManagedPolicy[]) => {
    const counts = await countAttachments(
      ctx.db,
      policies.map(({ key }) => key),
    )
    for (const policy of policies) {
      const attachments = counts.get(policy.key) ?? 0
      if (attachments > 0 || !onlyAttached) found.push({ policy, attachments })
    }
  }
  if (scope !== 'Local' && !after.startsWith(CREATED) && path === '/')
    await add(listBuiltIn().filter(({ name }) => name.toLowerCase() > after))
  if (scope !== 'AWS') {
    let last = after.startsWith(CREATED) ? after.slice(CREATED.length) : ''
    for (let wanted = limit + 1; found.length <= limit; ) {
      const rows = await listCreated(ctx.db, path, last, wanted)
      await add(rows)
      last = rows.at(-1)?.name.toLowerCase() ?? last
      if (rows.length < wanted) break
      wanted = limit + 1
    }
  }
  return answerPage(usage === 'PermissionsBoundary' ? [] : found.slice(0, limit + 1), limit, {
    name: 'Policies',
    of: ({ policy, attachments }) => member(...policyFields(policy, attachments)),
    markerOf: ({ policy: { name, isBuiltIn } }) => (isBuiltIn ? '' : CREATED) + name.toLowerCase(),
  })
}

const versionIn = ({ parameters }: QueryCall): number =>
  Number.parseInt(parameters.required('VersionId', VERSION_ID).slice(1), 10)

async function createPolicyVersion(call: QueryCall) {
  const document = call.parameters.required('PolicyDocument', DOCUMENT)
  const isDefault = call.parameters.flag('SetAsDefault') ?? false
  const { arn } = await policyIn(call)
  return [
    element('PolicyVersion', ...versionFields(await createVersion(call.ctx, arn, { document, isDefault }), false)),
  ]
}

async function getPolicyVersion(call: QueryCall) {
  const version = versionIn(call)
  const found = await getVersion(call.ctx.db, await policyIn(call), version)
  return [element('PolicyVersion', ...versionFields(found, true))]
}

async function listPolicyVersions(call: QueryCall) {
  const policy = await policyIn(call)
  const { after, limit } = pageIn(call)
  const found = (await listVersions(call.ctx.db, policy)).filter(
    ({ version }) => after === '' || version < Number(after),
  )
  return answerPage(found, limit, {
    name: 'Versions',
    of: (one) => member(...versionFields(one, false)),
    markerOf: ({ version }) => String(version),
  })
}

async function setDefault(call: QueryCall) {
  const version = versionIn(call)
  await setDefaultVersion(call.ctx, (await policyIn(call)).arn, version)
  return undefined
}

async function deletePolicyVersion(call: QueryCall) {
  const version = versionIn(call)
  await deleteVersion(call.ctx, (await policyIn(call)).arn, version)
  return undefined
}

const KINDS = { User: 'user', Group: 'group', Role: 'role' } as const

async function listEntities(call: QueryCall) {
  const { parameters, ctx } = call
  const filter = parameters.choice('EntityFilter', ['User', 'Role', 'Group', 'LocalManagedPolicy', 'AWSManagedPolicy'])
  const path = parameters.optional('PathPrefix', PATH_PREFIX) ?? '/'
  const kind = filter !== undefined && filter in KINDS ? KINDS[filter as keyof typeof KINDS] : undefined
  const policy = await policyIn(call)
  const { after, limit } = pageIn(call)
  const [afterKind, afterId = ''] = after.split('/')
  const from = after === '' ? undefined : { kind: afterKind as 'user', id: afterId }
  const owners = await listOwners(ctx.db, policy.key, from, limit + 1)
  const page = owners.slice(0, limit)
  const last = page.at(-1)
  const idsOf = (wanted: 'user' | 'group') =>
    kind === undefined || kind === wanted ? page.filter((one) => one.kind === wanted).map(({ id }) => id) : []
  const [groups, users] = [await findGroupsByIds(ctx.db, idsOf('group')), await findUsers(ctx.db, idsOf('user'))]
  const isBelow = (row: { path: string }) => row.path.startsWith(path)
  const isTruncated = owners.length > limit && last !== undefined
  return [
    element(
      'PolicyGroups',
      ...groups.filter(isBelow).map(({ id, name }) => member(element('GroupName', name), element('GroupId', id))),
    ),
    element(
      'PolicyUsers',
      ...users
        .filter(isBelow)
        .map(({ id, email }) => member(element('UserName', userNameOf(email)), element('UserId', id))),
    ),
    element('PolicyRoles', ''),
    element('IsTruncated', isTruncated),
    ...(isTruncated ? [element('Marker', `${last.kind}/${last.id}`)] : []),
  ]
}

const ARN = 'PolicyArn'
export const managedPolicyActions: readonly QueryAction[] = [
  { name: 'CreatePolicy', api: IAM, accepts: ['PolicyName', 'Path', 'Description', 'PolicyDocument'], run: create },
  { name: 'GetPolicy', api: IAM, accepts: [ARN], run: get },
  {
    name: 'ListPolicies',
    api: IAM,
    accepts: ['Scope', 'OnlyAttached', 'PathPrefix', 'PolicyUsageFilter', ...PAGED],
    run: list,
  },
  { name: 'DeletePolicy', api: IAM, accepts: [ARN], run: remove },
  {
    name: 'CreatePolicyVersion',
    api: IAM,
    accepts: [ARN, 'PolicyDocument', 'SetAsDefault'],
    run: createPolicyVersion,
  },
  { name: 'GetPolicyVersion', api: IAM, accepts: [ARN, 'VersionId'], run: getPolicyVersion },
  { name: 'ListPolicyVersions', api: IAM, accepts: [ARN, ...PAGED], run: listPolicyVersions },
  { name: 'SetDefaultPolicyVersion', api: IAM, accepts: [ARN, 'VersionId'], run: setDefault },
  { name: 'DeletePolicyVersion', api: IAM, accepts: [ARN, 'VersionId'], run: deletePolicyVersion },
  {
    name: 'ListEntitiesForPolicy',
    api: IAM,
    accepts: [ARN, 'EntityFilter', 'PathPrefix', 'PolicyUsageFilter', ...PAGED],
    run: listEntities,
  },
]
