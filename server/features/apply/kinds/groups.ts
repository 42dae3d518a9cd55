import type { Fault } from '../../../../contract/errors.ts'
import type { Group } from '../../../../contract/groups.ts'
import { describeGroup } from '../../../access/groups/describe.ts'
import {
  actionsOf,
  assertCanBePublic,
  createGroup,
  deleteGroup,
  listGroups,
  nameKey,
  updateGroup,
} from '../../../access/groups/service.ts'
import { findGroupByName } from '../../../access/groups/store.ts'
import { counted } from '../../../base/count-words.ts'
import { itemsOf } from '../../../base/cursor.ts'
import type { Ctx } from '../../../context.ts'
import { type EntryOf, type Existing, faultsOf, inOrder, type Kind, sorted } from '../kind.ts'

type Entry = EntryOf<'groups'>
type Grant = NonNullable<Entry['grants']>[number]

const PAGE = 500

export const groups: Kind<Entry> = {
  kind: 'groups',
  named: 'name',
  sameName: nameKey,
  fixed: {},
  defaults: { description: '', global: [], grants: [] },
  normal: ({ global, grants, ...entry }) => ({
    ...entry,
    ...(global && { global: sorted(global) }),
    ...(grants && { grants: sorted(grants.map(normalGrant)) }),
  }),
  check: async (_ctx, { grants = [] }) =>
    (await Promise.all(grants.map((grant, i) => faultsOf(() => actionsOf(grant, i))))).flat(),
  async find(ctx, name) {
    const row = await findGroupByName(ctx.db, nameKey(name))
    return row && existing(ctx, await describeGroup(ctx.db, row))
  },
  async *list(ctx) {
    for await (const group of itemsOf((cursor) => listGroups(ctx.db, PAGE, cursor))) yield existing(ctx, group)
  },
  create: createGroup,
}

/** A grant with its actions, in their order. */
function normalGrant(grant: Grant, i: number): Grant {
  const { bucket_pattern, prefix = '' } = grant
  return { bucket_pattern, prefix, actions: inOrder(actionsOf(grant, i)) }
}

const existing = (
  ctx: Ctx,
  { id, name, description, builtin, public: isPublic, global, grants, member_count }: Group,
): Existing<Entry> => ({
  name,
  fields: {
    name,
    description,
    global: sorted(global),
    grants: sorted(
      grants.map(({ bucket_pattern, prefix, actions }) => ({ bucket_pattern, prefix, actions: inOrder(actions) })),
    ),
  },
  async check({ global: wanted, grants: given = [] }): Promise<Fault[]> {
    if (!isPublic) return []
    return wanted?.length
      ? [{ path: 'body.global', message: 'cannot be given to everyone' }]
      : faultsOf(() => assertCanBePublic({ grants: given }))
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
