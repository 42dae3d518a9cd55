import { CorsRule as Shape } from '../../../../contract/bucket-rules.ts'
import type { Bucket } from '../../../../contract/buckets.ts'
import type { Fault } from '../../../../contract/errors.ts'
import { MOST_ONE_WILDCARD } from '../../../../contract/patterns.ts'
import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import { counted } from '../../../base/count-words.ts'
import { itemsOf } from '../../../base/cursor.ts'
import { allow, type Ctx, type Step } from '../../../context.ts'
import { assertKeyKnown } from '../../../encryption/default.ts'
import { isLegal } from '../../../http/validation.ts'
import { attachBucket } from '../../../storage/attached/attach.ts'
import { prepareBucket } from '../../../storage/buckets/create.ts'
import { describeAll } from '../../../storage/buckets/describe.ts'
import { bucketPolicyStep } from '../../../storage/buckets/documents/bucket-policy.ts'
import { configureStep, findConfig } from '../../../storage/buckets/documents/config.ts'
import type { CorsRule } from '../../../storage/buckets/documents/cors.ts'
import { isNarrow, type LifecycleRule } from '../../../storage/buckets/documents/lifecycle.ts'
import { allBlocked, isBlocked } from '../../../storage/buckets/documents/public-access.ts'
import { encryptionColumn } from '../../../storage/buckets/encryption.ts'
import { deleteBucket, listBuckets } from '../../../storage/buckets/service.ts'
import { findBucket, hasAny } from '../../../storage/buckets/store.ts'
import { updateStep } from '../../../storage/buckets/update.ts'
import { completeVersioning } from '../../../storage/buckets/versioning.ts'
import { completeLock } from '../../../storage/locks/lock.ts'
import { asPrefix } from '../../../storage/storages/place.ts'
import { lifecycleStep } from '../../policies/lifecycle.ts'
import { type EntryOf, type Existing, faultsOf, type Kind, unknownName } from '../kind.ts'
import { effectsOf } from './bucket-effects.ts'
import { effectsOfPolicy, faultsOfPolicy, newPolicy, policyOf } from './bucket-policy.ts'

type Entry = EntryOf<'buckets'>
type Rule = NonNullable<Entry['lifecycle']>[number]

const PAGE = 500
/** What only buckets have whose objects are our own. */
const OF_OWNED = [
  'quota_gb',
  'history_quota_gb',
  'quota_includes_history',
  'trash_days',
  'versioning',
  'object_lock',
  'encryption',
  'lifecycle',
] as const

