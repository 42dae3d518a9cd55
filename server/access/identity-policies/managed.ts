// Policies with a name of their own: those that were created, and the built-in ones.
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { newId } from '../../base/id.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { readPolicy } from '../../iam/document.ts'
import { policyArn } from '../../iam/names.ts'
import { reachesAdministrator } from './administrators.ts'
import { builtInPolicies, findBuiltIn } from './built-in.ts'
import { detailsOf } from './inline.ts'
import * as store from './store.ts'

/** A managed policy; times are null for a built-in one. */
export interface ManagedPolicy {
  /** What rows of attachments call it. */
  key: string
  id: string
  name: string
  path: string
  arn: string
  description: string
  isBuiltIn: boolean
  version: number
  created_at: string | null
  updated_at: string | null
}
/** A version of one. */
export interface PolicyVersion {
  version: number
  document: string
  isDefault: boolean
  created_at: string | null
}

/** As AWS limits them (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). */
export const MOST_VERSIONS = 5
export const MOST_POLICIES = 1500
const OF_AWS = /^arn:aws:iam::aws:policy\/(.+)$/

const describe = (row: store.ManagedRow): ManagedPolicy => ({
  key: row.id,
  id: row.id,
  name: row.name,
  path: row.path,
  arn: policyArn(row),
  description: row.description,
  isBuiltIn: false,
  version: row.default_version,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** A built-in policy as a managed one. */
const describeBuiltIn = ({ name, description }: (typeof builtInPolicies)[number]): ManagedPolicy => ({
  key: store.BUILT_IN + name,
  id: name,
  name,
  path: '/',
  arn: `arn:aws:iam::aws:policy/${name}`,
  description,
  isBuiltIn: true,
  version: 1,
  created_at: null,
  updated_at: null,
})

export const policyMissing = (arn: string) =>
  new ServiceError('not_found', `Policy ${arn} does not exist or is not attachable.`)
const versionMissing = (arn: string, version: number) =>
  new ServiceError('not_found', `Policy ${arn} version v${version} does not exist or is not attachable.`)

/** The lower-case name in an ARN of a policy of ours. */
const nameKeyIn = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1).toLowerCase()

/** The policy of an ARN; undefined where there is none. */
export async function findPolicy(db: Db, arn: string): Promise<ManagedPolicy | undefined> {
  const [, name] = OF_AWS.exec(arn) ?? []
  const builtIn = name === undefined ? undefined : findBuiltIn(name)
  if (builtIn) return describeBuiltIn(builtIn)
  const row = await store.findManagedByName(db, nameKeyIn(arn))
  return row && policyArn(row) === arn ? describe(row) : undefined
}

/** The policy that configurations call so: a built-in one `aws:readonly`, any other by its name in any case. */
export async function findByName(db: Db, name: string): Promise<ManagedPolicy | undefined> {
  const builtIn = name.startsWith(store.BUILT_IN) ? findBuiltIn(name.slice(store.BUILT_IN.length)) : undefined
  if (builtIn) return describeBuiltIn(builtIn)
  const row = await store.findManagedByName(db, name.toLowerCase())
  return row && describe(row)
}

/** What configurations call a policy. */
export const nameInFiles = ({ isBuiltIn, name, key }: ManagedPolicy): string => (isBuiltIn ? key : name)

/** The policies that rows of attachments name, in their order; what is gone is left out. */
export async function findByKeys(db: Db, keys: readonly string[]): Promise<ManagedPolicy[]> {
  const rows = new Map((await store.findManaged(db, keys)).map((row) => [row.id, row]))
  return keys.flatMap((key) => {
    const row = rows.get(key)
    const builtIn = findBuiltIn(key.slice(store.BUILT_IN.length))
    return row ? describe(row) : builtIn ? describeBuiltIn(builtIn) : []
  })
}

/** Built-in policies, in the order of their lower-case names. */
export const listBuiltIn = (): ManagedPolicy[] =>
  builtInPolicies.map(describeBuiltIn).sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))

/** Policies that were created, below a path and after a lower-case name, in the order of those. */
export const listCreated = async (db: Db, path: string, after: string, limit: number): Promise<ManagedPolicy[]> =>
  (await store.listManaged(db, path, after, limit)).map(describe)

/** Creates a policy. Throws MalformedPolicy, already_exists, and limit_reached for one too many. */
export async function createPolicy(
  ctx: Ctx,
  { name, path, description, document }: { name: string; path: string; description: string; document: string },
): Promise<ManagedPolicy> {
  readPolicy(document, { of: 'identity' })
  return ctx.act(async ({ tx, record, now }) => {
    if ((await store.countManaged(tx)) >= MOST_POLICIES)
      throw new ServiceError('limit_reached', `Cannot exceed quota for PoliciesPerAccount: ${MOST_POLICIES}`)
    const at = now().toISOString()
    const row = await store.insertManaged(tx, {
      id: newId(),
      name,
      name_key: name.toLowerCase(),
      path,
      description,
      default_version: 1,
      latest_version: 1,
      created_at: at,
      updated_at: at,
    })
    if (!row)
      throw new ServiceError(
        'already_exists',
        `A policy called ${name} already exists. Duplicate names are not allowed.`,
      )
    await store.insertVersion(tx, { policy_id: row.id, version: 1, document, created_at: at })
    record({
      name: 'identity_policy_create',
      resource: resourceOf(row.id),
      details: { ...detailsOf(name, null), document },
    })
    return describe(row)
  })
}

const resourceOf = (id: string) => ({ type: 'identity_policy', id })

