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
import type { Ctx } from '../../../context.ts'
import { type EntryOf, type Existing, faultsOf, type Kind, sorted, unknownName } from '../kind.ts'

type Entry = EntryOf<'users'>

const PAGE = 500

export const users: Kind<Entry> = {
  kind: 'users',
  named: 'email',
  sameName: emailKey,
  fixed: {},
  onlyNew: ['must_change_password', 'invite'],
  defaults: { is_active: true, idp_subject: null, groups: [] },
  normal: ({ groups, ...entry }) => ({ ...entry, ...(groups && { groups: sorted(groups.map(nameKey)) }) }),
  async check(ctx, { groups = [], ...entry }, { references }): Promise<Fault[]> {
    const faults = await faultsOf(() => assertFirstLogin(entry))
    if (entry.invite && entry.is_active === false)
      faults.push({ path: 'body.invite', message: 'cannot be combined with is_active: false' })
    for (const [i, name] of groups.entries())
      if (!(await references.has('groups', name))) faults.push(unknownName(`groups.${i}`, 'group', name))
      else if ((await findGroupByName(ctx.db, nameKey(name)))?.builtin === 'public')
        faults.push({ path: `body.groups.${i}`, message: NO_MEMBERS })
    return faults
  },
  async find(ctx, email) {
    const row = await findByEmailKey(ctx.db, emailKey(email))
    return row && existing(ctx, await getUser(ctx.db, row.id))
  },
  async *list(ctx) {
    for await (const user of itemsOf((cursor) => listUsers(ctx.db, {}, PAGE, cursor))) yield existing(ctx, user)
  },
  async create(ctx, { groups, ...entry }) {
    const display_name = entry.display_name ?? entry.email
    return createUser(ctx, { ...entry, display_name, group_ids: await idsOf(ctx, groups ?? []) })
  },
  async effects(ctx, { password, must_change_password, invite, idp_subject }) {
    if (invite) {
      const isSent = mailServerOf(await settingsInForce(ctx)) !== null
      return [`They get a link with which they choose a password${isSent ? ', by mail' : ': it is shown, once'}.`]
    }
    if (password === undefined && !idp_subject)
      return ['They cannot log in before they have a password, or an identity at the provider.']
    return must_change_password ? ['They choose another password when they first log in.'] : []
  },
}

/** The ids of groups by their names, as they are now. */
async function idsOf(ctx: Ctx, names: readonly string[]): Promise<string[]> {
  const rows = await Promise.all(names.map((name) => findGroupByName(ctx.db, nameKey(name))))
  // One that is gone by now is refused as an id that does not exist.
  return rows.map((row) => row?.id ?? '')
}

const existing = (ctx: Ctx, user: User): Existing<Entry> => ({
  name: user.email,
  fields: {
    email: user.email,
    display_name: user.display_name,
    is_active: user.is_active,
    idp_subject: user.idp_subject,
    groups: sorted(user.groups.map(({ name }) => nameKey(name))),
  },
  written: { groups: sorted(user.groups.map(({ name }) => name)) },
  effects: ({ is_active, idp_subject }) =>
    is_active === false
      ? ['Their sessions end, and their tokens and access keys do not work while they are disabled.']
      : idp_subject !== undefined
        ? ['Their sessions end.']
        : [],
  update: async ({ groups, ...change }) =>
    updateUser(ctx, user.id, { ...change, ...(groups && { group_ids: await idsOf(ctx, groups) }) }),
  removal: async () =>
    user.id === ctx.actor.user_id
      ? { kept: 'It is your own account.' }
      : {
          effects: ['Their sessions, tokens, access keys and links end. Their objects stay.'],
          remove: () => deleteUser(ctx, user.id),
        },
})
