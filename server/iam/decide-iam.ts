/**
 * Who may do what is about no bucket: the actions of IAM, and `s3:ListAllMyBuckets`. Grants have no rights for them, so
 * administrators may, and those whose policies allow it; an explicit Deny holds for both.
 */
import { isAdmin } from '../../contract/permissions.ts'
import type { Asker, PoliciesInForce } from './asker.ts'
import type { Policy } from './document.ts'
import { evaluate } from './evaluate.ts'

/** Administrators may always see and take away policies: their way back from a Deny of their own. */
const WAY_BACK = new Set(
  ['User', 'Group'].flatMap((of) => [
    `iam:List${of}Policies`,
    `iam:ListAttached${of}Policies`,
    `iam:Get${of}Policy`,
    `iam:Delete${of}Policy`,
    `iam:Detach${of}Policy`,
  ]),
)

/** One thing that IAM's policies can be about: by its ARNs, and by those that only count where a policy has them in full. */
export interface IamResource {
  arns: readonly string[]
  exactly?: readonly string[]
  /** What a refusal calls it: as the caller did, not what was found; by default the first ARN. */
  calledAs?: string
}

/** The statements that name exactly this. */
const naming = (of: readonly Policy[], resource: string): Policy[] =>
  of.map((policy) => ({
    ...policy,
    statements: policy.statements.filter(
      ({ resources }) => !resources.negated && resources.templates.some(({ fixed }) => fixed === resource),
    ),
  }))

/** What policies say of an action. */
function verdictOf(
  policies: PoliciesInForce,
  of: readonly Policy[],
  action: string,
  { arns, exactly = [] }: IamResource,
) {
  let allowed = false
  const asked = [
    ...arns.map((resource) => ({ resource, of })),
    ...exactly.map((resource) => ({ resource, of: naming(of, resource) })),
  ]
  for (const { resource, of: asking } of asked) {
    const verdict = evaluate(asking, { principal: policies.principal, action, resource, known: policies.known })
    if (verdict.effect === 'deny') return 'deny'
    allowed ||= verdict.effect === 'allow' && verdict.sure
  }
  return allowed ? 'allow' : 'none'
}

/** What the policies of a caller, and of their session, say of an action. */
export function policiesSay(
  { policies, scope }: Asker,
  action: string,
  resource: IamResource,
): 'allow' | 'deny' | 'none' {
  if (!policies) return 'none'
  const own = verdictOf(policies, policies.ofCaller, action, resource)
  if (own === 'deny') return 'deny'
  if (policies.ofSession && verdictOf(policies, [policies.ofSession], action, resource) !== 'allow') return 'deny'
  // The scope of a credential is of buckets.
  return scope === undefined ? own : 'none'
}

/** Whether the caller may ask for an action of IAM on something. */
export function permitsIam(asker: Asker, action: string, resource: IamResource): boolean {
  const admin = isAdmin(asker.groups)
  if (admin && WAY_BACK.has(action) && !asker.policies?.ofSession) return true
  const said = policiesSay(asker, action, resource)
  return said === 'allow' || (admin && said === 'none')
}

/** What `s3:ListAllMyBuckets` is asked for on. */
export const ALL_BUCKETS: IamResource = { arns: ['arn:aws:s3:::*'] }
