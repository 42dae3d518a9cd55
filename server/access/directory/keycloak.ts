import { decodeCursor } from '../../base/cursor.ts'
import type { DirectoryUser, IdentityDirectory } from './directory.ts'
import {
  type Ask,
  field,
  idField,
  pageWithUsers,
  pathSegment,
  plainText,
  readUser,
  rowsOf,
  textField,
  withQuery,
  wrongCursor,
} from './fetch.ts'

export const keycloakHint =
  'The service account of the client needs the roles query-users and view-users of realm-management.'

/** The users of a realm, through the admin API of the Keycloak at `url`. Logins carry the user's id as `sub`. */
export function openKeycloak(url: string, realm: string, ask: Ask): IdentityDirectory {
  const users = `${url}/admin/realms/${encodeURIComponent(realm)}/users`
  return {
    kind: 'keycloak',

    async search(q, { limit, cursor, signal }) {
      const search = searchText(q)
      const [from = '0'] = decodeCursor(cursor, 1) ?? []
      if (!/^\d{1,9}$/.test(from)) throw wrongCursor()
      if (search === '') return { users: [], nextCursor: null }

      return pageWithUsers([from], async ([at]) => {
        const first = Number(at)
        // One more than the page, to know whether there is another.
        const query = { search, first, max: limit + 1, briefRepresentation: 'true' }
        const { body } = await ask(withQuery(users, query), { signal })
        const rows = rowsOf(body)
        const people = rows
          .slice(0, limit)
          .map(toUser)
          .filter((user) => user !== null)
        const next = rows.length > limit ? [String(first + limit)] : null
        return { users: people.filter((user) => !isServiceAccount(user)), next }
      })
    },

    async get(externalId, { signal }) {
      const id = pathSegment(externalId)
      const user = id === null ? null : await readUser(ask, `${users}/${id}`, externalId, { toUser, signal })
      return user && !isServiceAccount(user) ? user : null
    },
  }
}

/**
 * The value of `search`: matches each word anywhere in the name, email address or username. Empty for text without
 * words. Keycloak splits at spaces, treats * as a wildcard that cannot be escaped, "word" as exact and a leading id: as
 * a lookup by id; a word between asterisks is none of these.
 */
function searchText(q: string): string {
  const text = plainText(q.replaceAll('*', ' ')).replace(/^(id:\s*)+/i, '')
  const words = text.split(/\s+/).filter((word) => word !== '')
  return words.map((word) => `*${word}*`).join(' ')
}

/** Keycloak creates such a user for each client with a service account and lists it with the people. */
const isServiceAccount = (user: DirectoryUser) => user.username?.startsWith('service-account-') === true

function toUser(row: unknown): DirectoryUser | null {
  const externalId = idField(row, 'id')
  if (externalId === null) return null
  const username = textField(row, 'username')
  const names = [textField(row, 'firstName'), textField(row, 'lastName')].filter((name) => name !== null)
  return {
    externalId,
    email: textField(row, 'email'),
    displayName: names.join(' ') || username || externalId,
    username,
    enabled: field(row, 'enabled') !== false,
  }
}
