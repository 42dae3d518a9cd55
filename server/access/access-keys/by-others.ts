// Access keys that somebody creates and ends for a user, whom they are permitted to: AWS' IAM API.
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx, Step } from '../../context.ts'
import { issueFor } from '../credentials/issue.ts'
import { revokePermitted } from '../credentials/manage.ts'
import { keyRevoked } from './describe.ts'
import { newAccessKeyId, newSecret } from './secret.ts'
import { insert, pair } from './service.ts'
import * as store from './store.ts'

const keyMissing = (accessKeyId: string) =>
  new ServiceError('not_found', `The Access Key with id ${accessKeyId} cannot be found.`)

/** Step: throws unless the caller may still change a user's keys, as everything is now and stays until the transaction ends. */
type Confirm = (step: Step) => Promise<unknown>

/** Creates a key for a user; only this has its secret. Throws not_found, and limit_reached for one too many. */
export function createKeyFor(
  ctx: Ctx,
  userId: string,
  confirm: Confirm,
): Promise<{ row: store.AccessKeyRow; secret: string }> {
  const id = newAccessKeyId()
  const secret = newSecret()
  return ctx.act(async (step) => {
    await confirm(step)
    const issued = await issueFor(step, 'access_keys', { userId, name: id })
    const row = { ...issued, ...pair(step, id, secret), scope: null, deactivated_at: null }
    await insert(step, row)
    return { row, secret }
  })
}

async function lockKey({ tx }: Step, userId: string, accessKeyId: string): Promise<store.AccessKeyRow> {
  const row = await store.lockKeyOf(tx, userId, accessKeyId)
  if (!row) throw keyMissing(accessKeyId)
  return row
}

/** Turns a user's key on or off. Throws not_found. */
export const setKeyActive = (
  ctx: Ctx,
  { userId, accessKeyId, active }: { userId: string; accessKeyId: string; active: boolean },
  confirm: Confirm,
): Promise<undefined> =>
  ctx.act(async (step) => {
    await confirm(step)
    const row = await lockKey(step, userId, accessKeyId)
    const before = row.deactivated_at === null
    if (before === active) return step.nothing(undefined)
    await store.updateAccessKey(step.tx, row.id, { deactivated_at: active ? null : step.now().toISOString() })
    const { id, name, access_key_id, user_id } = row
    step.record({
      name: 'access_key_update',
      resource: { type: 'access_key', id },
      details: { name, access_key_id, user_id, before: { active: before }, after: { active } },
    })
    return undefined
  })

/** Revokes a user's key. Throws not_found. */
export const deleteKeyOf = (ctx: Ctx, userId: string, accessKeyId: string, confirm: Confirm): Promise<undefined> =>
  ctx.act(async (step) => {
    await confirm(step)
    const row = await lockKey(step, userId, accessKeyId)
    await revokePermitted(step.tx, 'access_keys', [row.id], step.now())
    step.record(keyRevoked(row, 'requested'))
    return undefined
  })
