import { sql } from 'kysely'
import { type Place, reaching } from '../../../access/groups/store.ts'
import type { Db, Row } from '../../../db/schema.ts'

/** Who may have access besides those with grants. */
export interface Besides {
  /** Users that a policy names. */
  users: readonly string[]
  /** Groups with a policy that may be about the bucket. */
  groups: readonly string[]
  /** The same policies, by how they are attached to users. */
  policies: readonly string[]
}

export type Candidate = Pick<Row<'users'>, 'id' | 'email' | 'email_key' | 'display_name' | 'path'>
/** Users who are not disabled and may have access to a place, after an address and sorted by it. */
export const listCandidates = (
  db: Db,
  { place, users, groups, policies }: Besides & { place: Place },
  after: string,
  limit: number,
): Promise<Candidate[]> =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'email_key', 'display_name', 'path'])
    .where('email_key', '>', after)
    .where('disabled_at', 'is', null)
    .where((e) =>
      e.or([
        e('id', 'in', (m) =>
          m
            .selectFrom('group_members as m')
            .innerJoin('groups as g', 'g.id', 'm.group_id')
            .select('m.user_id')
            .where((w) =>
              w.or([
                w('g.global', 'like', '%"admin"%'),
                w('g.id', 'in', reaching(db, place).select('group_id')),
                ...(groups.length > 0 ? [w('g.id', 'in', groups)] : []),
              ]),
            ),
        ),
        e('id', 'in', (i) =>
          i.selectFrom('inline_policies').select('owner_id').where('owner_kind', '=', sql.lit('user')),
        ),
        ...(policies.length > 0
          ? [
              e('id', 'in', (a) =>
                a
                  .selectFrom('attached_policies')
                  .select('owner_id')
                  .where('owner_kind', '=', sql.lit('user'))
                  .where('policy', 'in', policies),
              ),
            ]
          : []),
        ...(users.length > 0 ? [e('id', 'in', users)] : []),
      ]),
    )
    .orderBy('email_key')
    .limit(limit)
    .execute()

/** A policy that belongs to somebody, or is attached to them. */
export interface OwnedPolicy {
  owner_kind: Row<'attached_policies'>['owner_kind']
  owner_id: string
  /** How it is attached; null for an inline one. */
  policy: string | null
  /** Null for one that is built in. */
  name: string | null
  document: string | null
}

/** The policies of users, groups and roles, by their ids. */
export const findOwned = async (db: Db, owners: readonly string[]): Promise<OwnedPolicy[]> =>
  owners.length === 0
    ? []
    : ofOwners(db, ['user', 'group', 'role'])
        .where('owner_id', 'in', owners)
        .orderBy('owner_id')
        .orderBy('name')
        .orderBy('policy')
        .execute()

/** The policies of all groups. */
export const findOfGroups = (db: Db): Promise<OwnedPolicy[]> => ofOwners(db, ['group']).execute()

/** The policies that are attached to any user, each once. */
export const findAttachedToUsers = (db: Db): Promise<{ policy: string; document: string | null }[]> =>
  db
    .selectFrom('attached_policies as a')
    .leftJoin('managed_policies as m', 'm.id', 'a.policy')
    .leftJoin('managed_policy_versions as v', (join) =>
      join.onRef('v.policy_id', '=', 'm.id').onRef('v.version', '=', 'm.default_version'),
    )
    .select(['a.policy', 'v.document'])
    .distinct()
    .where('a.owner_kind', '=', sql.lit('user'))
    .execute()

const ofOwners = (db: Db, kinds: readonly OwnedPolicy['owner_kind'][]) =>
  db
    .selectFrom(
      db
        .selectFrom('inline_policies as i')
        .select((e) => [
          e.ref('i.owner_kind').$castTo<OwnedPolicy['owner_kind']>().as('owner_kind'),
          'i.owner_id',
          sql<string | null>`null`.as('policy'),
          e.ref('i.name').$castTo<string | null>().as('name'),
          e.ref('i.document').$castTo<string | null>().as('document'),
        ])
        .where('i.owner_kind', 'in', kinds)
        .unionAll((e) =>
          e
            .selectFrom('attached_policies as a')
            .leftJoin('managed_policies as m', 'm.id', 'a.policy')
            .leftJoin('managed_policy_versions as v', (join) =>
              join.onRef('v.policy_id', '=', 'm.id').onRef('v.version', '=', 'm.default_version'),
            )
            .select((w) => [
              'a.owner_kind',
              'a.owner_id',
              w.ref('a.policy').$castTo<string | null>().as('policy'),
              'm.name',
              'v.document',
            ])
            .where('a.owner_kind', 'in', kinds),
        )
        .as('owned'),
    )
    .selectAll()

/** Roles with a policy, or one of these names, after a name and sorted by it. */
export const listRoleCandidates = (
  db: Db,
  names: readonly string[],
  after: string,
  limit: number,
): Promise<Row<'roles'>[]> =>
  db
    .selectFrom('roles')
    .selectAll()
    .where('name_key', '>', after)
    .where((e) =>
      e.or([
        e('id', 'in', (i) =>
          i.selectFrom('inline_policies').select('owner_id').where('owner_kind', '=', sql.lit('role')),
        ),
        e('id', 'in', (a) =>
          a.selectFrom('attached_policies').select('owner_id').where('owner_kind', '=', sql.lit('role')),
        ),
        ...(names.length > 0 ? [e('name_key', 'in', names)] : []),
      ]),
    )
    .orderBy('name_key')
    .limit(limit)
    .execute()
