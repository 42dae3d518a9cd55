import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export type FactorRow = Row<'second_factors'>
export type ChallengeRow = Row<'second_factor_challenges'>

/** A user's row, locked, so that concurrent changes of their second factors come one after another. */
export const lockUser = (tx: Tx, id: string) =>
  tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** A user's second factors, oldest first. */
export const listFactors = (db: Db, userId: string): Promise<FactorRow[]> =>
  db.selectFrom('second_factors').selectAll().where('user_id', '=', userId).orderBy('id').execute()

/** The passkey with this credential ID, whoever's it is. */
export const findPasskey = (db: Db, credentialId: string): Promise<FactorRow | undefined> =>
  db.selectFrom('second_factors').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

/** Marks a signed challenge as used; false if it was used before. */
export const useSignedChallenge = async (tx: Tx, row: NewRow<'used_passkey_challenges'>): Promise<boolean> =>
  (
    await tx
      .insertInto('used_passkey_challenges')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('challenge_hash')
      .execute()
  ).length > 0

/** False if the passkey is registered already. */
export const insertFactor = async (tx: Tx, row: NewRow<'second_factors'>): Promise<boolean> =>
  (
    await tx
      .insertInto('second_factors')
      .values(row)
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returning('id')
      .execute()
  ).length > 0

export const renameFactor = (tx: Tx, id: string, name: string) =>
  tx.updateTable('second_factors').set({ name }).where('id', '=', id).execute()

export const deleteFactor = (tx: Tx, id: string) => tx.deleteFrom('second_factors').where('id', '=', id).execute()

/** Deletes all second factors of a user; returns how many there were. */
export const deleteFactors = async (tx: Tx, userId: string): Promise<number> =>
  (await tx.deleteFrom('second_factors').where('user_id', '=', userId).returning('id').execute()).length

/** Uses up the codes of an app up to a time step; false if the step was used already. */
export const useStep = async (tx: Tx, id: string, step: number, now: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('second_factors')
      .set({ last_step: step, last_used_at: now.toISOString() })
      .where('id', '=', id)
      .where((e) => e.or([e('last_step', 'is', null), e('last_step', '<', step)]))
      .returning('id')
      .execute()
  ).length > 0

/** Stores a passkey's counter; false if it has counted further already. One that counts nothing stays at 0. */
export const useCounter = async (tx: Tx, id: string, counter: number, now: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('second_factors')
      .set({ counter, last_used_at: now.toISOString() })
      .where('id', '=', id)
      .where('counter', counter === 0 ? '<=' : '<', counter)
      .returning('id')
      .execute()
  ).length > 0

/** Apps after an id, with their keys. */
export const listSecrets = (db: Db, after: string) =>
  db
    .selectFrom('second_factors')
    .select(['id', 'secret'])
    .where('id', '>', after)
    .where('secret', 'is not', null)
    .orderBy('id')
    .limit(500)
    .execute()

/** Replaces an app's key if it is still the expected one. */
export const replaceSecret = (tx: Tx, id: string, from: string, to: string) =>
  tx.updateTable('second_factors').set({ secret: to }).where('id', '=', id).where('secret', '=', from).execute()

export const insertCodes = (tx: Tx, rows: readonly NewRow<'recovery_codes'>[]) =>
  tx.insertInto('recovery_codes').values(rows).execute()

export const deleteCodes = (tx: Tx, userId: string) =>
  tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()

export const hasCode = async (db: Db, hash: string): Promise<boolean> =>
  (await db.selectFrom('recovery_codes').select('code_hash').where('code_hash', '=', hash).executeTakeFirst()) !==
  undefined

/** Uses up a recovery code; false if it is gone. */
export const takeCode = async (tx: Tx, hash: string): Promise<boolean> =>
  (await tx.deleteFrom('recovery_codes').where('code_hash', '=', hash).returning('code_hash').execute()).length > 0

/** How many recovery codes a user has left. */
export const countCodes = async (db: Db, userId: string): Promise<number> =>
  (
    await db
      .selectFrom('recovery_codes')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  ).count

export const insertChallenge = (tx: Tx, row: NewRow<'second_factor_challenges'>) =>
  tx.insertInto('second_factor_challenges').values(row).execute()

export const findChallenge = (db: Db, hash: string): Promise<ChallengeRow | undefined> =>
  db.selectFrom('second_factor_challenges').selectAll().where('challenge_hash', '=', hash).executeTakeFirst()

/** Counts a try of a challenge before it is checked; false after `most` of them. */
export const countTry = async (tx: Tx, hash: string, most: number): Promise<boolean> =>
  (
    await tx
      .updateTable('second_factor_challenges')
      .set((e) => ({ tries: e('tries', '+', 1) }))
      .where('challenge_hash', '=', hash)
      .where('tries', '<', most)
      .returning('tries')
      .execute()
  ).length > 0

/** Stores what is being set up with a challenge. */
export const setEnrollment = (
  tx: Tx,
  hash: string,
  change: Pick<NewRow<'second_factor_challenges'>, 'secret' | 'passkey_challenge'>,
) => tx.updateTable('second_factor_challenges').set(change).where('challenge_hash', '=', hash).execute()

/** Uses up a challenge; false if it is gone. */
export const takeChallenge = async (tx: Tx, hash: string): Promise<boolean> =>
  (
    await tx
      .deleteFrom('second_factor_challenges')
      .where('challenge_hash', '=', hash)
      .returning('challenge_hash')
      .execute()
  ).length > 0

export const deleteChallengesOf = (tx: Tx, userId: string) =>
  tx.deleteFrom('second_factor_challenges').where('user_id', '=', userId).execute()

/** Deletes challenges that nothing can answer any more. */
export const deleteExpired = (tx: Tx, now: Date) =>
  tx.deleteFrom('second_factor_challenges').where('expires_at', '<', now.toISOString()).execute()

/** Forgets which signed challenges were used that have expired by now. */
export const deleteUsedChallenges = (tx: Tx, now: Date) =>
  tx.deleteFrom('used_passkey_challenges').where('expires_at', '<=', now.toISOString()).execute()
