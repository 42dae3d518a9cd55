/**
 * How a request would be decided, and by what: by the decision itself, with all policies, with what groups grant, and with
 * what everyone may do at the S3 endpoint.
 */
import type { operations, simulationReasons } from '../../../contract/access-policies.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { PUBLIC_GROUP } from '../../../contract/public-access.ts'
import type { Input, Reply } from '../../../contract/route.ts'
import { publicActor, systemActor } from '../../access/actors.ts'
import { describeGrant, grantingGroups } from '../../access/groups/describe.ts'
import { findGroup } from '../../access/groups/store.ts'
import { EMPTY_BOOK, type PolicyBook, read as readBook } from '../../access/policies/book.ts'
import { type Asking, inForce } from '../../access/policies/in-force.ts'
import { findRole } from '../../access/roles/service.ts'
import type { RoleRow } from '../../access/roles/store.ts'
import { actorOfUser } from '../../access/sessions/service.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { findUsers } from '../../access/users/store.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { knownActions } from '../../iam/actions.ts'
import type { Asker, StatementOf } from '../../iam/asker.ts'
import { keyOf } from '../../iam/condition-keys.ts'
import { type Ruling, rule } from '../../iam/decide.ts'
import { permitsIam, policiesSay } from '../../iam/decide-iam.ts'
import { userNameOf } from '../../iam/names.ts'
import { askedBy } from '../../iam/s3-operations.ts'
import { describeStatement } from '../../iam/sentences/describe.ts'
import { findPublicRights } from '../../storage/buckets/documents/public-access.ts'

type Simulate = (typeof operations)['simulatePermission']
type Question = Input<Simulate>['body']
type Answer = Reply<Simulate>
type Reason = (typeof simulationReasons)[number]

const TAG = 's3:existingobjecttag/'

/** Who would act with a session of a role. */
type ActorOfRole = (db: Db, book: PolicyBook, role: RoleRow, asking: Asking) => Promise<Asker>

/** Says how a request would be decided. Throws not_found for nobody, and invalid_request for what no request can be. */
export async function simulate(ctx: Ctx, question: Question, actorOfRole: ActorOfRole): Promise<Answer> {
  const { action, bucket, key = '' } = question
  if (!knownActions.has(action)) throw invalid('body.action', 'is no action of S3, IAM or STS')
  const context = contextIn(question)
  const asker = await askerOf(ctx, question, actorOfRole)
  if (!asker) return { allowed: false, reason: 'user_disabled', statement: null, via: null }
  const asked = askedBy(action)
  if (!asked) return ofOthers(withContext(asker, context), question)
  if (bucket === undefined) throw invalid('body.bucket', 'is required for this action')
  const at = await atS3(ctx, asker, question)
  const tags = Object.fromEntries(
    [...context].flatMap(([name, values]) => (name.startsWith(TAG) ? [[name.slice(TAG.length), values[0] ?? '']] : [])),
  )
  return describe(ctx, at, rule(withContext(at, context), asked, bucket, { key, tags }), question)
}

/** What conditions are to know, by their keys. */
const contextIn = ({ context = [] }: Question): Map<string, string[]> =>
  new Map(
    context.map(({ key, values }, i): [string, string[]] => {
      const known = keyOf(key)
      if (known === undefined) throw invalid(`body.context.${i}.key`, 'is no key of conditions')
      return [known, values]
    }),
  )

