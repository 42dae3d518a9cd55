// What anyone may do at a place, with a credential and without.
import { PUBLIC_GROUP } from '../../../../contract/public-access.ts'
import { publicActor, systemActor } from '../../../access/actors.ts'
import type { PolicyBook } from '../../../access/policies/book.ts'
import { type Asking, inForce } from '../../../access/policies/in-force.ts'
import { isPublicAccessOn } from '../../../access/settings/public-access.ts'
import type { Ctx } from '../../../context.ts'
import type { Asker, PoliciesInForce } from '../../../iam/asker.ts'
import { leftOpen, type Place } from '../../../iam/outlook.ts'
import { ACCOUNT_ID } from '../../../iam/principal.ts'
import { type AclReader, aclOf, grantsTo } from '../../../storage/buckets/documents/acl.ts'
import { findPublicRights, type PublicRights } from '../../../storage/buckets/documents/public-access.ts'
import { OF_OBJECT_ACLS, ownOutlook, type Somebody, type WithEveryone } from './rows.ts'

/** What everyone may do with things as they are, and with former versions of them. */
interface Rights {
  current: PublicRights
  versions: PublicRights
}
/** What everyone may do, with a credential and without. */
export interface Everyone {
  authenticated: Rights
  everyone: Rights
}

/** What is asked about. */
export interface About {
  book: PolicyBook
  place: Place
  /** Null while nothing can be public. */
  found: Everyone | null
  now: Ctx['now']
}

/** Nothing is known of a request, but when it comes. */
export const asking = ({ now }: Pick<Ctx, 'now'>): Asking => ({ origin: systemActor.origin, now })

/** What everyone may do in a bucket at the S3 endpoint; null while nothing can be public. */
export async function everyoneAt(ctx: Ctx, { bucket }: Place): Promise<Everyone | null> {
  if (!(await isPublicAccessOn(ctx))) return null
  const find = (as: AclReader, about: 'current' | 'versions') =>
    findPublicRights(ctx.db, { as, buckets: new Map([[bucket, [about]]]) })
  const both = async (as: AclReader): Promise<Rights> => ({
    current: await find(as, 'current'),
    versions: await find(as, 'versions'),
  })
  return { authenticated: await both('authenticated'), everyone: await both('everyone') }
}

const besides = ({ groups, policies }: Asker, { group, open }: PublicRights): Asker => ({
  groups: [...groups, group],
  ...(policies && { policies: { ...policies, open } }),
})

/** Everyone without a credential, or with one; `acl`: of the object that is asked about, if it is one. */
export function everyone(as: AclReader, { book, found, place, now }: About, acl: string | null): Somebody {
  const judged = inForce(book, [], publicActor(systemActor.origin), asking({ now }))
  const policies = leftOpen(
    as === 'everyone' ? judged : withCredential(judged),
    as === 'everyone' ? 'user' : 'everyone',
  )
  const asker: Asker = { groups: [], policies }
  if (!found) return { asker, owned: [] }
  const { current, versions } = found[as]
  const own = besides(asker, current)
  const isRead = current.acls.has(place.bucket) && (place.below || grantsTo(aclOf(acl), as, 'READ'))
  return {
    asker: own,
    ofVersions: besides(asker, versions),
    owned: [],
    ...(isRead && { withObjectAcls: withObjectAcls(own, place) }),
  }
}

/** What somebody may do with what everyone may do besides; nothing while nothing can be public. */
export function comparing(about: About): (asker: Asker) => { withEveryone?: WithEveryone } {
  const { found, place } = about
  if (!found) return () => ({})
  const { current, versions } = found.authenticated
  const common = everyone('authenticated', about, null)
  const known = new Map<string | null, ReturnType<typeof ownOutlook>>()
  const ofEveryone: WithEveryone['everyone'] = (asked) => {
    if (!known.has(asked.action)) known.set(asked.action, ownOutlook(common, asked, place))
    return known.get(asked.action)
  }
  return (asker) => ({
    withEveryone: { asker: besides(asker, current), ofVersions: besides(asker, versions), everyone: ofEveryone },
  })
}

const withObjectAcls = ({ groups, ...asker }: Asker, { bucket, key }: Place): Asker => {
  const grant = { id: OF_OBJECT_ACLS, bucket_pattern: bucket, prefix: key, actions: ['read'] as const }
  return { ...asker, groups: [...groups, { id: PUBLIC_GROUP, name: 'Public', global: [], grants: [grant] }] }
}

/** Whoever has a credential is of the account, and nobody in particular here. */
const withCredential = (policies: PoliciesInForce): PoliciesInForce => ({
  ...policies,
  principal: { ...policies.principal, kind: 'user' },
  known: (key) => (key === 'aws:principalaccount' ? [ACCOUNT_ID] : policies.known(key)),
})