export const buckets: Kind<Entry> = {
  kind: 'buckets',
  named: 'name',
  sameName: (name) => name,
  fixed: {
    storage: 'cannot be changed: have the bucket moved to the other storage',
    mode: 'cannot be changed: attach, take over or release the bucket',
    prefix: 'cannot be changed: release the bucket, and attach it again',
  },
  defaults: {
    storage: DEFAULT_STORAGE,
    mode: 'owned',
    public_access_blocked: false,
    object_lock: undefined,
    history_quota_gb: null,
    quota_includes_history: false,
    cors: null,
    lifecycle: null,
    website: null,
    policy: null,
  },
  normal: ({ prefix, object_lock, lifecycle, ...entry }) => ({
    ...entry,
    ...(prefix !== undefined && { prefix: asPrefix(prefix) }),
    ...(object_lock && { object_lock: completeLock(object_lock) }),
    ...(lifecycle !== undefined && { lifecycle: lifecycle?.map(normalRule) ?? null }),
  }),
  async check(ctx, entry, { before, references }): Promise<Fault[]> {
    const { storage = DEFAULT_STORAGE, lifecycle, cors } = entry
    const mode = before ? before.fields.mode : (entry.mode ?? 'owned')
    const known = storage === DEFAULT_STORAGE || (await references.has('storages', storage))
    return [
      ...(known ? [] : [unknownName('storage', 'storage', storage)]),
      ...(mode === 'read_only' ? faultsOfAttached(entry) : []),
      ...(mode === 'owned' && entry.prefix !== undefined
        ? [{ path: 'body.prefix', message: 'is only allowed for a bucket that is attached' }]
        : []),
      ...(await faultsOf(() => completeLock(entry.object_lock ?? {}))),
      ...(await faultsOf(() => encryptionColumn(entry.encryption ?? null))),
      ...(await faultsOf(() => assertKeyKnown(ctx.db, entry.encryption))),
      ...(before ? [] : await faultsOf(() => completeVersioning(entry))),
      ...(lifecycle ?? []).flatMap(faultsOfRule),
      ...sameIds('lifecycle', lifecycle ?? []),
      ...sameIds('cors', cors ?? []),
      ...faultsOfWebsite(entry.website),
      ...(await faultsOfPolicy(ctx, entry, references)),
    ]
  },
  async find(ctx, name) {
    const row = await findBucket(ctx.db, name)
    const [bucket] = row ? await describeAll(ctx, [row]) : []
    return bucket && existing(ctx, bucket)
  },
  async *list(ctx) {
    for await (const bucket of itemsOf((cursor) => listBuckets(ctx, PAGE, cursor))) yield existing(ctx, bucket)
  },
  async create(ctx, { mode, cors, website, lifecycle, policy, public_access_blocked, prefix, ...given }) {
    if (mode === 'read_only') {
      await attachBucket(ctx, { ...given, ...(prefix === undefined ? {} : { prefix }) })
      if (!cors && !website && !policy && !public_access_blocked) return
      return ctx.act((step) => configure(step, given.name, { cors, website, policy, public_access_blocked }))
    }
    const create = await prepareBucket(ctx, given, {
      ...(cors && { cors }),
      ...(website && { website }),
      ...(public_access_blocked && { public_access_block: allBlocked }),
    })
    return ctx.act(async (step) => {
      await create(step)
      if (policy) await configure(step, given.name, { policy })
      if (lifecycle) await lifecycleStep(step, given.name, lifecycle.map(toRule))
    })
  },
  effects: async (ctx, entry) => [
    ...(entry.mode === 'read_only' ? ['A scan starts, which finds its objects. Nothing is written there.'] : []),
    ...effectsOf(entry, undefined),
    ...(entry.policy ? await effectsOfPolicy(ctx, entry) : []),
  ],
}

const faultsOfAttached = (entry: Entry): Fault[] =>
  OF_OWNED.filter((field) => entry[field] !== undefined && entry[field] !== null).map((field) => ({
    path: `body.${field}`,
    message: 'is not possible for a bucket whose objects others keep',
  }))

function faultsOfRule({ filter = {}, expiration, noncurrent, abort_days }: Rule, i: number): Fault[] {
  const at = `body.lifecycle.${i}`
  if (!expiration && !noncurrent && abort_days === undefined)
    return [{ path: at, message: 'needs expiration, noncurrent or abort_days' }]
  if (!isNarrow(filter)) return []
  const message = 'is not possible with tags or sizes'
  return [
    ...(abort_days === undefined ? [] : [{ path: `${at}.abort_days`, message }]),
    ...(expiration && 'expired_delete_marker' in expiration ? [{ path: `${at}.expiration`, message }] : []),
  ]
}

const faultsOfWebsite = (website: Entry['website']): Fault[] =>
  (website && 'rules' in website ? (website.rules ?? []) : []).flatMap(({ redirect }, i) =>
    redirect.replace_key !== undefined && redirect.replace_key_prefix !== undefined
      ? [{ path: `body.website.rules.${i}.redirect`, message: 'has replace_key or replace_key_prefix, not both' }]
      : [],
  )

const sameIds = (field: string, rules: readonly { id?: string | undefined }[]): Fault[] =>
  rules.flatMap(({ id }, i) =>
    id !== undefined && rules.findIndex((rule) => rule.id === id) < i
      ? [{ path: `body.${field}.${i}.id`, message: 'is that of another rule' }]
      : [],
  )

/** A rule as it is compared: with what it has by default, its date as a time. */
function normalRule({ id, enabled = true, filter = {}, expiration, ...others }: Rule): Rule {
  const { prefix, tags, ...sizes } = filter
  const date = expiration && 'date' in expiration ? { date: new Date(expiration.date).toISOString() } : undefined
  return {
    id,
    enabled,
    filter: { ...(prefix && { prefix }), ...sizes, ...(tags && { tags }) },
    ...others,
    ...(expiration && { expiration: date ?? expiration }),
  }
}

/** A rule as the bucket keeps it. */
function toRule(rule: Rule): LifecycleRule {
  const { enabled = true, filter = {}, ...others } = normalRule(rule)
  const conditions = Object.keys(filter).length - Number('tags' in filter) + Object.keys(filter.tags ?? {}).length
  return { ...others, enabled, filter, written: conditions > 1 ? 'and' : 'filter' } as LifecycleRule
}

