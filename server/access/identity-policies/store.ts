import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

/** Whose policies: a user's, a group's or a role's. */
export interface Owner {
  kind: Row<'attached_policies'>['owner_kind']
  id: string
}
/** The same, or an access key. */
type AnyOwner = Owner | { kind: 'access_key'; id: string }
/** What the names of built-in policies begin with where policies are attached. */
export const BUILT_IN = 'aws:'

/** A policy that is in force for somebody: its text, or which built-in one it is. */
export interface InForce {
  policy: string | null
  document: string | null
}

/** All policies of a user and of the groups that they are in. */
export const findOfUser = prepared((db: Db, { userId }: { userId: string }) =>
  db
    .selectFrom('inline_policies as i')
    .select((e) => [sql<string | null>`null`.as('policy'), e.ref('i.document').$castTo<string | null>().as('document')])
    .where((e) =>
      e.or([
        e.and([e('i.owner_kind', '=', sql.lit('user')), e('i.owner_id', '=', userId)]),
        e.and([
          e('i.owner_kind', '=', sql.lit('group')),
          e('i.owner_id', 'in', e.selectFrom('group_members').select('group_id').where('user_id', '=', userId)),
        ]),
      ]),
    )
    .unionAll((e) =>
      e
        .selectFrom('attached_policies as a')
        .leftJoin('managed_policies as m', 'm.id', 'a.policy')
        .leftJoin('managed_policy_versions as v', (join) =>
          join.onRef('v.policy_id', '=', 'm.id').onRef('v.version', '=', 'm.default_version'),
        )
        .select((w) => [w.ref('a.policy').$castTo<string | null>().as('policy'), 'v.document'])
        .where((w) =>
          w.or([
            w.and([w('a.owner_kind', '=', sql.lit('user')), w('a.owner_id', '=', userId)]),
            w.and([
              w('a.owner_kind', '=', sql.lit('group')),
              w('a.owner_id', 'in', w.selectFrom('group_members').select('group_id').where('user_id', '=', userId)),
            ]),
          ]),
        ),
    ),
)

const findOf = (kind: 'group' | 'role' | 'access_key') =>
  prepared((db: Db, { id }: { id: string }) =>
    db
      .selectFrom('inline_policies as i')
      .select(sql<string | null>`null`.as('policy'))
      .select((e) => e.ref('i.document').$castTo<string | null>().as('document'))
      .where('i.owner_kind', '=', sql.lit(kind))
      .where('i.owner_id', '=', id)
      .unionAll((e) =>
        e
          .selectFrom('attached_policies as a')
          .leftJoin('managed_policies as m', 'm.id', 'a.policy')
          .leftJoin('managed_policy_versions as v', (join) =>
            join.onRef('v.policy_id', '=', 'm.id').onRef('v.version', '=', 'm.default_version'),
          )
          .select(['a.policy', 'v.document'])
          .where('a.owner_kind', '=', sql.lit(kind as Owner['kind']))
          .where('a.owner_id', '=', id),
      ),
  )
/** All policies of a group. */
export const findOfGroup = findOf('group')
/** All policies of a role. */
export const findOfRole = findOf('role')
/** The policy of an access key, if it has one. */
export const findOfKey = findOf('access_key')

// ---- Inline ----------------------------------------------------------------------------------------------------

const inlineOf = (db: Db, { kind, id }: AnyOwner) =>
  db.selectFrom('inline_policies').where('owner_kind', '=', kind).where('owner_id', '=', id)

export const findInline = (db: Db, owner: AnyOwner, name: string): Promise<Row<'inline_policies'> | undefined> =>
  inlineOf(db, owner).selectAll().where('name', '=', name).executeTakeFirst()

/** The policies of access keys, by the ids of those that have one. */
export async function findOfKeys(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('inline_policies')
    .select(['owner_id', 'document'])
    .where('owner_kind', '=', 'access_key')
    .where('owner_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ owner_id, document }) => [owner_id, document]))
}

/** Names of an owner's inline policies after one, in order. */
export const listInline = async (db: Db, owner: Owner, after: string, limit: number): Promise<string[]> =>
  (await inlineOf(db, owner).select('name').where('name', '>', after).orderBy('name').limit(limit).execute()).map(
    ({ name }) => name,
  )

/** An owner's inline policies, in the order of their names. */
export const findAllInline = (db: Db, owner: Owner): Promise<{ name: string; document: string }[]> =>
  inlineOf(db, owner).select(['name', 'document']).orderBy('name').execute()

/** How many characters without blanks an owner's inline policies have, but for one. */
export const measureInline = async (db: Db, owner: Owner, but: string): Promise<number> =>
  (await inlineOf(db, owner).select('document').where('name', '<>', but).execute()).reduce(
    (sum, { document }) => sum + document.replace(/\s/g, '').length,
    0,
  )

/** Keeps an inline policy, in place of one of the same name. */
export const putInline = (tx: Tx, row: NewRow<'inline_policies'>) =>
  tx
    .insertInto('inline_policies')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['owner_kind', 'owner_id', 'name']).doUpdateSet((e) => ({
        document: e.ref('excluded.document'),
        updated_at: e.ref('excluded.updated_at'),
      })),
    )
    .execute()

/** False if there was none. */
export const deleteInline = async (tx: Tx, { kind, id }: AnyOwner, name: string): Promise<boolean> =>
  (
    await tx
      .deleteFrom('inline_policies')
      .where('owner_kind', '=', kind)
      .where('owner_id', '=', id)
      .where('name', '=', name)
      .returning('name')
      .execute()
  ).length > 0

// ---- Managed ---------------------------------------------------------------------------------------------------

