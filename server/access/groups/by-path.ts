// Groups as AWS' IAM has them: with a path, and without grants; what they allow is in their policies.
import { ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import { hasPolicies } from '../identity-policies/store.ts'
import { lockAdministration } from '../settings/administration.ts'
import { describeGroup } from './describe.ts'
import { assertMayLeave, groupMissing } from './members.ts'
import { assertNameFree, nameKey, removeGroup } from './service.ts'
import * as store from './store.ts'

/** The group of an id or else a name; undefined where there is none. */
export const findGroupNamed = async (db: Db, name: string): Promise<Row<'groups'> | undefined> =>
  (await store.findGroup(db, name)) ?? store.findGroupByName(db, nameKey(name))

/** Creates a group without grants. Throws already_exists. */
export const createGroupAt = (ctx: Ctx, { name, path }: { name: string; path: string }): Promise<Row<'groups'>> =>
  ctx.act(async ({ tx, record, now }) => {
    const row = await store.insertGroup(tx, {
      id: newId(),
      name,
      name_key: nameKey(name),
      description: '',
      builtin: null,
      global: '[]',
      path,
      created_at: now().toISOString(),
    })
    if (!row) throw new ServiceError('already_exists', `Group with name ${name} already exists.`)
    record({
      name: 'group_create',
      resource: { type: 'group', id: row.id },
      details: { name, global: [], grants: [] },
    })
    return row
  })

/** Renames a group or moves it to another path. Throws not_found, already_exists, and forbidden for administrators'. */
export const renameGroup = (
  ctx: Ctx,
  id: string,
  { name, path }: { name: string | undefined; path: string | undefined },
): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    await lockAdministration(tx)
    const row = await store.findGroup(tx, id)
    if (!row) throw groupMissing()
    assertMayLeave(step.actor, [await describeGroup(tx, row)])
    const next = { name: name ?? row.name, path: path ?? row.path }
    if (next.name === row.name && next.path === row.path) return step.nothing(undefined)
    await assertNameFree(tx, id, name)
    await store.updateGroup(tx, id, { ...next, name_key: nameKey(next.name) })
    const before = { name: row.name, path: row.path }
    record({ name: 'group_update', resource: { type: 'group', id }, details: { name: row.name, before, after: next } })
    return undefined
  })

/** Deletes a group of which nothing is left. Throws not_found, and not_empty with members or policies. */
export const deleteEmptyGroup = (ctx: Ctx, id: string): Promise<undefined> =>
  ctx.act(async (step) => {
    await lockAdministration(step.tx)
    const row = await store.findGroup(step.tx, id)
    if (!row) throw groupMissing()
    if (await hasPolicies(step.tx, { kind: 'group', id }))
      throw new ServiceError('not_empty', 'Cannot delete entity, must delete and detach policies first.')
    await removeGroup(step, row, false)
    return undefined
  })
