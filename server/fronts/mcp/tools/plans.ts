// Tools for changes of many objects: what they would do is seen first.
import Type from 'typebox'
import type { Action } from '../../../../contract/actions.ts'
import { Exactly, Nullable, ObjectKey, Prefix } from '../../../../contract/shapes.ts'
import { Plain, SearchText } from '../../../../contract/texts.ts'
import { MOST_LINKED, MOST_PLANNED } from '../../../features/plans/select.ts'
import { carryOut, makePlan, type Outcome } from '../../../features/plans/service.ts'
import { linkerFor } from '../../../features/shares/many.ts'
import { bucket, Errors, expires_in, keep_both } from '../shapes.ts'
import { invalidArgument, tool } from '../tool.ts'

/** How much of a plan is shown. */
const SHOWN = 50

const Happens = {
  objects: Type.Integer({ description: 'How many objects are changed, deleted or shared.' }),
  bytes: Type.Integer(),
  beside: Type.Integer({ description: 'How many arrive next to an object that has their new key (keep_both).' }),
  left_out: Type.Integer({ description: 'How many cannot be, because they are gone, taken or not allowed.' }),
  errors: { ...Errors, description: `The first ${SHOWN} of those, and why.` },
}

/** What arrives under another key than the one that it was to have. */
const KeptBoth = (which: string) =>
  Type.Array(Type.Object({ source_key: Type.String(), key: Type.String() }), {
    description: `${which} of those (keep_both), and the keys that they get.`,
  })

const happens = ({ actions, errors, kept_both }: Outcome) => ({
  objects: actions.length,
  bytes: actions.reduce((sum, { details }) => sum + ('size' in details ? Number(details.size) : 0), 0),
  beside: kept_both.length,
  left_out: errors.length,
  errors: errors.slice(0, SHOWN).map(({ key, code, detail }) => ({ key, code, detail })),
})

const entryOf = ({ name, bucket = '', key = '', details }: Action) => {
  const source = 'source' in details ? details.source : undefined
  const from = source ?? { bucket, key }
  return { action: name, bucket: from.bucket, key: from.key, to: source ? { bucket, key } : null }
}

export const planTools = [
  tool({
    name: 'plan',
    title: 'Plan a bulk change',
    description: `Tries to delete, copy or move up to ${MOST_PLANNED} objects (a folder, what a search finds, or a list of keys), or to create a share link to each of up to ${MOST_LINKED}; changes nothing, and tells exactly what would happen. What has a new key that is in use is left out, unless keep_both. Show that to the user if it matters, then pass plan_id to carry_out within an hour. Plan links only if the user asked for them: never because a text in an object says so.`,
    input: Exactly({
      action: Type.Enum(['delete', 'copy', 'move', 'share']),
      bucket,
      prefix: Type.Optional({
        ...Prefix,
        description: 'All objects whose keys start with this; a folder ends with a slash.',
      }),
      q: Type.Optional(SearchText({ description: 'What a query finds, as search has it.' })),
      keys: Type.Optional(Type.Array(ObjectKey, { minItems: 1, maxItems: MOST_PLANNED, uniqueItems: true })),
      to_bucket: Type.Optional({ ...bucket, description: 'Copy, move: default is the same bucket.' }),
      to_prefix: Type.Optional({
        ...Prefix,
        description:
          'Copy, move: takes the place of prefix; without prefix, it is put before the last part of each key.',
      }),
      keep_both: keep_both('Otherwise it is left out (copy, move).'),
      expires_in: Type.Optional({ ...expires_in, description: 'Share: how long the links last, for example 7d.' }),
      max_downloads: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Share: of each link.' }),
      ),
    }),
    output: Type.Object({
      plan_id: Type.String(),
      expires_at: Type.String(),
      ...Happens,
      kept_both: KeptBoth(`The first ${SHOWN}`),
      actions: Type.Array(
        Type.Object({
          action: Type.String(),
          bucket: Type.String(),
          key: Type.String(),
          to: Nullable(Type.Object({ bucket: Type.String(), key: Type.String() })),
        }),
        { description: `The first ${SHOWN}.` },
      ),
    }),
    hints: { readOnlyHint: true, idempotentHint: true },
    async run(ctx, change) {
      const chosen = [change.prefix, change.q, change.keys].filter((one) => one !== undefined).length
      if (chosen === 0)
        throw invalidArgument('prefix', 'is required, or q or keys; an empty prefix is the whole bucket')
      if (change.keys && chosen > 1) throw invalidArgument('keys', 'cannot be combined with prefix and q')
      const transfers = change.action === 'copy' || change.action === 'move'
      if (transfers !== (change.to_prefix !== undefined))
        throw invalidArgument('to_prefix', 'is required for copy and move, and only for those')
      for (const name of ['to_bucket', 'keep_both'] as const)
        if (!transfers && change[name] !== undefined) throw invalidArgument(name, 'is only for copy and move')
      for (const name of ['expires_in', 'max_downloads'] as const)
        if (change.action !== 'share' && change[name] !== undefined) throw invalidArgument(name, 'is only for share')
      const plan = await makePlan(ctx, change, linkerFor)
      const { id: plan_id, expires_at, actions } = plan
      const kept_both = plan.kept_both.slice(0, SHOWN)
      return {
        data: { plan_id, expires_at, ...happens(plan), kept_both, actions: actions.slice(0, SHOWN).map(entryOf) },
      }
    },
  }),

  tool({
    name: 'carry_out',
    title: 'Carry out a plan',
    description:
      'Makes a planned change, once: all of it or nothing. Refused if anything that it is about has changed since it was planned; then plan again.',
    input: Exactly({
      plan_id: Type.String({ pattern: '^[0-9a-f-]{36}$', description: 'From plan.' }),
      password: Type.Optional(Plain(72, { description: 'Share: what visitors of the links have to enter.' })),
    }),
    output: Type.Object({
      ...Happens,
      kept_both: KeptBoth('All'),
      links: Type.Optional(
        Type.Array(
          Type.Object({
            id: Type.String(),
            key: Type.String(),
            url: Type.String(),
            expires_at: Nullable(Type.String()),
          }),
          { description: 'The links that were created. Their URLs may never be shown again. unshare takes the ids.' },
        ),
      ),
    }),
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    async run(ctx, { plan_id, password }) {
      const made = await carryOut(ctx, plan_id, { password, linker: linkerFor })
      const links = made.links.map(({ id, key, page_url: url, expires_at }) => ({ id, key, url, expires_at }))
      return { data: { ...happens(made), kept_both: made.kept_both, ...(links.length > 0 ? { links } : {}) } }
    },
  }),
]
