import type { Mail } from '../../../contract/mail.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import * as store from './store.ts'

/** The mails that are kept, latest first. */
export async function listMails(
  { db }: Ctx,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: Mail[]; next_cursor: string | null }> {
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listMails(db, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: page, next_cursor }
}
