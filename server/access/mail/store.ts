import { type SqlBool, sql } from 'kysely'
import { countUpToMost, type Queue } from '../../db/count.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type MailRow = Row<'mails'>
/** A mail that this process may send: only it writes the outcome. */
export interface Claimed extends MailRow {
  lease_token: string
  sealed_body: string
}

/** Queues a mail; false if it was queued before. */
export const insertMail = async (tx: Tx, row: NewRow<'mails'>): Promise<boolean> =>
  (
    await tx
      .insertInto('mails')
      .values(row)
      .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
      .returning('id')
      .execute()
  ).length > 0

/** Whom a mail goes to, and the language they have chosen. */
export type Recipient = Pick<Row<'users'>, 'email'> & { language: string | null }

/** An active user. */
export const findRecipient = (db: Db, userId: string): Promise<Recipient | undefined> =>
  db
    .selectFrom('users')
    .select(['email', 'language'])
    .where('id', '=', userId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()

/** All active administrators. */
export const findAdministrators = (db: Db): Promise<Recipient[]> =>
  db
    .selectFrom('users as u')
    .select(['u.email', 'u.language'])
    .where('u.disabled_at', 'is', null)
    .where('u.id', 'in', (e) =>
      e
        .selectFrom('group_members as m')
        .innerJoin('groups as g', 'g.id', 'm.group_id')
        .select('m.user_id')
        .where('g.global', 'like', '%"admin"%'),
    )
    .orderBy('u.id')
    .execute()

/** The language that a user has chosen. */
export const findLanguage = async (db: Db, userId: string) =>
  (await db.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst())?.language

// The literals of the partial indexes: SQLite would not use one for a parameter.
const queued = sql<SqlBool>`status = 'queued'`
const sending = sql<SqlBool>`status = 'sending'`

/** Claims the mail that has been due for longest, unless another process does; undefined if there is none. */
export async function claimDue(
  tx: Tx,
  { now, until, token }: { now: Date; until: Date; token: string },
): Promise<Claimed | undefined> {
  const time = now.toISOString()
  const isFree = sql<SqlBool>`(lease_until is null or lease_until <= ${time})`
  const claimed = await tx
    .updateTable('mails')
    .set({ lease_token: token, lease_until: until.toISOString() })
    .where('id', '=', (e) =>
      e
        .selectFrom('mails')
        .select('id')
        .where(queued)
        .where('next_attempt_at', '<=', time)
        .where(isFree)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(1),
    )
    .where(queued)
    .where(isFree)
    .returningAll()
    .executeTakeFirst()
  return claimed as Claimed | undefined
}

/** Changes a mail that is still claimed; false if it is not. */
export const updateClaimed = async (
  tx: Tx,
  { id, lease_token }: Claimed,
  change: RowChange<'mails'>,
): Promise<boolean> =>
  (
    await tx
      .updateTable('mails')
      .set(change)
      .where('id', '=', id)
      .where('lease_token', '=', lease_token)
      .returning('id')
      .execute()
  ).length > 0

/** Mails whose process ended, or lost the connection to the database, while the server received them. */
export const findInterrupted = (db: Db, now: Date): Promise<MailRow[]> =>
  db.selectFrom('mails').selectAll().where(sending).where('lease_until', '<=', now.toISOString()).limit(100).execute()

/** Mails that still wait since before a time, and that no process is sending. */
export const findStale = (db: Db, before: Date, now: Date): Promise<MailRow[]> =>
  db
    .selectFrom('mails')
    .selectAll()
    .where(queued)
    .where('created_at', '<=', before.toISOString())
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', now.toISOString())]))
    .limit(100)
    .execute()

/** Finishes a mail that nobody sends any more; false if it has changed since. */
export const finishAbandoned = async (
  tx: Tx,
  { id, status, lease_token }: MailRow,
  change: RowChange<'mails'>,
): Promise<boolean> =>
  (
    await tx
      .updateTable('mails')
      .set(change)
      .where('id', '=', id)
      .where('status', '=', status)
      .where('lease_token', lease_token === null ? 'is' : '=', lease_token)
      .returning('id')
      .execute()
  ).length > 0

/** Mails before an id, latest first; without their texts. */
export function listMails(db: Db, before: string | undefined, limit: number) {
  const query = db
    .selectFrom('mails')
    .select(['id', 'kind', 'recipient', 'subject', 'status', 'attempts', 'last_error'])
    .select(['created_at', 'next_attempt_at', 'sent_at'])
  const page = before === undefined ? query : query.where('id', '<', before)
  return page.orderBy('id', 'desc').limit(limit).execute()
}

/** The mails on their way, counted up to 10,000, and since when the one that is due for longest could be sent. */
export async function findQueue(db: Db, now: string): Promise<{ queued: Queue; sending: number }> {
  const first = await db
    .selectFrom('mails')
    .select('next_attempt_at')
    .where(queued)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return {
    queued: {
      count: await countUpToMost(db, sql`mails where status = 'queued'`),
      since: first?.next_attempt_at ?? null,
    },
    sending: await countUpToMost(db, sql`mails where status = 'sending'`),
  }
}

/** Deletes finished mails that were queued before a time. */
export const deleteFinished = (tx: Tx, before: Date) =>
  tx
    .deleteFrom('mails')
    .where('created_at', '<', before.toISOString())
    .where('status', 'not in', ['queued', 'sending'])
    .execute()

/** The texts of unfinished mails after an id, in the order of ids. */
export const listBodies = (db: Db, after: string): Promise<{ id: string; sealed_body: string }[]> =>
  db
    .selectFrom('mails')
    .select('id')
    .select((e) => e.ref('sealed_body').$notNull().as('sealed_body'))
    .where('sealed_body', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(500)
    .execute()

/** Replaces a text, unless the mail was finished since. */
export const replaceBody = (tx: Tx, id: string, before: string, sealed_body: string) =>
  tx.updateTable('mails').set({ sealed_body }).where('id', '=', id).where('sealed_body', '=', before).execute()