export type ManagedRow = Row<'managed_policies'>
export type VersionRow = Row<'managed_policy_versions'>

/** Undefined if the name is taken. */
export const insertManaged = (tx: Tx, row: NewRow<'managed_policies'>): Promise<ManagedRow | undefined> =>
  tx
    .insertInto('managed_policies')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const insertVersion = (tx: Tx, row: NewRow<'managed_policy_versions'>) =>
  tx.insertInto('managed_policy_versions').values(row).execute()

export const updateManaged = (tx: Tx, id: string, change: RowChange<'managed_policies'>) =>
  tx.updateTable('managed_policies').set(change).where('id', '=', id).execute()

/** With its versions. */
export const deleteManaged = (tx: Tx, id: string) => tx.deleteFrom('managed_policies').where('id', '=', id).execute()

export const deleteVersion = (tx: Tx, policyId: string, version: number) =>
  tx.deleteFrom('managed_policy_versions').where('policy_id', '=', policyId).where('version', '=', version).execute()

export const findManagedByName = (db: Db, nameKey: string): Promise<ManagedRow | undefined> =>
  db.selectFrom('managed_policies').selectAll().where('name_key', '=', nameKey).executeTakeFirst()

export const lockManagedByName = (tx: Tx, nameKey: string): Promise<ManagedRow | undefined> =>
  tx.selectFrom('managed_policies').selectAll().where('name_key', '=', nameKey).forUpdate().executeTakeFirst()

export const findManaged = async (db: Db, ids: readonly string[]): Promise<ManagedRow[]> =>
  ids.length === 0 ? [] : db.selectFrom('managed_policies').selectAll().where('id', 'in', ids).execute()

export const listManaged = (db: Db, path: string, after: string, limit: number): Promise<ManagedRow[]> =>
  db
    .selectFrom('managed_policies')
    .selectAll()
    .where('name_key', '>', after)
    .where(sql<boolean>`substr(path, 1, length(${path})) = ${path}`)
    .orderBy('name_key')
    .limit(limit)
    .execute()

/** Versions of a policy, newest first. */
export const listVersions = (db: Db, policyId: string): Promise<VersionRow[]> =>
  db
    .selectFrom('managed_policy_versions')
    .selectAll()
    .where('policy_id', '=', policyId)
    .orderBy('version', 'desc')
    .execute()

export const findVersion = (db: Db, policyId: string, version: number): Promise<VersionRow | undefined> =>
  db
    .selectFrom('managed_policy_versions')
    .selectAll()
    .where('policy_id', '=', policyId)
    .where('version', '=', version)
    .executeTakeFirst()

export const countManaged = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('managed_policies')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

// ---- Attached --------------------------------------------------------------------------------------------------

/** False if it was attached already. */
export const attach = async (tx: Tx, row: NewRow<'attached_policies'>): Promise<boolean> =>
  (
    await tx
      .insertInto('attached_policies')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('policy')
      .execute()
  ).length > 0

/** False if it was not attached. */
export const detach = async (tx: Tx, { kind, id }: Owner, policy: string): Promise<boolean> =>
  (
    await tx
      .deleteFrom('attached_policies')
      .where('owner_kind', '=', kind)
      .where('owner_id', '=', id)
      .where('policy', '=', policy)
      .returning('policy')
      .execute()
  ).length > 0

/** What is attached to an owner, after one, in order. */
export const listAttached = async (db: Db, { kind, id }: Owner, after: string, limit: number): Promise<string[]> =>
  (
    await db
      .selectFrom('attached_policies')
      .select('policy')
      .where('owner_kind', '=', kind)
      .where('owner_id', '=', id)
      .where('policy', '>', after)
      .orderBy('policy')
      .limit(limit)
      .execute()
  ).map(({ policy }) => policy)

/** To how many owners policies are attached. */
export async function countAttachments(db: Db, policies: readonly string[]): Promise<Map<string, number>> {
  if (policies.length === 0) return new Map()
  const rows = await db
    .selectFrom('attached_policies')
    .select((e) => ['policy', e.fn.countAll<number>().as('count')])
    .where('policy', 'in', policies)
    .groupBy('policy')
    .execute()
  return new Map(rows.map(({ policy, count }) => [policy, count]))
}

/** To whom a policy is attached, after an owner, in the order of kinds and ids. */
export const listOwners = (db: Db, policy: string, after: Owner | undefined, limit: number): Promise<Owner[]> => {
  const query = db
    .selectFrom('attached_policies')
    .select(['owner_kind as kind', 'owner_id as id'])
    .where('policy', '=', policy)
  const page = after
    ? query.where((e) => e(e.refTuple('owner_kind', 'owner_id'), '>', e.tuple(after.kind, after.id)))
    : query
  return page.orderBy('owner_kind').orderBy('owner_id').limit(limit).execute()
}

/** Whether an owner has any policy. */
export const hasPolicies = async (db: Db, owner: Owner): Promise<boolean> =>
  (await listInline(db, owner, '', 1)).length > 0 || (await listAttached(db, owner, '', 1)).length > 0

/** Deletes all policies of an owner that is deleted, and of their access keys. */
export async function deleteOf(tx: Tx, { kind, id }: Owner): Promise<void> {
  if (kind === 'user')
    await tx
      .deleteFrom('inline_policies')
      .where('owner_kind', '=', 'access_key')
      .where('owner_id', 'in', (e) => e.selectFrom('access_keys').select('id').where('user_id', '=', id))
      .execute()
  await tx.deleteFrom('inline_policies').where('owner_kind', '=', kind).where('owner_id', '=', id).execute()
  await tx.deleteFrom('attached_policies').where('owner_kind', '=', kind).where('owner_id', '=', id).execute()
}