/** Step: a policy that was created, locked. Throws not_found, and forbidden for a built-in one. */
async function lockPolicy({ tx }: Step, arn: string): Promise<store.ManagedRow> {
  if (OF_AWS.test(arn))
    throw new ServiceError('forbidden', `Policy ${arn} is built in: it cannot be changed or deleted.`)
  const row = await store.lockManagedByName(tx, nameKeyIn(arn))
  if (!row || policyArn(row) !== arn) throw policyMissing(arn)
  return row
}

/** Step: throws forbidden for what counts for administrators, unless the caller is one. */
async function assertMayPutInForce({ tx, actor }: Step, { id, name }: store.ManagedRow): Promise<void> {
  if (!isAdmin(actor.groups) && (await reachesAdministrator(tx, id)))
    throw new ServiceError('forbidden', `You need the "admin" permission to change ${name}: an administrator has it.`)
}

/**
 * Deletes a policy. Throws not_found, forbidden, and not_empty while it is attached, or has other versions, unless those go `whole`.
 */
export const deletePolicy = (ctx: Ctx, arn: string, whole = false): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    const { id, name } = await lockPolicy(step, arn)
    if ((await store.countAttachments(tx, [id])).has(id))
      throw new ServiceError('not_empty', 'Cannot delete a policy attached to entities.')
    if (!whole && (await store.listVersions(tx, id)).length > 1)
      throw new ServiceError(
        'not_empty',
        'This policy has more than one version. Delete all but the default version first.',
      )
    await store.deleteManaged(tx, id)
    record({ name: 'identity_policy_delete', resource: resourceOf(id), details: detailsOf(name, null) })
    return undefined
  })

/**
 * Adds a version to a policy. Throws MalformedPolicy, not_found, forbidden, and limit_reached for one too many, unless the oldest one
 * that is not in force gives way (`dropOldest`).
 */
export async function createVersion(
  ctx: Ctx,
  arn: string,
  { document, isDefault, dropOldest = false }: { document: string; isDefault: boolean; dropOldest?: boolean },
): Promise<PolicyVersion> {
  readPolicy(document, { of: 'identity' })
  return ctx.act(async (step) => {
    const { tx, record, now } = step
    const row = await lockPolicy(step, arn)
    const { id, name, latest_version, default_version } = row
    if (isDefault) await assertMayPutInForce(step, row)
    const versions = (await store.listVersions(tx, id)).map((one) => one.version)
    const oldest = versions.findLast((one) => one !== default_version)
    const dropped = dropOldest && versions.length >= MOST_VERSIONS ? oldest : undefined
    if (dropped !== undefined) await store.deleteVersion(tx, id, dropped)
    else if (versions.length >= MOST_VERSIONS)
      throw new ServiceError(
        'limit_reached',
        `A managed policy can have up to ${MOST_VERSIONS} versions. Before you create a new version, you must delete an existing version.`,
      )
    const version = latest_version + 1
    const created_at = now().toISOString()
    await store.insertVersion(tx, { policy_id: id, version, document, created_at })
    await store.updateManaged(tx, id, {
      latest_version: version,
      updated_at: created_at,
      ...(isDefault ? { default_version: version } : {}),
    })
    const after = { version, document, default_version: isDefault ? version : default_version }
    record({
      name: 'identity_policy_update',
      resource: resourceOf(id),
      details: {
        ...detailsOf(name, null),
        before: { default_version, ...(dropped === undefined ? {} : { version: dropped }) },
        after,
      },
    })
    return { version, document, isDefault, created_at }
  })
}

/** Puts another version of a policy in force. Throws not_found and forbidden. */
export const setDefaultVersion = (ctx: Ctx, arn: string, version: number): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx, record, now } = step
    const row = await lockPolicy(step, arn)
    const { id, name, default_version } = row
    await assertMayPutInForce(step, row)
    if (!(await store.findVersion(tx, id, version))) throw versionMissing(arn, version)
    if (version === default_version) return step.nothing(undefined)
    await store.updateManaged(tx, id, { default_version: version, updated_at: now().toISOString() })
    const change = { before: { default_version }, after: { default_version: version } }
    record({
      name: 'identity_policy_update',
      resource: resourceOf(id),
      details: { ...detailsOf(name, null), ...change },
    })
    return undefined
  })

/** Deletes a version of a policy. Throws not_found, forbidden, and not_empty for the one that is in force. */
export const deleteVersion = (ctx: Ctx, arn: string, version: number): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    const { id, name, default_version } = await lockPolicy(step, arn)
    if (!(await store.findVersion(tx, id, version))) throw versionMissing(arn, version)
    if (version === default_version)
      throw new ServiceError('not_empty', 'Cannot delete the default version of a policy.')
    await store.deleteVersion(tx, id, version)
    record({
      name: 'identity_policy_update',
      resource: resourceOf(id),
      details: { ...detailsOf(name, null), before: { version }, after: {} },
    })
    return undefined
  })

/** The versions of a policy, newest first. */
export async function listVersions(db: Db, { key, name, version, isBuiltIn }: ManagedPolicy): Promise<PolicyVersion[]> {
  if (isBuiltIn) return [{ version: 1, document: findBuiltIn(name)?.document ?? '', isDefault: true, created_at: null }]
  return (await store.listVersions(db, key)).map((one) => ({
    version: one.version,
    document: one.document,
    isDefault: one.version === version,
    created_at: one.created_at,
  }))
}

/** A version of a policy. Throws not_found. */
export async function getVersion(db: Db, policy: ManagedPolicy, version: number): Promise<PolicyVersion> {
  const found = (await listVersions(db, policy)).find((one) => one.version === version)
  if (!found) throw versionMissing(policy.arn, version)
  return found
}
