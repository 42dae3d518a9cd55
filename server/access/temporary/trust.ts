// Whether a role's trust policy lets somebody take it on
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html).
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Actor, Ctx } from '../../context.ts'
import type { Known } from '../../iam/conditions.ts'
import { policiesSay } from '../../iam/decide-iam.ts'
import type { Policy } from '../../iam/document.ts'
import { evaluate } from '../../iam/evaluate.ts'
import { ACCOUNT_ID, type Principal } from '../../iam/principal.ts'
import { EMPTY_BOOK } from '../policies/book.ts'
import { inForce } from '../policies/in-force.ts'
import { fullRoleArn } from '../roles/arn.ts'
import { trustOf } from '../roles/documents.ts'
import type { Tag } from '../roles/service.ts'
import type { RoleRow } from '../roles/store.ts'
import { knownOfTags, type SessionTags } from './claims.ts'

/** What is asked for of a role. */
export interface Assumption {
  role: RoleRow
  /** The role as it was asked for: a refusal says no more of it than that of one that there is none of. */
  arn: string
  action: 'sts:AssumeRole' | 'sts:AssumeRoleWithWebIdentity'
  principal: Principal
  session_name: string
  seconds: number
  source_identity?: string | undefined
  external_id?: string | undefined
  tags: SessionTags
  /** What else conditions can know: of the caller, or of a token. */
  known(key: string): Known
}

const refused = (action: string, arn: string) =>
  new ServiceError('forbidden', `Not authorized to perform ${action} on resource: ${arn}`)

/**
 * Throws forbidden unless the role's trust policy lets them: to take it on, with tags also `sts:TagSession`, and with a source
 * identity `sts:SetSourceIdentity`. Where it leaves that to the account, a policy of theirs has to allow it.
 */
export function assertTrusted(ctx: Ctx, assumption: Assumption): void {
  const { role, arn, action, tags, source_identity } = assumption
  const actions: string[] = [action]
  if (Object.keys(tags).length > 0) actions.push('sts:TagSession')
  if (source_identity !== undefined) actions.push('sts:SetSourceIdentity')
  let trust: Policy
  try {
    trust = trustOf(role.trust)
  } catch {
    throw refused(action, arn)
  }
  for (const one of actions) if (!isTrusted(ctx.actor, assumption, { trust, action: one })) throw refused(one, arn)
}

function isTrusted(actor: Actor, assumption: Assumption, asked: { trust: Policy; action: string }): boolean {
  const { principal } = assumption
  const { trust, action } = asked
  const arn = fullRoleArn(assumption.role)
  const known = (key: string): Known => knownOfAssumption(key, assumption) ?? assumption.known(key)
  const question = { principal, action, resource: arn, known }
  const verdict = evaluate([trust], question)
  if (verdict.effect === 'deny') return false
  // Whoever comes with a token has no policies of their own.
  if (action === 'sts:AssumeRoleWithWebIdentity' || actor.type === 'public') return verdict.effect === 'allow'
  const said = policiesSay(actor, action, { arns: [arn] })
  if (said === 'deny') return false
  if (verdict.effect === 'allow') return true
  const isDelegated = evaluate([ofAccount(trust)], question).effect === 'allow'
  return isDelegated && (said === 'allow' || (isAdmin(actor.groups) && actor.scope === undefined))
}

/** What a trust policy leaves to the account: whoever has a credential in it is meant, if a policy of theirs allows it. */
const ofAccount = ({ statements, readsTags }: Policy): Policy => ({
  readsTags,
  statements: statements.flatMap((statement) => {
    const { principal } = statement
    const names = principal?.entries.some((one) => one.kind === 'account' && one.account === ACCOUNT_ID) ?? false
    return names && !principal?.negated ? [{ ...statement, principal: undefined }] : []
  }),
})

function knownOfAssumption(key: string, { role, ...asked }: Assumption): Known {
  const { tags } = asked
  switch (key) {
    case 'sts:rolesessionname':
      return [asked.session_name]
    case 'sts:sourceidentity':
      return asked.source_identity === undefined ? undefined : [asked.source_identity]
    case 'sts:externalid':
      return asked.external_id === undefined ? undefined : [asked.external_id]
    case 'sts:durationseconds':
      return [String(asked.seconds)]
    case 'aws:tagkeys':
      return Object.keys(tags).length === 0 ? undefined : Object.keys(tags)
    default:
      return (
        knownOfTags(key, 'aws:requesttag', tags) ??
        knownOfTags(key, 'iam:resourcetag', tagsOf(role)) ??
        knownOfTags(key, 'aws:resourcetag', tagsOf(role))
      )
  }
}

const tagsOf = ({ tags }: RoleRow): SessionTags =>
  Object.fromEntries((JSON.parse(tags) as Tag[]).map(({ Key, Value }) => [Key, [Value]]))

/** What conditions can know of whoever asks. */
export const knownOfCaller = ({ actor, now }: Ctx): ((key: string) => Known) =>
  (actor.policies ?? inForce(EMPTY_BOOK, [], actor, { origin: actor.origin, now })).known
