import type { Fault } from '../../../../contract/errors.ts'
import type { Group } from '../../../../contract/groups.ts'
import { bucketActions } from '../../../../contract/permissions.ts'
import { describeGroup, describeGroups } from '../../../access/groups/describe.ts'
import {
  actionsOf,
  assertCanBePublic,
  createGroup,
  deleteGroup,
  nameKey,
  updateGroup,
} from '../../../access/groups/service.ts'
import { findGroupByName, listGroups } from '../../../access/groups/store.ts'
import type { Ctx } from '../../../context.ts'
import { counted, type EntryOf, type Existing, faultsOf, type Kind, sorted } from '../kind.ts'

type Entry = EntryOf<'groups'>
type Grant = NonNullable<Entry['grants']>[number]

const PAGE = 500

export const groups: Kind<Entry> = {
  kind: 'groups',
  named: 'name',
  sameName: nameKey,
  secrets: [],
  fixed: {},
  defaults: { description: '', global: [], grants: [] },
  normal: ({ global, grants, ...entry }) => ({
    ...entry,
    ...(global && { global: sorted(global) }),
    ...(grants && { grants: sorted(grants.map(normalGrant)) }),
  }),
  async check(ctx, { name, grants = [], global }): Promise<Fault[]> {
    const faults = (await Promise.all(grants.map((grant, i) => faultsOf(() => actionsOf(grant, i))))).flat()
    if (faults.length > 0 || (await findGroupByName(ctx.db, nameKey(name)))?.builtin !== 'public') return faults
    return global?.length
      ? [{ path: 'body.global', message: 'cannot be given to everyone' }]
      : faultsOf(() => assertCanBePublic({ grants }))
  },
  async find(ctx, name) {
    const row = await findGroupByName(ctx.db, nameKey(name))
    return row && existing(ctx, await describeGroup(ctx.db, row))
  },
  async *list(ctx) {
    for (let after = ''; ; ) {
      const rows = await listGroups(ctx.db, after, PAGE)
      for (const group of await describeGroups(ctx.db, rows)) yield existing(ctx, group)
      after = rows.at(-1)?.name_key ?? after
      if (rows.length < PAGE) return
    }
  },
  create: createGroup,
}

/** A grant with its actions, in their order. */
function normalGrant(grant: Grant, i: number): Grant {
  const { bucket_pattern, prefix = '' } = grant
  const actions = actionsOf(grant, i)
  return { bucket_pattern, prefix, actions: bucketActions.filter((action) => actions.includes(action)) }
}

const existing = (
  ctx: Ctx,
  { id, name, description, builtin, global, grants, member_count }: Group,
): Existing<Entry> => ({
  name,
  fields: {
    ...{ name, description, global: sorted(global) },
    grants: sorted(
      grants.map(({ bucket_pattern, prefix, actions }, i) => normalGrant({ bucket_pattern, prefix, actions }, i)),
    ),
  },
  effects: (change) =>
    (change.grants || change.global) && member_count > 0
      ? [`It applies to the next request of its ${counted(member_count, 'member')}.`]
      : [],
  update: (change) => updateGroup(ctx, id, change),
  removal: async () =>
    builtin
      ? undefined
      : {
          effects: member_count > 0 ? [`Its ${counted(member_count, 'member')} lose what it grants.`] : [],
          remove: () => deleteGroup(ctx, id, true),
        },
})
