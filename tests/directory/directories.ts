import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type ErrorCode, ServiceError } from '../../contract/errors.ts'
import type { DirectorySettings, DirectoryUser, IdentityDirectory } from '../../server/access/directory/directory.ts'
import { openDirectory } from '../../server/access/directory/open.ts'
import type { FakeDirectory, Person } from '../support/directories.ts'

export const people: Person[] = [
  { id: 'a1', username: 'alice', first: 'Alice', last: 'Liddell', externalId: 'X-alice' },
  { id: 'b2', username: 'bob', first: 'Bob', last: 'Builder', email: null, enabled: false, externalId: 'X-bob' },
  { id: 'c3', username: 'carol', first: 'Carol', last: 'Liddell', otherEmails: ['other@example.com'] },
]

export const open = (
  fake: FakeDirectory,
  settings: Partial<DirectorySettings> = {},
  timeoutMs = 5000,
  now = () => new Date(),
) => openDirectory({ ...fake.settings, ...settings }, now, { timeoutMs })

export const { signal } = new AbortController()

export const find = (directory: IdentityDirectory, q: string, limit = 25) => directory.search(q, { limit, signal })

export const namesOf = ({ users }: { users: DirectoryUser[] }) => users.map((user) => user.username?.replace(/@.*/, ''))

/** Everybody, page by page. */
export async function findAll(directory: IdentityDirectory, q: string, limit: number): Promise<DirectoryUser[][]> {
  const pages: DirectoryUser[][] = []
  let cursor: string | undefined
  do {
    const { users, nextCursor } = await directory.search(q, { limit, cursor, signal })
    pages.push(users)
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined && pages.length < 100)
  return pages
}

/** Asserts the refusal, and that nothing of it tells a secret. */
export async function refused(call: Promise<unknown>, code: ErrorCode, detail?: RegExp): Promise<ServiceError> {
  const error = await call.then(
    () => assert.fail(`expected ${code}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ServiceError, inspect(error))
  assert.equal(error.code, code, inspect(error))
  if (detail) assert.match(error.message, detail)
  const said = inspect(error, { depth: 10, showHidden: true })
  assert.doesNotMatch(said, /s3cr|token-|CONFIDENTIAL/)
  return error
}
