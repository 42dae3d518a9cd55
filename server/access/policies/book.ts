// The policies of all buckets, as every decision needs them: kept until one of them changes.
import type { Db } from '../../db/schema.ts'
import { type Policy, readPolicy } from '../../iam/document.ts'
import { MalformedPolicy } from '../../iam/malformed.ts'
import type { UsersByArn } from '../../iam/principal.ts'
import * as store from './store.ts'

/** A bucket policy as it is kept: as it was written, and the users that it names. */
export interface KeptPolicy {
  text: string
  /** Missing in policies of earlier releases, which named nobody. */
  users?: UsersByArn
}

/** The policies of buckets by their names. */
export interface PolicyBook {
  /** What the policies are as a whole. */
  token: string
  of(bucket: string): Policy | undefined
}

interface Page {
  document: string
  /** Compiled when it is first asked for. */
  policy?: Policy
}

/** Allows nobody anything, and denies everyone everything: what cannot be read must not open what it closed. */
const CLOSED = (bucket: string): Policy =>
  readPolicy(
    JSON.stringify({
      Statement: {
        Sid: 'Unreadable',
        Effect: 'Deny',
        Principal: '*',
        Action: '*',
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
      },
    }),
    { of: 'bucket', bucket, users: {} },
  )

function compile(document: string, bucket: string): Policy {
  const { text, users = {} } = JSON.parse(document) as KeptPolicy
  try {
    return readPolicy(text, { of: 'bucket', bucket, users }, true)
  } catch (error) {
    if (error instanceof MalformedPolicy) return CLOSED(bucket)
    throw error
  }
}

/** The latest books by their tokens, each of which is random: the same token is the same policies, whoever reads them. */
const books = new Map<string, { book: PolicyBook; pages: ReadonlyMap<string, Page> }>()
const MOST_BOOKS = 8

/**
 * The policies of all buckets as `token` says, which every statement about a credential brings along; undefined where no
 * bucket has one. Those that have not changed are not compiled again.
 */
export function bookOf(db: Db, token: string): PolicyBook | undefined | Promise<PolicyBook | undefined> {
  if (token === '') return undefined
  const known = books.get(token)
  return known ? asked(known) : read(db)
}

const asked = ({ book, pages }: { book: PolicyBook; pages: ReadonlyMap<string, Page> }) =>
  pages.size === 0 ? undefined : book

/** The policies of all buckets as they are now. */
export async function read(db: Db): Promise<PolicyBook | undefined> {
  const rows = await store.findPolicies(db, {})
  const token = rows[0]?.policies ?? ''
  const latest = [...books.values()].at(-1)?.pages
  const pages = new Map<string, Page>()
  for (const { name, document } of rows) {
    if (name === null || document === null) continue
    const before = latest?.get(name)
    pages.set(name, before?.document === document ? before : { document })
  }
  const of = (bucket: string): Policy | undefined => {
    const page = pages.get(bucket)
    if (page) page.policy ??= compile(page.document, bucket)
    return page?.policy
  }
  const entry = { book: { token, of }, pages }
  for (const old of books.keys()) if (books.size >= MOST_BOOKS) books.delete(old)
  books.set(token, entry)
  return asked(entry)
}
