import { findUsers } from '../../access/users/store.ts'
import { canonicalId } from '../../base/canonical-id.ts'
import type { Db } from '../../db/schema.ts'
import { findAuthors } from '../../storage/history/former/changes-store.ts'

/** Who made a change, and by what. */
export type Author = Awaited<ReturnType<typeof findAuthors>>[number]

/** More are forgotten, and found again. */
const MOST_KNOWN = 20_000

/** Who is meant by the ids in rows. */
export class People {
  readonly #authors = new Map<number, Author>()
  readonly #emails = new Map<string, string>()
  readonly #owners = new Map<string | null, string>()

  /** Finds whom these rows name, so that the rest can be asked of them. */
  async find(db: Db, rows: readonly { author: number | null; created_by?: string | null }[]): Promise<void> {
    for (const known of [this.#authors, this.#emails, this.#owners]) if (known.size > MOST_KNOWN) known.clear()
    const authors = new Set<number>()
    const users = new Set<string>()
    for (const { author, created_by = null } of rows) {
      const known = author === null ? undefined : this.#authors.get(Number(author))
      if (author !== null && !known) authors.add(Number(author))
      for (const user of [created_by, known?.user_id ?? null])
        if (user !== null && !this.#emails.has(user)) users.add(user)
    }
    for (const one of await findAuthors(db, [...authors])) {
      this.#authors.set(Number(one.id), one)
      if (one.user_id !== null && !this.#emails.has(one.user_id)) users.add(one.user_id)
    }
    for (const { id, email } of await findUsers(db, [...users])) this.#emails.set(id, email)
  }

  author(id: number | null): Author | undefined {
    return id === null ? undefined : this.#authors.get(Number(id))
  }

  email(userId: string | null): string | null {
    return userId === null ? null : (this.#emails.get(userId) ?? null)
  }

  /** As S3 calls who has made something. */
  owner(userId: string | null): string {
    const known = this.#owners.get(userId)
    if (known !== undefined) return known
    const id = canonicalId(userId)
    this.#owners.set(userId, id)
    return id
  }
}
