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
import type { Ctx, Step } from '../../../context.ts'
import { type EntryOf, type Existing, faultsOf, inOrder, type Kind, sorted } from '../kind.ts'
import { effectsOfOwned, faultsOfOwned, hasOwned, NONE, normalOwned, ownedOf, setOwnedStep } from './owned-policies.ts'

type Entry = EntryOf<'groups'>
type Grant = NonNullable<Entry['grants']>[number]

const PAGE = 500

export const groups: Kind<Entry> = {
  kind: 'groups',
  named: 'name',
  sameName: nameKey,
  fixed: {},
  defaults: { description: '', global: [], grants: [], ...NONE },
  normal: ({ global, grants, attached_policies, inline_policies, ...entry }) => ({
    ...entry,
    ...(global && { global: sorted(global) }),
    ...(grants && { grants: sorted(grants.map(normalGrant)) }),
    ...normalOwned({ attached_policies, inline_policies }),
  }),
  check: async (ctx, { grants = [], ...entry }, { references }) => [
    ...(await Promise.all(grants.map((grant, i) => faultsOf(() => actionsOf(grant, i))))).flat(),
    ...(await faultsOfOwned(ctx, entry, references)),
  ],
  async find(ctx, name) {
    const row = await findGroupByName(ctx.db, nameKey(name))
    return row && existing(ctx, await describeGroup(ctx.db, row))
  },
  async *list(ctx) {
    for await (const group of itemsOf((cursor) => listGroups(ctx.db, PAGE, cursor))) yield await existing(ctx, group)
  },
  create: (ctx, { attached_policies, inline_policies, ...entry }) => {
    const policies = { attached_policies, inline_policies }
    return createGroup(
      ctx,
      entry,
      hasOwned(policies)
        ? (step, { id, name }) => setOwnedStep(ctx, step, { kind: 'group', id, name }, policies)
        : undefined,
    )
  },
  effects: (ctx, entry) => effectsOfOwned(ctx, entry),
}

/** A grant with its actions, in their order. */
function normalGrant(grant: Grant, i: number): Grant {
  const { bucket_pattern, prefix = '' } = grant
  return { bucket_pattern, prefix, actions: inOrder(actionsOf(grant, i)) }
}

async function existing(
  ctx: Ctx,
  { id, name, description, builtin, public: isPublic, global, grants, member_count }: Group,
): Promise<Existing<Entry>> {
  const owner = { kind: 'group', id, name } as const
  const owned = await ownedOf(ctx.db, owner)
  return {
    name,
    fields: {
      name,
      description,
      global: sorted(global),
      grants: sorted(
        grants.map(({ bucket_pattern, prefix, actions }) => ({ bucket_pattern, prefix, actions: inOrder(actions) })),
      ),
      ...owned.fields,
    },
    written: owned.written,
    async check({ global: wanted, grants: given = [], attached_policies, inline_policies }): Promise<Fault[]> {
      if (!isPublic) return []
      if (attached_policies?.length || Object.keys(inline_policies ?? {}).length > 0)
        return [{ path: 'body.attached_policies', message: 'cannot be for everyone: buckets have policies for them' }]
      return wanted?.length
        ? [{ path: 'body.global', message: 'cannot be given to everyone' }]
        : faultsOf(() => assertCanBePublic({ grants: given }))
    },
    effects: async (change) => [
      ...((change.grants || change.global || hasOwned(change)) && member_count > 0
        ? [`It applies to the next request of its ${counted(member_count, 'member')}.`]
        : []),
      ...(await effectsOfOwned(ctx, change, owned.fields)),
    ],
    update({ attached_policies, inline_policies, ...change }) {
      const policies = { attached_policies, inline_policies }
      const setPolicies = (step: Step) => setOwnedStep(ctx, step, owner, policies)
      if (Object.keys(change).length === 0) return ctx.act(setPolicies)
      return updateGroup(ctx, id, change, hasOwned(policies) ? setPolicies : undefined)
    },
    removal: async () =>
      builtin
        ? undefined
        : {
            effects: member_count > 0 ? [`Its ${counted(member_count, 'member')} lose what it grants.`] : [],
            remove: () => deleteGroup(ctx, id, true),
          },
  }
}