/** Whoever asks, as they would be judged; undefined for a user who is disabled. */
async function askerOf(ctx: Ctx, { who }: Question, actorOfRole: ActorOfRole): Promise<Asker | undefined> {
  const { db, now } = ctx
  const asking = { origin: systemActor.origin, now }
  if ('user_id' in who) {
    const [user] = await findUsers(db, [who.user_id])
    if (!user) throw new ServiceError('not_found', 'No such user.')
    return (await actorOfUser({ db, now, actor: systemActor }, user.id, null)) ?? undefined
  }
  const book = (await readBook(db)) ?? EMPTY_BOOK
  if ('role' in who) {
    const role = await findRole(ctx, who.role)
    if (!role) throw new ServiceError('not_found', 'No such role.')
    return actorOfRole(db, book, role, asking)
  }
  if ('group_id' in who) {
    const row = await findGroup(db, who.group_id)
    if (!row) throw new ServiceError('not_found', 'No such group.')
    const policies = inForce(book, await book.ofGroup(db, row.id), SOMEONE, asking)
    // Members have a credential, and are nobody in particular.
    const principal = { ...policies.principal, kind: 'user' as const }
    return { groups: await grantingGroups(db, [row]), policies: { ...policies, principal } }
  }
  return { groups: [], policies: inForce(book, [], publicActor(asking.origin), asking) }
}

const SOMEONE = { type: 'user', user_id: null, email: null, auth_method: null } as const

/** The same with what everyone may do at the S3 endpoint, while anything can be public. */
async function atS3(ctx: Ctx, asker: Asker, { who, action, bucket = '' }: Question): Promise<Asker> {
  if (isAdmin(asker.groups) || !(await settingsInForce(ctx)).s3.public_access) return asker
  const about = /Version/.test(action) ? 'versions' : 'current'
  const as = 'anonymous' in who ? 'everyone' : 'authenticated'
  const { group, open } = await findPublicRights(ctx.db, { as, buckets: new Map([[bucket, [about]]]) })
  const { policies } = asker
  return { ...asker, groups: [...asker.groups, group], ...(policies && { policies: { ...policies, open } }) }
}

const withContext = (asker: Asker, context: ReadonlyMap<string, string[]>): Asker => {
  const { policies } = asker
  if (!policies) return asker
  return { ...asker, policies: { ...policies, latest: {}, known: (key) => context.get(key) ?? policies.known(key) } }
}

/** What is decided about an action that is about no bucket. */
function ofOthers(asker: Asker, { action, resource = '*' }: Question): Answer {
  const [service] = action.split(':')
  const on = { arns: [resource] }
  const said = policiesSay(asker, action, on)
  const allowed = service === 'iam' ? permitsIam(asker, action, on) : said === 'allow'
  const reason: Reason =
    said !== 'none' ? 'policy' : allowed ? 'administrator' : service === 's3' ? 'action_unknown' : 'nothing'
  return { allowed, reason, statement: null, via: null }
}

async function describe(ctx: Ctx, asker: Asker, ruling: Ruling, question: Question): Promise<Answer> {
  const { allowed } = ruling
  const via = ruling.allowed ? ruling.via : ruling.denied
  if (!via) {
    const reason = !ruling.allowed && ruling.outside ? 'outside_session' : 'nothing'
    return { allowed, reason, statement: null, via: null }
  }
  if ('statement' in via)
    return { allowed, reason: 'statement', statement: await describeFound(ctx, via, question), via: null }
  const { group_id, group, grant_id } = via
  const grant = asker.groups.find(({ id }) => id === group_id)?.grants.find(({ id }) => id === grant_id)
  return {
    allowed,
    reason: grant_id === null && group_id !== PUBLIC_GROUP ? 'administrator' : 'grant',
    statement: null,
    via: { group_id, group, grant: grant ? describeGrant(grant) : null },
  }
}

async function describeFound(ctx: Ctx, { of, statement }: StatementOf, { bucket }: Question) {
  const { sid, index, effect, principal } = statement
  const ids = (principal?.entries ?? []).flatMap((one) => (one.kind === 'user' && one.id !== null ? [one.id] : []))
  const names = new Map((await findUsers(ctx.db, ids)).map(({ id, email }) => [id, userNameOf(email)]))
  const sentence = describeStatement(statement, of === 'bucket' ? bucket : undefined, names)
  return { policy_of: of, sid, index, effect, sentence }
}