/** As many as a rule can have now. */
const MOST_NAMES = 100
/** Names of which a rule can have one, as it has them: releases before 0.2.0 took more, and longer ones. */
const kept = (names: readonly string[] = []): string[] =>
  [...new Set(names)].filter((name) => name.length <= MOST_ONE_WILDCARD && !/\s/.test(name)).slice(0, MOST_NAMES)

/** Rules as a configuration can say them: what it cannot, no browser asks for. */
function sayable(rules: readonly CorsRule[]): Entry['cors'] {
  const said = rules.map(({ headers, ...rule }) => {
    const names = kept(headers)
    return { ...rule, origins: kept(rule.origins), ...(names.length === 0 ? {} : { headers: names }) }
  })
  const legal = said.filter((rule) => isLegal(Shape, rule))
  return legal.length === 0 ? null : (legal as Entry['cors'])
}

/** Step: configures what of a bucket is not in its row; what is undefined stays. */
async function configure(
  step: Step,
  name: string,
  {
    cors,
    website,
    policy,
    public_access_blocked: blocked,
  }: Pick<Entry, 'cors' | 'website' | 'policy' | 'public_access_blocked'>,
): Promise<void> {
  if (cors !== undefined) await configureStep(step, name, 'cors', cors)
  if (website !== undefined) await configureStep(step, name, 'website', website)
  if (blocked !== undefined) await configureStep(step, name, 'public_access_block', blocked ? allBlocked : null)
  if (policy !== undefined) await bucketPolicyStep(step, name, newPolicy(policy))
}

async function existing(ctx: Ctx, bucket: Bucket): Promise<Existing<Entry>> {
  const { name, quota_gb, history_quota_gb, quota_includes_history, trash_days, encryption } = bucket
  const { versioning, object_lock, storage, mode, source } = bucket
  const [cors = null, website = null, lifecycle, block, policy] = await Promise.all([
    findConfig(ctx.db, name, 'cors'),
    findConfig(ctx.db, name, 'website'),
    findConfig(ctx.db, name, 'lifecycle'),
    findConfig(ctx.db, name, 'public_access_block'),
    findConfig(ctx.db, name, 'policy'),
  ])
  const fields: Partial<Entry> = {
    name,
    storage,
    public_access_blocked: block !== undefined && isBlocked(block),
    ...(mode === 'taken_over' ? {} : { mode }),
    ...(mode === 'read_only' && source
      ? { prefix: source.prefix }
      : { quota_gb, history_quota_gb, quota_includes_history, trash_days, encryption }),
    ...(versioning === 'off' ? {} : { versioning }),
    ...(object_lock && { object_lock }),
    cors: cors && sayable(cors),
    website,
    policy: policyOf(policy),
    lifecycle: lifecycle?.map(({ written, ...rule }) => normalRule(rule as Rule)) ?? null,
  }
  return {
    name,
    fields,
    effects: async (change) => [
      ...effectsOf(change, bucket),
      ...(await effectsOfPolicy(ctx, { name, policy: change.policy })),
    ],
    async update({
      cors: rules,
      website: site,
      lifecycle: wanted,
      policy: document,
      public_access_blocked,
      ...change
    }) {
      allow(ctx.actor, 'manage', name)
      const ofRow = { ...change, ...(public_access_blocked === undefined ? {} : { public_access_blocked }) }
      return ctx.act(async (step) => {
        if (Object.keys(ofRow).length > 0) await updateStep(step, ctx, name, ofRow)
        await configure(step, name, { cors: rules, website: site, policy: document })
        if (wanted !== undefined) await lifecycleStep(step, name, wanted?.map(toRule) ?? null)
      })
    },
    async removal() {
      if (mode !== 'owned') return { kept: 'Objects of others are in it. Release it instead.' }
      const { object_count, trash_bytes } = bucket
      if (object_count) return { kept: `It has ${counted(object_count, 'object')}.` }
      const row = await findBucket(ctx.db, name)
      if (row && (await hasAny(ctx.db, 'versions', row.id))) return { kept: 'It has versions.' }
      const effects = trash_bytes ? [`Its trash is deleted too: ${counted(trash_bytes, 'byte')}.`] : []
      return { effects, remove: () => deleteBucket(ctx, name) }
    },
  }
}
