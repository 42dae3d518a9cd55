import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, Tx } from '../../db/schema.ts'

const overrides = prepared((db: Db) => db.selectFrom('settings').select('overrides'))
/** The stored settings as JSON; the row always exists. */
export const readOverrides = async (db: Db): Promise<string> => (await keptOverrides(db, ''))?.overrides ?? '{}'
const keptOverrides = kept((db) => overrides(db, {}).then(([row]) => row))

/** The same, locked until the transaction ends. */
export const lockOverrides = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('settings').select('overrides').forUpdate().executeTakeFirstOrThrow()).overrides

/** The same, which nobody changes until the transaction ends; many may hold them at once. */
export const holdOverrides = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('settings').select('overrides').forShare().executeTakeFirstOrThrow()).overrides

export const writeOverrides = (tx: Tx, text: string) => tx.updateTable('settings').set({ overrides: text }).execute()

/** The hash of the setup link's token, kept in the same row to share its lock. */
export const readSetupHash = async (db: Db): Promise<string | null> =>
  (await db.selectFrom('settings').select('setup_hash').executeTakeFirstOrThrow()).setup_hash

/** The same, locked until the transaction ends. */
export const lockSetupHash = async (tx: Tx): Promise<string | null> =>
  (await tx.selectFrom('settings').select('setup_hash').forUpdate().executeTakeFirstOrThrow()).setup_hash

export const writeSetupHash = (tx: Tx, setup_hash: string | null) =>
  tx.updateTable('settings').set({ setup_hash }).execute()

/** Whether an active administrator can log in: with a password if `local`, through `issuer` if it is not null. */
export async function hasAbleAdmin(db: Db, { local, issuer }: { local: boolean; issuer: string | null }) {
  const row = await db
    .selectFrom('users as u')
    .innerJoin('group_members as m', 'm.user_id', 'u.id')
    .innerJoin('groups as g', 'g.id', 'm.group_id')
    .select('u.id')
    .where('g.global', 'like', '%"admin"%')
    .where('u.disabled_at', 'is', null)
    .where((e) =>
      e.or([
        ...(local ? [e('u.password_hash', 'is not', null)] : []),
        ...(issuer === null ? [] : [e.and([e('u.idp_issuer', '=', issuer), e('u.idp_subject', 'is not', null)])]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The logo's hash, if there is one. */
export const readLogoHash = async (db: Db): Promise<string | undefined> =>
  (await db.selectFrom('site_logo').select('hash').executeTakeFirst())?.hash

export const readLogo = (db: Db) => db.selectFrom('site_logo').select(['png', 'hash']).executeTakeFirst()

export const writeLogo = (tx: Tx, logo: { png: Uint8Array; hash: string; updated_at: string }) =>
  tx
    .insertInto('site_logo')
    .values({ id: 1, ...logo })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(logo))
    .execute()

export const deleteLogo = (tx: Tx) => tx.deleteFrom('site_logo').execute()

/** Which of these ids are those of groups. */
export const findGroupIds = async (db: Db, ids: readonly string[]): Promise<string[]> =>
  (await db.selectFrom('groups').select('id').where('id', 'in', ids).execute()).map(({ id }) => id)
