// Policies that can be attached to users, groups and roles, in configurations.
import { countAttachments } from '../../../access/identity-policies/attached.ts'
import {
  createPolicy,
  createVersion,
  deletePolicy,
  findByName,
  getVersion,
  listCreated,
  type ManagedPolicy,
  MOST_POLICIES,
} from '../../../access/identity-policies/managed.ts'
import type { Ctx } from '../../../context.ts'
import { type EntryOf, type Existing, type Kind, required } from '../kind.ts'
import { effectsOfDocument, faultsOfDocument, policyText } from './documents.ts'

type Entry = EntryOf<'identity_policies'>

const IDENTITY = { of: 'identity' } as const

export const identityPolicies: Kind<Entry> = {
  kind: 'identity_policies',
  named: 'name',
  sameName: (name) => name.toLowerCase(),
  fixed: {
    path: 'cannot be changed: create another policy, and delete this one',
    description: 'cannot be changed: create another policy, and delete this one',
  },
  defaults: { path: '/', description: '' },
  normal: (entry) => entry,
  check: async (ctx, entry, { before }) => [
    ...(before ? [] : required(entry, 'document')),
    ...(entry.document
      ? await faultsOfDocument(ctx, policyText(entry.document), { ...IDENTITY, at: 'body.document' })
      : []),
  ],
  async find(ctx, name) {
    const policy = await findByName(ctx.db, name)
    return policy && existing(ctx, policy)
  },
  async *list(ctx) {
    for (const policy of await listCreated(ctx.db, '/', '', MOST_POLICIES)) yield existing(ctx, policy)
  },
  create: (ctx, { name, path = '/', description = '', document = {} }) =>
    createPolicy(ctx, { name, path, description, document: policyText(document) }),
  effects: (ctx, { document = {} }) => effectsOfDocument(ctx, policyText(document), IDENTITY),
}

async function existing(ctx: Ctx, policy: ManagedPolicy): Promise<Existing<Entry>> {
  const { key, arn, name, path, description } = policy
  const { document } = await getVersion(ctx.db, policy, policy.version)
  const attachments = (await countAttachments(ctx.db, [key])).get(key) ?? 0
  const attached = `It is attached to ${attachments} users, groups or roles`
  return {
    name,
    fields: { name, path, description, document: JSON.parse(document) },
    effects: async ({ document: wanted = {} }) => [
      ...(await effectsOfDocument(ctx, policyText(wanted), IDENTITY)),
      ...(attachments > 0 ? [`${attached}: it counts from their next request on.`] : []),
    ],
    update: ({ document: wanted = {} }) =>
      createVersion(ctx, arn, { document: policyText(wanted), isDefault: true, dropOldest: true }),
    removal: async () =>
      attachments > 0 ? { kept: `${attached}.` } : { effects: [], remove: () => deletePolicy(ctx, arn, true) },
  }
}
