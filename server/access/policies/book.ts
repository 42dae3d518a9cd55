// The policies of buckets, users and groups, as every decision needs them: kept until one of them changes.

import { setWithin } from '../../base/bounded.ts'
import type { Db } from '../../db/schema.ts'
import { type Policy, readPolicy } from '../../iam/document.ts'
import { MalformedPolicy } from '../../iam/malformed.ts'
import type { UsersByArn } from '../../iam/principal.ts'
import { policiesOfGroup, policiesOfKey, policiesOfRole, policiesOfUser } from '../identity-policies/of-user.ts'
import * as store from './store.ts'

/** A bucket policy as it is kept: as it was written, and the users that it names. */
export interface KeptPolicy {
  text: string
  /** Missing in policies of earlier releases, which named nobody. */
  users?: UsersByArn
}

/** The policies of buckets by their names, and of users by their ids. */
export interface PolicyBook {
  /** What the policies are as a whole. */
  token: string
  of(bucket: string): Policy | undefined
  /** Whether any bucket has a policy. */
  hasBuckets: boolean
  /** Those of a user and of the groups that they are in. */
  ofUser: PoliciesOf
  ofRole: PoliciesOf
  /** Those of a group, for sessions that have groups and are nobody's account. */
  ofGroup: PoliciesOf
  /** What limits an access key. */
  ofKey: PoliciesOf
}

/** The policies of somebody, by their id. */
type PoliciesOf = (db: Db, id: string) => readonly Policy[] | Promise<readonly Policy[]>

interface Entry {
  book: PolicyBook
  pages: ReadonlyMap<string, Page>
  /** Whether there is any policy. */
  any: boolean
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
const books = new Map<string, Entry>()
const MOST_BOOKS = 8

const NONE: readonly Policy[] = []
const nobodys: PoliciesOf = () => NONE

/** Where there are no policies at all. */
export const EMPTY_BOOK: PolicyBook = {
  token: '',
  of: () => undefined,
  hasBuckets: false,
  ofUser: nobodys,
  ofRole: nobodys,
  ofGroup: nobodys,
  ofKey: nobodys,
}
const MOST_USERS = 10_000

/** The policies of users, roles or groups, read when they are first asked for. */
function readOnce(find: (db: Db, id: string) => Promise<readonly Policy[]>): PoliciesOf {
  const known = new Map<string, readonly Policy[]>()
  return (db, id) =>
    known.get(id) ??
    find(db, id).then((policies) => {
      setWithin(known, id, policies, MOST_USERS)
      return policies
    })
}

/**
 * The policies as `token` says, which every statement about a credential brings along; undefined where there are none. Those
 * that have not changed are not compiled again.
 */
export function bookOf(db: Db, token: string): PolicyBook | undefined | Promise<PolicyBook | undefined> {
  if (token === '') return undefined
  const known = books.get(token)
  return known ? asked(known) : read(db)
}

const asked = ({ book, any }: Entry) => (any ? book : undefined)

/** The policies as they are now. */
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
  const ofIdentities = Boolean(rows[0]?.of_identities)
  const hasBuckets = pages.size > 0
  const ofUser = ofIdentities ? readOnce(policiesOfUser) : nobodys
  const ofRole = ofIdentities ? readOnce(policiesOfRole) : nobodys
  const ofGroup = ofIdentities ? readOnce(policiesOfGroup) : nobodys
  const ofKey = ofIdentities ? readOnce(policiesOfKey) : nobodys
  const book = { token, of, hasBuckets, ofUser, ofRole, ofGroup, ofKey }
  const entry = { book, pages, any: hasBuckets || ofIdentities }
  for (const old of books.keys()) if (books.size >= MOST_BOOKS) books.delete(old)
  books.set(token, entry)
  return asked(entry)
}
