// Users as AWS' IAM has them: service accounts, named and with a path; and people, who are called by their addresses.
import { ServiceError } from '../../../contract/errors.ts'
import { canonicalId } from '../../base/canonical-id.ts'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import { addressOf, userNameOf } from '../../iam/names.ts'
import { findLiveKeys } from '../access-keys/store.ts'
import { grantingGroupsOf } from '../groups/service.ts'
import { hasPolicies } from '../identity-policies/store.ts'
import { lockAdministration } from '../settings/administration.ts'
import { assertMayTouch, emailKey, insertUser, named, removeUser, userMissing } from './service.ts'
import * as store from './store.ts'

export const CANONICAL_ID = /^[0-9a-f]{64}$/

/** The user of an id, canonical id or name, in this order: no name stands for another's id. Undefined where there is none. */
export async function findUserNamed(db: Db, name: string): Promise<Row<'users'> | undefined> {
  const id = CANONICAL_ID.test(name) ? (await store.listIds(db)).find((one) => canonicalId(one) === name) : name
  const found = id === undefined ? undefined : await store.findUser(db, id)
  return found ?? store.findByEmailKey(db, emailKey(addressOf(name)))
}

const nameTaken = (name: string) => new ServiceError('already_exists', `User with name ${name} already exists.`)

/** Creates a service account, which is in no group and can never sign in. Throws already_exists. */
export const createServiceAccount = (ctx: Ctx, { name, path }: { name: string; path: string }): Promise<Row<'users'>> =>
  ctx.act(async ({ tx, record, now }) => {
    const user = { id: newId(), email: addressOf(name), display_name: name, service_account: 1, path }
    const row = await insertUser(tx, user, now())
    if (!row) throw nameTaken(name)
    record({
      name: 'user_create',
      resource: { type: 'user', id: row.id },
      details: { email: row.email, display_name: name, group_ids: [], service_account: true },
    })
    return row
  })

/**
 * Renames a service account, or moves any user to another path. Throws not_found, already_exists, forbidden for
 * administrators, and conflict for a person's name: it is the address with which they log in.
 */
export const renameUser = (
  ctx: Ctx,
  id: string,
  { name, path }: { name: string | undefined; path: string | undefined },
): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    await lockAdministration(tx)
    const row = await store.lockUser(tx, id)
    if (!row) throw userMissing()
    assertMayTouch(step, await grantingGroupsOf(tx, id))
    const next = { email: name === undefined ? row.email : addressOf(name), path: path ?? row.path }
    if (next.email === row.email && next.path === row.path) return step.nothing(undefined)
    if (next.email !== row.email && row.service_account === 0)
      throw new ServiceError('conflict', 'People are called by the addresses that they log in with.')
    const other = await store.findByEmailKey(tx, emailKey(next.email))
    if (other && other.id !== id) throw nameTaken(name ?? '')
    const names = next.email === row.email ? {} : named(next.email, userNameOf(next.email))
    await store.updateUser(tx, id, { path: next.path, ...names })
    record({
      name: 'user_update',
      resource: { type: 'user', id },
      details: { email: row.email, before: { email: row.email, path: row.path }, after: next },
    })
    return undefined
  })

/** Deletes a user who has neither keys nor policies, and is in no group then. Throws not_found and not_empty. */
export const deleteEmptyUser = (ctx: Ctx, id: string): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx } = step
    await lockAdministration(tx)
    const row = await store.lockUser(tx, id)
    if (!row) throw userMissing()
    assertMayTouch(step, await grantingGroupsOf(tx, id))
    if ((await findLiveKeys(tx, id, { after: '', limit: 1 })).length > 0)
      throw new ServiceError('not_empty', 'Cannot delete entity, must delete access keys first.')
    if (await hasPolicies(tx, { kind: 'user', id }))
      throw new ServiceError('not_empty', 'Cannot delete entity, must delete and detach policies first.')
    await removeUser(step, row)
    return undefined
  })

/** Users below a path, in the order of their names. */
export const listUsersBelow = store.listBelow
