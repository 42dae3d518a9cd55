import type { Fault } from '../../../../contract/errors.ts'
import type { User } from '../../../../contract/users.ts'
import { NO_MEMBERS } from '../../../access/groups/members.ts'
import { nameKey } from '../../../access/groups/service.ts'
import { findGroupByName } from '../../../access/groups/store.ts'
import { settingsInForce } from '../../../access/settings/effective.ts'
import { mailServerOf } from '../../../access/settings/mail.ts'
import { assertFirstLogin, createUser } from '../../../access/users/create.ts'
import { getUser, listUsers } from '../../../access/users/describe.ts'
import { deleteUser, emailKey } from '../../../access/users/service.ts'
import { findByEmailKey } from '../../../access/users/store.ts'
import { updateUser } from '../../../access/users/update.ts'
import { itemsOf } from '../../../base/cursor.ts'
import type { Ctx, Step } from '../../../context.ts'
import { userNameOf } from '../../../iam/names.ts'
import { type EntryOf, type Existing, faultsOf, type Kind, sorted, unknownName } from '../kind.ts'
import { effectsOfOwned, faultsOfOwned, hasOwned, NONE, normalOwned, ownedOf, setOwnedStep } from './owned-policies.ts'

type Entry = EntryOf<'users'>

const PAGE = 500

export const users: Kind<Entry> = {
  kind: 'users',
  named: 'email',
  sameName: emailKey,
  fixed: {},
  onlyNew: ['must_change_password', 'invite'],
  defaults: { is_active: true, idp_subject: null, groups: [], ...NONE },
  normal: ({ groups, attached_policies, inline_policies, ...entry }) => ({
    ...entry,
    ...(groups && { groups: sorted(groups.map(nameKey)) }),
    ...normalOwned({ attached_policies, inline_policies }),
  }),
  async check(ctx, { groups = [], attached_policies, inline_policies, ...entry }, { references }): Promise<Fault[]> {
    const faults = await faultsOf(() => assertFirstLogin(entry))
    if (entry.invite && entry.is_active === false)
      faults.push({ path: 'body.invite', message: 'cannot be combined with is_active: false' })
    for (const [i, name] of groups.entries())
      if (!(await references.has('groups', name))) faults.push(unknownName(`groups.${i}`, 'group', name))
      else if ((await findGroupByName(ctx.db, nameKey(name)))?.builtin === 'public')
        faults.push({ path: `body.groups.${i}`, message: NO_MEMBERS })
    return [...faults, ...(await faultsOfOwned(ctx, { attached_policies, inline_policies }, references))]
  },
  async find(ctx, email) {
    const row = await findByEmailKey(ctx.db, emailKey(email))
    return row && existing(ctx, await getUser(ctx.db, row.id))
  },
  async *list(ctx) {
    for await (const user of itemsOf((cursor) => listUsers(ctx.db, {}, PAGE, cursor))) yield await existing(ctx, user)
  },
  async create(ctx, { groups, attached_policies, inline_policies, ...entry }) {
    const display_name = entry.display_name ?? entry.email
    const policies = { attached_policies, inline_policies }
    return createUser(
      ctx,
      { ...entry, display_name, group_ids: await idsOf(ctx, groups ?? []) },
      hasOwned(policies) ? (step, row) => setOwnedStep(ctx, step, ownerOf(row), policies) : undefined,
    )
  },
  effects: async (ctx, entry) => [...(await effectsOfLogin(ctx, entry)), ...(await effectsOfOwned(ctx, entry))],
}

const ownerOf = ({ id, email }: { id: string; email: string }) => ({
  kind: 'user' as const,
  id,
  name: userNameOf(email),
})

async function effectsOfLogin(
  ctx: Ctx,
  { password, must_change_password, invite, idp_subject }: Partial<Entry>,
): Promise<string[]> {
  if (invite) {
    const isSent = mailServerOf(await settingsInForce(ctx)) !== null
    return [`They get a link with which they choose a password${isSent ? ', by mail' : ': it is shown, once'}.`]
  }
  if (password === undefined && !idp_subject)
    return ['They cannot log in before they have a password, or an identity at the provider.']
  return must_change_password ? ['They choose another password when they first log in.'] : []
}

/** The ids of groups by their names, as they are now. */
async function idsOf(ctx: Ctx, names: readonly string[]): Promise<string[]> {
  const rows = await Promise.all(names.map((name) => findGroupByName(ctx.db, nameKey(name))))
  // One that is gone by now is refused as an id that does not exist.
  return rows.map((row) => row?.id ?? '')
}

async function existing(ctx: Ctx, user: User): Promise<Existing<Entry>> {
  const owned = await ownedOf(ctx.db, ownerOf(user))
  return {
    name: user.email,
    fields: {
      email: user.email,
      display_name: user.display_name,
      is_active: user.is_active,
      idp_subject: user.idp_subject,
      groups: sorted(user.groups.map(({ name }) => nameKey(name))),
      ...owned.fields,
    },
    written: { groups: sorted(user.groups.map(({ name }) => name)), ...owned.written },
    effects: async ({ is_active, idp_subject, ...change }) => [
      ...(is_active === false
        ? ['Their sessions end, and their tokens and access keys do not work while they are disabled.']
        : idp_subject !== undefined
          ? ['Their sessions end.']
          : []),
      ...(await effectsOfOwned(ctx, change, owned.fields)),
    ],
    async update({ groups, attached_policies, inline_policies, ...change }) {
      const policies = { attached_policies, inline_policies }
      const setPolicies = (step: Step) => setOwnedStep(ctx, step, ownerOf(user), policies)
      const ofRow = { ...change, ...(groups && { group_ids: await idsOf(ctx, groups) }) }
      if (Object.keys(ofRow).length === 0) return ctx.act(setPolicies)
      return updateUser(ctx, user.id, ofRow, hasOwned(policies) ? setPolicies : undefined)
    },
    removal: async () =>
      user.id === ctx.actor.user_id
        ? { kept: 'It is your own account.' }
        : {
            effects: ['Their sessions, tokens, access keys and links end. Their objects stay.'],
            remove: () => deleteUser(ctx, user.id),
          },
  }
}
