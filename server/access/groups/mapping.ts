// Memberships that follow what the identity provider says of a user.
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Step } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import { lockAdministration } from '../settings/administration.ts'
import { grantingGroups } from './describe.ts'
import { applyMembers } from './members.ts'
import { assertAdmins } from './service.ts'
import * as store from './store.ts'

/** Which claims of the identity provider make somebody a member of which group. */
type Mapping = readonly { value: string; group_id: string }[]

/** The mapped groups whose members are to have somebody, and those in which this is otherwise now. */
async function compare(db: Db, userId: string, mapping: Mapping, values: ReadonlySet<string>) {
  const mapped = new Set(mapping.map(({ group_id }) => group_id))
  const wanted = new Set(mapping.filter(({ value }) => values.has(value)).map(({ group_id }) => group_id))
  const present = new Set((await store.findGroupsOfUsers(db, [userId])).map(({ id }) => id))
  return { wanted, changing: [...mapped].filter((id) => wanted.has(id) !== present.has(id)).sort() }
}

/** Whether a user's memberships in mapped groups are what the provider's claims say. */
export async function followsMapping(
  db: Db,
  userId: string,
  mapping: Mapping,
  values: ReadonlySet<string>,
): Promise<boolean> {
  const { changing } = await compare(db, userId, mapping, values)
  // The environment may name groups that there are none of any more.
  return changing.length === 0 || (await store.findGroupsByIds(db, changing)).length === 0
}

/**
 * Step of a login through the identity provider: updates the user's memberships in mapped groups to match the
 * provider's claims; other groups are left alone. A membership whose removal would leave no administrator stays, which
 * is logged.
 */
export async function followMapping(
  step: Step,
  userId: string,
  mapping: Mapping,
  values: ReadonlySet<string>,
): Promise<void> {
  const { tx } = step
  const { wanted, changing } = await compare(tx, userId, mapping, values)
  if (changing.length === 0) return
  await lockAdministration(tx)
  for (const row of await store.findGroupsByIds(tx, changing)) {
    const joins = wanted.has(row.id)
    if (!joins && isAdmin(await grantingGroups(tx, [row])) && !(await adminsRemainWithout(step, row, userId))) {
      step.log.warn(
        { user_id: userId, group_id: row.id },
        'the last administrator stays one, against the group mapping',
      )
      continue
    }
    await applyMembers(step, row, joins ? { add: [userId], remove: [] } : { add: [], remove: [userId] })
  }
}

async function adminsRemainWithout(step: Step, row: Row<'groups'>, userId: string): Promise<boolean> {
  const { tx } = step
  await store.deleteMembers(tx, row.id, [userId])
  const remain = await assertAdmins(step).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'last_admin') return false
      throw error
    },
  )
  await store.insertMembers(tx, [{ group_id: row.id, user_id: userId, added_at: step.now().toISOString() }])
  return remain
}
