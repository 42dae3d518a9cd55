// By which policies a caller is judged, and what conditions can know of their request.
import { canonicalId } from '../../base/canonical-id.ts'
import type { Actor, Origin } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { PoliciesInForce } from '../../iam/asker.ts'
import type { Known } from '../../iam/conditions.ts'
import type { Policy } from '../../iam/document.ts'
import { userArn, userNameOf } from '../../iam/names.ts'
import { ACCOUNT_ID, anonymous, type Principal } from '../../iam/principal.ts'
import { bookOf, type PolicyBook } from './book.ts'

/** Whose request it is, as far as policies can tell. */
type Caller = Pick<Actor, 'type' | 'user_id' | 'email' | 'auth_method'> & {
  token_id?: string | null
  second_factor?: boolean
  path?: string
}

/** A user as policies name them; everyone else is nobody in particular. */
export const principalOf = ({ user_id, email, path }: Pick<Caller, 'user_id' | 'email' | 'path'>): Principal =>
  user_id === null || email === null
    ? anonymous
    : { kind: 'user', user: user_id, arn: userArn({ email, path }), canonicalId: () => canonicalId(user_id) }

/**
 * The policies that a caller is judged by; undefined where there are none. `token`: of the policies, as the statement
 * about the credential found it.
 */
export async function policiesFor(
  db: Db,
  token: string,
  caller: Caller,
  { origin, now }: Asking,
): Promise<PoliciesInForce | undefined> {
  const found = bookOf(db, token)
  const book = found instanceof Promise ? await found : found
  if (!book) return undefined
  const own = caller.user_id === null ? [] : book.ofUser(db, caller.user_id)
  const ofCaller = own instanceof Promise ? await own : own
  const key = caller.auth_method === 'access_key' ? caller.token_id : null
  const ofKey = key ? book.ofKey(db, key) : []
  const [ofSession] = ofKey instanceof Promise ? await ofKey : ofKey
  if (ofCaller.length === 0 && !ofSession && !book.hasBuckets) return undefined
  const policies = inForce(book, ofCaller, caller, { origin, now })
  if (ofSession) policies.ofSession = ofSession
  return policies
}

/** From where somebody asks, and when. */
export interface Asking {
  origin: Origin
  now(): Date
}

/** How a caller is judged by the policies of buckets and by their own. */
export const inForce = (
  book: PolicyBook,
  ofCaller: readonly Policy[],
  caller: Caller,
  { origin, now }: Asking,
): PoliciesInForce => ({
  principal: principalOf(caller),
  ofBucket: book.of,
  ofCaller,
  latest: {},
  known: (key) => known(key, caller, { origin, now }),
  // Known once the request is understood, which is after its caller is.
  get names() {
    return origin.asks?.names ?? {}
  },
})

const one = (value: string | null | undefined): Known => (value === null || value === undefined ? undefined : [value])

/** What is known of a request under a key, in the form of `keyOf`: from the caller, the connection, and the front. */
function known(key: string, caller: Caller, { origin, now }: Asking): Known {
  const isUser = caller.user_id !== null
  switch (key) {
    case 'aws:username':
      return one(caller.email === null ? null : userNameOf(caller.email))
    case 'aws:userid':
      return one(caller.user_id ?? (caller.type === 'public' ? 'anonymous' : null))
    case 'aws:principalarn':
      return one(principalOf(caller).arn)
    case 'aws:principalaccount':
      return isUser ? [ACCOUNT_ID] : undefined
    case 'aws:principaltype':
      return [isUser ? 'User' : 'Anonymous']
    case 'aws:principalisawsservice':
    case 'aws:viaawsservice':
      return ['false']
    case 'aws:multifactorauthpresent':
      return caller.auth_method === 'local' || caller.auth_method === 'idp'
        ? [String(caller.second_factor ?? false)]
        : undefined
    // Of Ceph's gateway: whether the credentials are temporary.
    case 'sts:authentication':
      return ['false']
    case 'aws:sourceip':
      return one(origin.ip)
    case 'aws:useragent':
      return one(origin.user_agent)
    case 'aws:currenttime':
      return [now().toISOString()]
    case 'aws:epochtime':
      return [String(Math.floor(now().getTime() / 1000))]
    case 'aws:resourceaccount':
    case 's3:resourceaccount':
      return [ACCOUNT_ID]
    default:
      return origin.asks?.known(key)
  }
}
