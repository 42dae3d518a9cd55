import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db } from '../../db/schema.ts'

/**
 * The policies of all buckets, with the token that is another one after each change of any policy, and whether any user or
 * group has one; one row at least.
 */
export const findPolicies = prepared((db: Db, _none: object) =>
  db
    .selectFrom('instance as i')
    .leftJoin('bucket_config as c', (join) => join.on('c.kind', '=', sql.lit('policy')))
    .leftJoin('buckets as b', (join) => join.onRef('b.id', '=', 'c.bucket_id').on('b.deleted_at', 'is', null))
    .select(['i.policies', 'b.name', 'c.document'])
    .select((e) =>
      e
        .or([
          e.exists(e.selectFrom('inline_policies').select('name')),
          e.exists(e.selectFrom('attached_policies').select('policy')),
        ])
        .as('of_identities'),
    ),
)

/** Users with one of these ids or addresses. */
export const findNamed = (db: Db, names: readonly string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'email'])
    .where((e) =>
      e.or([
        e('id', 'in', names),
        e(
          e.fn('lower', ['email']),
          'in',
          names.map((one) => one.toLowerCase()),
        ),
      ]),
    )
    .execute()

/** The ids of all users. */
export const listUserIds = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('users').select('id').execute()).map(({ id }) => id)
