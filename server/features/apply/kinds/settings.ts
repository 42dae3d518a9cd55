import { isDeepStrictEqual } from 'node:util'
import type { Configuration } from '../../../../contract/configuration.ts'
import type { Fault } from '../../../../contract/errors.ts'
import { nameKey } from '../../../access/groups/service.ts'
import { findGroupByName, findGroupsByIds } from '../../../access/groups/store.ts'
import { endSessionsOfOwnProvider } from '../../../access/session-ends/revoke.ts'
import {
  defaults,
  type EffectiveSettings,
  isSecret,
  type Section,
  settingsInForce,
} from '../../../access/settings/effective.ts'
import { assertMailUsable } from '../../../access/settings/mail.ts'
import { assertUsable, updateSettings } from '../../../access/settings/service.ts'
import type { Ctx } from '../../../context.ts'
import { assertKeyKnown } from '../../../encryption/default.ts'
import { setTotalQuota } from '../../../storage/buckets/service.ts'
import { type AnyEntry, type Existing, faultsOf, type Kind, type References, unknownName } from '../kind.ts'

type Sections = NonNullable<Configuration['settings']>
type Mapping = NonNullable<NonNullable<Sections['idp']>['group_mapping']>

/** One section as a kind with one entry, which the section names. */
export const settingsSection = (section: Section): Kind<AnyEntry> => ({
  kind: 'settings',
  named: 'section',
  sameName: (name) => name,
  fixed: {},
  defaults: defaults[section] as AnyEntry,
  normal: (entry) => {
    const mapping = entry.group_mapping as Mapping | undefined
    return mapping
      ? { ...entry, group_mapping: mapping.map(({ value, group }) => ({ value, group: nameKey(group) })) }
      : entry
  },
  async check(ctx, { section: _section, group_mapping, ...fields }, { before, references }): Promise<Fault[]> {
    const check = () => {
      assertUsable(ctx, { [section]: fields })
      if (section === 'mail') assertMailUsable({ mail: { ...defaults.mail, ...before?.fields, ...fields } })
    }
    return [
      ...faultsOfFixed(ctx, section, fields, before),
      ...(await faultsOf(check)).map(({ path, message }) => ({
        path: path.replace(`body.${section}.`, 'body.'),
        message,
      })),
      ...(section === 'encryption' ? await faultsOfEncryption(ctx, fields) : []),
      ...(await faultsOfMapping((group_mapping ?? []) as Mapping, references)),
    ]
  },
  find: (ctx) => existing(ctx, section),
  async *list(ctx) {
    yield await existing(ctx, section)
  },
  create: async () => undefined,
})

/** What would change that variables of the service decide. */
const faultsOfFixed = (ctx: Ctx, section: Section, fields: AnyEntry, before: Existing<AnyEntry> | undefined): Fault[] =>
  Object.entries(fields).flatMap(([field, value]) => {
    const variable = ctx.config.fixedSettings[`${section}.${field}`]?.variable
    const isSame = before?.hasSecret?.(field, value as string) || isDeepStrictEqual(before?.fields[field], value)
    return variable === undefined || isSame ? [] : [{ path: `body.${field}`, message: `is set by ${variable}` }]
  })

const faultsOfEncryption = (ctx: Ctx, { new_buckets }: Sections['encryption'] & object): Promise<Fault[]> =>
  faultsOf(() => assertKeyKnown(ctx.db, new_buckets, 'body.new_buckets'))

async function faultsOfMapping(mapping: Mapping, references: References): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [i, { group }] of mapping.entries())
    if (!(await references.has('groups', group))) faults.push(unknownName(`group_mapping.${i}.group`, 'group', group))
  return faults
}

async function existing(ctx: Ctx, section: Section): Promise<Existing<AnyEntry>> {
  const settings = await settingsInForce(ctx)
  const held = settings[section] as AnyEntry
  const fields = Object.fromEntries(Object.entries(held).filter(([field]) => !isSecret(section, field)))
  const mapping = section === 'idp' ? await namedMapping(ctx, settings.idp.group_mapping) : undefined
  return {
    name: section,
    fields: {
      ...fields,
      ...(mapping && { group_mapping: mapping.map(({ value, group }) => ({ value, group: nameKey(group) })) }),
    },
    ...(mapping && { written: { group_mapping: mapping } }),
    hasSecret: (field, value) => isSecret(section, field) && held[field] === value,
    effects: (change) => effectsOf(section, change, settings),
    async update({ group_mapping, ...change }) {
      const named = group_mapping as Mapping | undefined
      const wanted = named && { group_mapping: await mappingOf(ctx, named) }
      const effects = { applyTotalQuota: setTotalQuota, endProvider: endSessionsOfOwnProvider }
      return updateSettings(ctx, { [section]: { ...change, ...wanted } }, effects)
    },
  }
}

/** A mapping with the names of its groups. */
async function namedMapping(ctx: Ctx, mapping: EffectiveSettings['idp']['group_mapping']): Promise<Mapping> {
  const ids = mapping.map(({ group_id }) => group_id)
  const names = new Map(ids.length === 0 ? [] : (await findGroupsByIds(ctx.db, ids)).map(({ id, name }) => [id, name]))
  return mapping.map(({ value, group_id }) => ({ value, group: names.get(group_id) ?? '' }))
}

/** A mapping with the ids of its groups, as they are now. */
const mappingOf = (ctx: Ctx, mapping: Mapping) =>
  Promise.all(
    mapping.map(async ({ value, group }) => ({
      value,
      group_id: (await findGroupByName(ctx.db, nameKey(group)))?.id ?? '',
    })),
  )

function effectsOf(section: Section, change: AnyEntry, { audit }: EffectiveSettings): string[] {
  const days = change.retention_days
  const shortens = typeof days === 'number' && days > 0 && (audit.retention_days === 0 || days < audit.retention_days)
  return [
    ...(section === 'audit' && shortens ? [`Audit records older than ${days} days are deleted.`] : []),
    ...(section === 'auth' && change.enable_local === false
      ? ['Nobody can log in with email and password any more.']
      : []),
    ...(section === 's3' && change.public_access === true
      ? ['What policies, ACLs and grants to everyone make public can be read without a credential.']
      : []),
  ]
}
