import type { Group } from '../../../contract/groups.ts'
import type { BucketAction, GlobalRight, Grant, GrantingGroup } from '../../../contract/permissions.ts'
import { presetOf } from '../../../contract/permissions.ts'
import type { Db, Row } from '../../db/schema.ts'
import * as store from './store.ts'

type GroupRow = Pick<Row<'groups'>, 'id' | 'name' | 'global'>

/** Groups with their permissions, as `decide` reads them. */
export async function grantingGroups(db: Db, rows: readonly GroupRow[]): Promise<GrantingGroup[]> {
  const grants = await store.findGrants(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map(({ id, name, global }) => ({
    id,
    name,
    global: JSON.parse(global) as GlobalRight[],
    grants: grants.filter(({ group_id }) => group_id === id).map(toGrant),
  }))
}

/** A row of a grant, as `decide` reads it. */
export const toGrant = ({ id, bucket_pattern, prefix, actions }: Row<'grants'>) => ({
  id,
  bucket_pattern,
  prefix,
  actions: JSON.parse(actions) as BucketAction[],
})

/** A grant in the API's format. */
export const describeGrant = (grant: Grant) => ({
  ...grant,
  actions: [...grant.actions],
  preset: presetOf(grant.actions),
})

/** Groups in the API's format. */
export async function describeGroups(db: Db, rows: readonly Row<'groups'>[]): Promise<Group[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const granting = new Map((await grantingGroups(db, rows)).map((group) => [group.id, group]))
  const counts = new Map((await store.countMembers(db, ids)).map(({ group_id, count }) => [group_id, count]))
  return rows.map((row) => {
    const { global = [], grants = [] } = granting.get(row.id) ?? {}
    return {
      id: row.id,
      name: row.name,
      description: row.description,
      builtin: row.builtin !== null,
      public: row.builtin === 'public',
      global: [...global],
      grants: grants.map(describeGrant),
      member_count: counts.get(row.id) ?? 0,
    }
  })
}

export async function describeGroup(db: Db, row: Row<'groups'>): Promise<Group> {
  const [group] = await describeGroups(db, [row])
  return group as Group
}
