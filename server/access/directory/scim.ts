import { decodeCursor } from '../../base/cursor.ts'
import type { DirectorySettings, DirectoryUser, IdentityDirectory } from './directory.ts'
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

export const scimHint = 'The token needs permission to read users.'

type SubjectAttribute = DirectorySettings['subjectAttribute']

const attributes = 'id,externalId,userName,displayName,name,emails,active'
/** Contains, starts with, equals: servers need not support them all (RFC 7644 section 3.4.2.2). */
const operators = ['co', 'sw', 'eq']

/** The users of a SCIM 2.0 server (RFC 7643, RFC 7644) at `url`. Logins carry the attribute `subject`. */
export function openScim(url: string, subject: SubjectAttribute, ask: Ask): IdentityDirectory {
  const users = `${url}/Users`
  const askScim: Ask = (at, options) =>
    ask(at, { ...options, headers: { accept: 'application/scim+json, application/json;q=0.9' } })
  const toUser = (row: unknown) => toUserBy(subject, row)

  return {
    kind: 'scim2',

    async search(q, { limit, cursor, signal }) {
      const text = plainText(q)
      const given = decodeCursor(cursor, 2)
      if (given && !(/^[1-9]\d{0,8}$/.test(given[0] ?? '') && operators.includes(given[1] ?? ''))) throw wrongCursor()
      if (text === '') return { users: [], nextCursor: null }

      /** Null if the server does not support the operator. */
      async function read(startIndex: string, operator: string) {
        const filter = ['userName', 'displayName', 'emails.value']
          .map((attribute) => `${attribute} ${operator} ${quote(text)}`)
          .join(' or ')
        const query = { filter, startIndex, count: limit, attributes }
        const { body } = await askScim(withQuery(users, query), { signal, pass: [400] })
        if (body === undefined) return null
        const rows = resourcesOf(body).slice(0, limit)
        const after = Number(startIndex) + rows.length
        const more = rows.length > 0 && after <= Number(field(body, 'totalResults'))
        const found = rows.map(toUser).filter((user) => user !== null)
        return { users: found, next: more ? [String(after), operator] : null }
      }

      return pageWithUsers(given ?? ['1'], async ([startIndex = '1', known]) => {
        for (const operator of known === undefined ? operators : [known]) {
          const page = await read(startIndex, operator)
          if (page) return page
        }
        throw unavailable('The SCIM server rejected our filters.')
      })
    },

    async get(externalId, { signal }) {
      if (subject === 'id') {
        const id = pathSegment(externalId)
        if (id === null) return null
        return readUser(askScim, withQuery(`${users}/${id}`, { attributes }), externalId, { toUser, signal })
      }
      const query = { filter: `${subject} eq ${quote(externalId)}`, startIndex: 1, count: 10, attributes }
      const { body } = await askScim(withQuery(users, query), { signal })
      // Servers may ignore case; the claims of logins are compared exactly.
      const [user, other] = resourcesOf(body)
        .map(toUser)
        .filter((found) => found?.externalId === externalId)
      if (other) throw unavailable(`The SCIM server has several users with this ${subject}.`)
      return user ?? null
    },
  }
}

/** The rows of a list response, which may lack them if there are no results (RFC 7644 section 3.4.2). */
const resourcesOf = (body: unknown): unknown[] =>
  field(body, 'totalResults') === 0 ? [] : rowsOf(field(body, 'Resources'))

/** A string in a filter is a JSON string (RFC 7644 section 3.4.2.2, RFC 8259 section 7). */
const quote = (text: string): string => JSON.stringify(text)

function toUserBy(subject: SubjectAttribute, row: unknown): DirectoryUser | null {
  const externalId = idField(row, subject)
  if (externalId === null) return null
  const username = textField(row, 'userName')
  const name = field(row, 'name')
  const names = [textField(name, 'givenName'), textField(name, 'familyName')].filter((part) => part !== null).join(' ')
  return {
    externalId,
    email: emailOf(field(row, 'emails')),
    displayName: textField(row, 'displayName') ?? textField(name, 'formatted') ?? (names || username || externalId),
    username,
    // Some servers send a string.
    enabled: !/^false$/i.test(String(field(row, 'active'))),
  }
}

/** The primary address, otherwise the first. */
function emailOf(emails: unknown): string | null {
  const all = Array.isArray(emails) ? emails.filter((email) => textField(email, 'value') !== null) : []
  return textField(all.find((email) => field(email, 'primary') === true) ?? all[0], 'value')
}
