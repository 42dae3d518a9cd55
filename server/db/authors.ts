import { perSystem } from '../base/per-system.ts'
import type { Database } from './database.ts'
import { prepared } from './prepare.ts'
import type { NewRow, Tx } from './schema.ts'

/** Who makes changes, and by what: a row of `change_authors` for each. */
export type Author = Omit<NewRow<'change_authors'>, 'id' | 'name'>

/** What of whoever acts makes them an author. */
interface Acting {
  type: string
  user_id: string | null
  auth_method: string | null
  token_id: string | null
  share_id?: string
  job_id?: string
  session?: { role_id: string | null; user_id: string | null }
}

/** The author as whom an actor's changes are noted. */
export const authorOf = ({ type, user_id, auth_method, token_id, session, share_id, job_id }: Acting): Author => ({
  kind: auth_method ?? type,
  user_id: user_id ?? session?.user_id ?? null,
  // Of a session, its role: sessions are too many, and gone soon. Of an agent's link, the agent.
  credential_id: token_id ?? session?.role_id ?? null,
  share_id: share_id ?? null,
  job_id: job_id ?? null,
})

/** Authors whose numbers are remembered; a service has fewer at a time. */
const MOST = 10_000
const numbersOf = perSystem((_database: Database) => new Map<string, number>())

const find = prepared((tx: Tx, { name }: { name: string }) =>
  tx.selectFrom('change_authors').select('id').where('name', '=', name),
)

/** The number of an author, which changes are noted under; in a transaction of its own, by `transact`, where it is not known yet. */
export function numberOfAuthor(
  database: Database,
  author: Author,
  transact: (work: (tx: Tx) => Promise<number>) => Promise<number>,
): number | Promise<number> {
  const { kind, user_id, credential_id, share_id, job_id } = author
  const name = JSON.stringify([kind, user_id, credential_id, share_id, job_id])
  const numbers = numbersOf(database)
  return numbers.get(name) ?? look()

  async function look(): Promise<number> {
    const number = await transact(async (tx) => {
      const [known] = await find(tx, { name })
      if (known) return known.id
      await tx
        .insertInto('change_authors')
        .values({ name, kind, user_id, credential_id, share_id, job_id })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      const [made] = await find(tx, { name })
      if (!made) throw new Error('An author that was just noted is not there')
      return made.id
    })
    if (numbers.size >= MOST) numbers.clear()
    numbers.set(name, number)
    return number
  }
}
