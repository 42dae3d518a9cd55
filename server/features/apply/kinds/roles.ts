// Roles in configurations: who may take one on, and what it may.
import type { Fault } from '../../../../contract/errors.ts'
import {
  changeRoleStep,
  createRole,
  deleteRoleWhole,
  findRole,
  listRoles,
  type Role,
  type Tag,
  describe as toRole,
} from '../../../access/roles/service.ts'
import { itemsOf } from '../../../base/cursor.ts'
import type { Ctx } from '../../../context.ts'
import { type EntryOf, type Existing, type Kind, required } from '../kind.ts'
import { effectsOfDocument, faultsOfDocument, policyText } from './documents.ts'
import { effectsOfOwned, faultsOfOwned, hasOwned, NONE, normalOwned, ownedOf, setOwnedStep } from './owned-policies.ts'

type Entry = EntryOf<'roles'>

const PAGE = 500
const USUAL_SECONDS = 3600
const ROLE = { of: 'role' } as const

export const roles: Kind<Entry> = {
  kind: 'roles',
  named: 'name',
  sameName: (name) => name.toLowerCase(),
  fixed: { path: 'cannot be changed: create another role, and delete this one' },
  defaults: { path: '/', description: '', max_session_seconds: USUAL_SECONDS, tags: {}, ...NONE },
  normal: ({ attached_policies, inline_policies, ...entry }) => ({
    ...entry,
    ...normalOwned({ attached_policies, inline_policies }),
  }),
  async check(ctx, entry, { before, references }): Promise<Fault[]> {
    const { trust } = entry
    return [
      ...(before ? [] : required(entry, 'trust')),
      ...(trust ? await faultsOfDocument(ctx, policyText(trust), { ...ROLE, at: 'body.trust', references }) : []),
      ...(await faultsOfOwned(ctx, entry, references)),
    ]
  },
  async find(ctx, name) {
    const row = await findRole(ctx, name)
    return row && existing(ctx, toRole(row))
  },
  async *list(ctx) {
    const page = async (after?: string) => {
      const { items, next } = await listRoles(ctx, { path: '/', after, limit: PAGE })
      return { items, next_cursor: next }
    }
    for await (const role of itemsOf(page)) yield existing(ctx, role)
  },
  async create(ctx, { name, path = '/', description = '', trust = {}, tags = {}, ...entry }) {
    const { max_session_seconds = USUAL_SECONDS, ...owned } = entry
    const role = { name, path, description, trust: policyText(trust), tags: tagsOf(tags), max_session_seconds }
    return createRole(ctx, role, (step, id) => setOwnedStep(ctx, step, { kind: 'role', id, name }, owned))
  },
  effects: async (ctx, { trust = {}, ...entry }) => [
    ...(await effectsOfDocument(ctx, policyText(trust), ROLE)),
    ...(await effectsOfOwned(ctx, entry)),
  ],
}

const tagsOf = (tags: { [key: string]: string }): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

async function existing(ctx: Ctx, role: Role): Promise<Existing<Entry>> {
  const { id, name, path, description, trust, tags, max_session_seconds } = role
  const owner = { kind: 'role', id, name } as const
  const owned = await ownedOf(ctx.db, owner)
  return {
    name,
    fields: {
      name,
      path,
      description,
      trust: JSON.parse(trust),
      max_session_seconds,
      tags: Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])),
      ...owned.fields,
    },
    written: owned.written,
    effects: async (change) => [
      ...(change.trust ? await effectsOfDocument(ctx, policyText(change.trust), ROLE) : []),
      ...(await effectsOfOwned(ctx, change, owned.fields)),
    ],
    update: ({ attached_policies, inline_policies, trust: wanted, tags: labels, ...change }) =>
      ctx.act(async (step) => {
        const ofRole = {
          ...change,
          ...(wanted && { trust: policyText(wanted) }),
          ...(labels && { tags: tagsOf(labels) }),
        }
        if (Object.keys(ofRole).length > 0) await changeRoleStep(step, name, ofRole)
        const policies = { attached_policies, inline_policies }
        if (hasOwned(policies)) await setOwnedStep(ctx, step, owner, policies)
      }),
    removal: async () => ({
      effects: ['Its sessions end.'],
      remove: () => deleteRoleWhole(ctx, name),
    }),
  }
}
