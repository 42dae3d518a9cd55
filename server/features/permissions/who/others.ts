// Who but users has access to a place of a bucket: anyone, and whoever comes with a session of a role.
import type { OtherAccess } from '../../../../contract/bucket-access.ts'
import { EMPTY_BOOK, type PolicyBook, read as readBook } from '../../../access/policies/book.ts'
import { type Asking, inForce } from '../../../access/policies/in-force.ts'
import { fullProviderArn } from '../../../access/roles/arn.ts'
import { findRole } from '../../../access/roles/service.ts'
import { decodeCursor, encodeCursor } from '../../../base/cursor.ts'
import type { Ctx } from '../../../context.ts'
import type { Db, Row } from '../../../db/schema.ts'
import type { Asker } from '../../../iam/asker.ts'
import { leftOpen } from '../../../iam/outlook.ts'
import { findObject } from '../../../storage/objects/store.ts'
import { othersIn } from './candidates.ts'
import { type About, asking, comparing, everyone, everyoneAt } from './everyone.ts'
import { namesIn } from './names.ts'
import { rightsOf, type Somebody } from './rows.ts'
import { findOwned, listRoleCandidates } from './store.ts'
import { type AccessQuery, ownedBy, placeOf } from './users.ts'

type Kind = OtherAccess['kind']
type Role = Pick<Row<'roles'>, 'id' | 'name' | 'path'>
/** Who would act with a session of a role. */
export type ActorOfRole = (
  db: Db,
  book: PolicyBook,
  role: Role & { session?: string },
  asking: Asking,
) => Promise<Asker>

/** Those who are not found in tables, in the order of the list; roles come after them. */
const FIRST: readonly Exclude<Kind, 'role'>[] = ['anyone', 'signed_in', 'provider', 'session']

interface Other {
  kind: Kind
  name: string
  somebody: () => Promise<Somebody | undefined>
}

/** Who but users may do something at a place of a bucket; for those who manage the bucket or users. */
export async function listOtherAccess(ctx: Ctx, bucket: string, query: AccessQuery, actorOfRole: ActorOfRole) {
  const place = placeOf(ctx, bucket, query)
  const { limit = 100 } = query
  const [kind = '', name = ''] = decodeCursor(query.cursor, 2) ?? []
  const book = (await readBook(ctx.db)) ?? EMPTY_BOOK
  const named = othersIn(book.of(bucket))
  const found = { ctx, book, place, found: await everyoneAt(ctx, place), now: ctx.now, actorOfRole }
  const others = firstOf(found, named).filter((one) => isAfter(one, kind, name))
  const roles = await listRoleCandidates(
    ctx.db,
    named.roles.map((role) => role.toLowerCase()),
    kind === 'role' ? name : '',
    limit + 1,
  )
  const all = [...others, ...roles.map((role) => otherOf(found, role))]
  const page = all.slice(0, limit)
  const names = await namesIn(ctx.db, book.of(bucket))
  const items: OtherAccess[] = []
  for (const other of page) {
    const somebody = await other.somebody()
    const rights = somebody && rightsOf(somebody, place, names)
    if (rights && rights.decisions.length > 0) items.push({ kind: other.kind, name: other.name, ...rights })
  }
  const last = page.at(-1)
  const isMore = all.length > limit && last !== undefined
  return { items, next_cursor: isMore ? encodeCursor([last.kind, keyOf(last)]) : null }
}

const keyOf = ({ kind, name }: Other): string => (kind === 'role' ? name.toLowerCase() : name)
const rankOf = (kind: string): number =>
  kind === '' ? -1 : kind === 'role' ? FIRST.length : FIRST.indexOf(kind as never)
const isAfter = ({ kind, name }: Other, after: string, than: string): boolean =>
  rankOf(kind) > rankOf(after) || (kind === after && name > than)

interface Found extends About {
  ctx: Ctx
  actorOfRole: ActorOfRole
}

/** Everyone, and those whom the policy of the bucket names. */
function firstOf(found: Found, { providers, sessions }: ReturnType<typeof othersIn>): Other[] {
  const { ctx, place } = found
  const ofEveryone = (as: 'everyone' | 'authenticated') => async () => {
    const { bucket, key, below } = place
    const acl = below || !found.found ? null : ((await findObject(ctx.db, bucket, key))?.acl ?? null)
    return everyone(as, found, acl)
  }
  return [
    // Without a credential nothing is answered while nothing can be public.
    ...(found.found ? [{ kind: 'anyone' as const, name: '', somebody: ofEveryone('everyone') }] : []),
    { kind: 'signed_in', name: '', somebody: ofEveryone('authenticated') },
    ...providers.map((name): Other => ({ kind: 'provider', name, somebody: async () => ofProvider(found, name) })),
    ...sessions.map((name): Other => ({ kind: 'session', name, somebody: () => ofSession(found, name) })),
  ]
}

const otherOf = (found: Found, role: Role): Other => ({
  kind: 'role',
  name: role.name,
  somebody: () => ofRole(found, role),
})

/** A session of a role, whichever it is, or one by its name. */
async function ofRole(found: Found, role: Role & { session?: string }): Promise<Somebody> {
  const { ctx, book, actorOfRole } = found
  const owned = ownedBy(await findOwned(ctx.db, [role.id]), role.name)
  const { policies } = await actorOfRole(ctx.db, book, role, asking(ctx))
  const ofCaller = owned.map(({ policy }) => policy)
  const asker: Asker = { groups: [], ...(policies && { policies: leftOpen({ ...policies, ofCaller }, 'role') }) }
  return { asker, owned, ...comparing(found)(asker) }
}

async function ofSession(found: Found, name: string): Promise<Somebody | undefined> {
  const [of = '', session = ''] = name.split('/')
  const role = await findRole(found.ctx, of)
  return role && ofRole(found, { ...role, session })
}

/** Whoever has a session that a token of an identity provider opened, of whichever role. */
function ofProvider({ ctx, book }: Found, name: string): Somebody {
  const caller = { type: 'role', user_id: null, email: null, auth_method: 'sts' } as const
  const judged = inForce(book, [], caller, asking(ctx))
  const principal = { ...judged.principal, kind: 'role' as const, federated: fullProviderArn(name) }
  return { asker: { groups: [], policies: leftOpen({ ...judged, principal }, 'everyone') }, owned: [] }
}
