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
  unavailable,
  withQuery,
  wrongCursor,
} from './fetch.ts'

const $select = 'id,displayName,mail,userPrincipalName,accountEnabled'

export const graphHint =
  'The application needs the application permission User.Read.All, with the consent of an administrator.'

/** The users of Microsoft Entra, through Microsoft Graph v1.0 at `url`. Logins carry the user's id as `oid`. */
export function openGraph(url: string, ask: Ask): IdentityDirectory {
  const users = new URL(`${url}/v1.0/users`).href
  // Following a link sends our token, so it must lead where our own request would have gone.
  const isOurs = (link: string) => URL.canParse(link) && new URL(link).href.startsWith(`${users}?`)

  return {
    kind: 'msgraph',

    async search(q, { limit, cursor, signal }) {
      const $search = searchClause(q)
      const [given] = decodeCursor(cursor, 1) ?? []
      if (given !== undefined && !isOurs(given)) throw wrongCursor()
      if ($search === null) return { users: [], nextCursor: null }
      const first = withQuery(users, { $search, $select, $top: limit, $count: 'true' })

      return pageWithUsers([given ?? first], async ([link = first]) => {
        // Links do not carry the header, so every page needs it. A link that is too old gives a 400.
        const headers = { ConsistencyLevel: 'eventual' }
        const { body } = await ask(link, { signal, headers, pass: link === given ? [400] : [] })
        if (body === undefined) throw wrongCursor()
        const next = field(body, '@odata.nextLink') ?? null
        if (next !== null && (typeof next !== 'string' || !isOurs(next)))
          throw unavailable('Microsoft Graph returned a next page link that does not list its users.')
        const people = rowsOf(field(body, 'value')).map(toUser)
        return { users: people.filter((user) => user !== null), next: next === null ? null : [next] }
      })
    },

    async get(externalId, { signal }) {
      const id = pathSegment(externalId)
      return id === null
        ? null
        : readUser(ask, withQuery(`${users}/${id}`, { $select }), externalId, { toUser, signal })
    },
  }
}

/**
 * The value of `$search`: matches words of the name by their beginning, or the beginning of the email address or
 * username. Null for text that contains nothing to search for.
 */
function searchClause(q: string): string | null {
  // Graph sometimes decodes values twice: %22 would become a quote, and & and # would end the value.
  const text = plainText(q.replace(/[&#%]/g, ' '))
  if (!/[a-z0-9]|\P{ASCII}/iu.test(text)) return null
  const quoted = text.replace(/["\\]/g, '\\$&')
  return ['displayName', 'mail', 'userPrincipalName'].map((property) => `"${property}:${quoted}"`).join(' OR ')
}

function toUser(row: unknown): DirectoryUser | null {
  const externalId = idField(row, 'id')
  if (externalId === null) return null
  const username = textField(row, 'userPrincipalName')
  return {
    externalId,
    email: textField(row, 'mail') ?? username,
    displayName: textField(row, 'displayName') ?? username ?? externalId,
    username,
    enabled: field(row, 'accountEnabled') !== false,
  }
}
