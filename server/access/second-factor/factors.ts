import { ServiceError } from '../../../contract/errors.ts'
import type { SecondFactor } from '../../../contract/second-factor.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import { grantingGroupsOf } from '../groups/service.ts'
import { settingsInForce } from '../settings/effective.ts'
import { needsSecondFactor } from '../settings/second-factor.ts'
import { assertMayTakeOver, emailKey } from '../users/service.ts'
import { tellOfFactors } from '../users/sign-in-notices.ts'
import { findByEmailKey } from '../users/store.ts'
import * as store from './store.ts'

export const describeFactor = ({
  id,
  kind,
  name,
  discoverable,
  created_at,
  last_used_at,
}: store.FactorRow): SecondFactor => ({
  id,
  kind,
  name,
  discoverable: discoverable === null ? null : discoverable === 1,
  created_at,
  last_used_at,
})

const factorMissing = () => new ServiceError('not_found', 'No such second factor.')

/** Whether a user has a second factor. */
export const hasFactor = async (db: Db, userId: string): Promise<boolean> =>
  (await store.listFactors(db, userId)).length > 0

/** A user's second factors, with how many recovery codes they have left. */
export const findFactors = async (db: Db, userId: string) => ({
  factors: await store.listFactors(db, userId),
  codes: await store.countCodes(db, userId),
})

/** Whether the settings require a user to have a second factor. */
export async function isFactorNeeded(from: Pick<Ctx, 'config' | 'db'>, userId: string): Promise<boolean> {
  const settings = await settingsInForce(from)
  if (settings.auth.second_factor === 'optional') return false
  return needsSecondFactor(settings, await grantingGroupsOf(from.db, userId))
}

/** A factor of a user; throws not_found. */
export async function findFactor(db: Db, userId: string, id: string): Promise<store.FactorRow> {
  const found = (await store.listFactors(db, userId)).find((factor) => factor.id === id)
  if (!found) throw factorMissing()
  return found
}

/** Throws conflict if a user may not be without this factor. */
export async function assertRemovable(from: Pick<Ctx, 'config' | 'db'>, userId: string): Promise<void> {
  if ((await store.listFactors(from.db, userId)).length > 1 || !(await isFactorNeeded(from, userId))) return
  throw new ServiceError('conflict', 'The settings require you to have a second factor, and this is your only one.')
}

/** Step: renames a factor of the caller; throws not_found. */
export async function renameFactor(step: Step, id: string, name: string): Promise<SecondFactor> {
  const { tx, record, actor } = step
  const userId = actor.user_id ?? ''
  await store.lockUser(tx, userId)
  const row = await findFactor(tx, userId, id)
  await store.renameFactor(tx, id, name.trim())
  record({
    name: 'second_factor_update',
    resource: { type: 'user', id: userId },
    details: { email: actor.email ?? '', factor_id: id, before: { name: row.name }, after: { name: name.trim() } },
  })
  return describeFactor({ ...row, name: name.trim() })
}

/** Step: removes a factor of the caller, with the last one the recovery codes. Throws not_found and conflict. */
export async function removeFactor(step: Step, id: string): Promise<void> {
  const { tx, config, record, actor } = step
  const userId = actor.user_id ?? ''
  const user = await store.lockUser(tx, userId)
  if (!user) throw factorMissing()
  const { kind, name } = await findFactor(tx, userId, id)
  await assertRemovable({ config, db: tx }, userId)
  await store.deleteFactor(tx, id)
  if (!(await hasFactor(tx, userId))) await store.deleteCodes(tx, userId)
  record({
    name: 'second_factor_remove',
    resource: { type: 'user', id: userId },
    details: { email: actor.email ?? '', factor_id: id, kind, name },
  })
  await tellOfFactors(step, user, { change: kind === 'totp' ? 'app_removed' : 'passkey_removed', name }, 'self')
}

/**
 * Removes all second factors of another user, with their recovery codes. Throws not_found, forbidden for users with
 * permissions that the caller lacks, and conflict for the caller's own.
 */
export async function resetFactors(ctx: Ctx, id: string): Promise<undefined> {
  if (id === ctx.actor.user_id)
    throw new ServiceError('conflict', 'Remove your own second factors on your account page, with your password.')
  await ctx.act(async (step) => {
    const row = await store.lockUser(step.tx, id)
    if (!row) throw new ServiceError('not_found', 'No such user.')
    await assertMayTakeOver(step, row)
    return reset(step, row)
  })
}

/** The same for the user with an address, whoever asks. Returns how many factors there were; throws not_found. */
export const resetFactorsOf = (ctx: Ctx, email: string): Promise<number> =>
  ctx.act(async (step) => {
    const found = await findByEmailKey(step.tx, emailKey(email))
    const row = found && (await store.lockUser(step.tx, found.id))
    if (!row) throw new ServiceError('not_found', `No user has the address "${email}".`)
    return reset(step, row)
  })

async function reset(step: Step, user: Row<'users'>) {
  const { tx, record, nothing } = step
  const { id, email } = user
  const factors = await store.deleteFactors(tx, id)
  await store.deleteCodes(tx, id)
  await store.deleteChallengesOf(tx, id)
  if (factors === 0) return nothing(0)
  record({ name: 'second_factor_reset', resource: { type: 'user', id }, details: { email, factors } })
  await tellOfFactors(step, user, { change: 'factors_removed' }, 'administrator')
  return factors
}
