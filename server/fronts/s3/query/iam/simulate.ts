/**
 * What would be decided, by the decision itself
 * (https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html): with all policies, with what groups
 * grant, and with the policies of buckets.
 */
import { isAdmin } from '../../../../../contract/permissions.ts'
import { systemActor } from '../../../../access/actors.ts'
import { actorOfUser } from '../../../../access/sessions/service.ts'
import { findUserNamed } from '../../../../access/users/service-accounts.ts'
import type { Actor } from '../../../../context.ts'
import { resourceOfArn } from '../../../../features/identities/resources.ts'
import { keyOf } from '../../../../iam/condition-keys.ts'
import { type Ruling, rule } from '../../../../iam/decide.ts'
import { permitsIam, policiesSay } from '../../../../iam/decide-iam.ts'
import { userArn } from '../../../../iam/names.ts'
import { askedBy } from '../../../../iam/s3-operations.ts'
import { type Element, element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import type { Parameters } from '../parameters.ts'
import { QueryError } from '../query-error.ts'
import { member, PAGED } from './pages.ts'
import { POLICY_ARN } from './rules.ts'
import { permit } from './subjects.ts'

const MOST_ACTIONS = 100
/** Actions times resources. */
const MOST_DECISIONS = 1000
const ACTION = { most: 128, least: 3 }
const RESOURCE = { most: 2048 }
const ARN_OF_USER = /^arn:aws:iam::\d{12}:user\/(?:.*\/)?([^/]+)$/
const ARN_IN_S3 = /^arn:aws:s3:::([^/]+)(?:\/(.*))?$/s

type Decision = { says: 'allowed' | 'explicitDeny' | 'implicitDeny'; by?: string; kind?: string }

/** The context that a request brings, by the keys of conditions. Throws ValidationError. */
function contextIn(parameters: Parameters): Map<string, string[]> {
  const context = new Map<string, string[]>()
  for (let i = 1; parameters.optional(`ContextEntries.member.${i}.ContextKeyName`, ACTION) !== undefined; i++) {
    const name = parameters.required(`ContextEntries.member.${i}.ContextKeyName`, ACTION)
    const key = keyOf(name)
    if (key === undefined) throw new QueryError('InvalidInput', `Invalid context key: ${name}`)
    const values = `ContextEntries.member.${i}.ContextKeyValues`
    context.set(key, parameters.list(values, { of: { most: 2048, least: 0 }, most: 100 }) ?? [])
  }
  return context
}

/** The user as they would ask. */
async function askerIn(call: QueryCall): Promise<Actor | null> {
  const { ctx, parameters } = call
  const arn = parameters.required('PolicySourceArn', POLICY_ARN)
  permit(call, resourceOfArn(arn))
  const [, name] = ARN_OF_USER.exec(arn) ?? []
  if (name === undefined) throw new QueryError('InvalidInput', 'PolicySourceArn has to be the ARN of a user.')
  const user = await findUserNamed(ctx.db, name)
  if (!user || userArn(user) !== arn)
    throw new QueryError('NoSuchEntity', `The user with name ${name} cannot be found.`)
  const actor = await actorOfUser({ db: ctx.db, now: ctx.now, actor: systemActor }, user.id, null)
  const context = contextIn(parameters)
  if (!actor?.policies || context.size === 0) return actor
  const { policies } = actor
  return { ...actor, policies: { ...policies, latest: {}, known: (key) => context.get(key) ?? policies.known(key) } }
}

const ofRuling = (ruling: Ruling): Decision => {
  const via = ruling.allowed ? ruling.via : ruling.denied
  if (via === undefined) return { says: 'implicitDeny' }
  const says = ruling.allowed ? 'allowed' : 'explicitDeny'
  if (!('statement' in via)) return { says, by: via.group, kind: 'group' }
  const { sid, index } = via.statement
  return { says, by: sid ?? String(index + 1), kind: via.of === 'bucket' ? 'resource' : 'user' }
}

/** What would be decided about an action on a resource. */
function decide(actor: Actor, action: string, resource: string): Decision {
  const [, bucket, key = ''] = ARN_IN_S3.exec(resource) ?? []
  const asked = askedBy(action)
  if (asked && (bucket !== undefined || resource === '*')) return ofRuling(rule(actor, asked, bucket ?? '*', key))
  const on = resourceOfArn(resource)
  const permitted = action.startsWith('iam:')
    ? permitsIam(actor, action, on)
    : policiesSay(actor, action, on) === 'allow'
  if (permitted) return { says: 'allowed', kind: isAdmin(actor.groups) ? 'group' : 'user' }
  return { says: policiesSay(actor, action, on) === 'deny' ? 'explicitDeny' : 'implicitDeny' }
}

const resultElement = (action: string, resource: string, { says, by, kind }: Decision): Element =>
  member(
    element('EvalActionName', action),
    element('EvalResourceName', resource),
    element('EvalDecision', says),
    element(
      'MatchedStatements',
      ...(by === undefined ? [] : [member(element('SourcePolicyId', by), element('SourcePolicyType', kind))]),
    ),
    element('MissingContextValues', ''),
  )

async function simulate(call: QueryCall) {
  const { parameters } = call
  const actions = parameters.list('ActionNames', { of: ACTION, most: MOST_ACTIONS }) ?? []
  if (actions.length === 0) throw new QueryError('ValidationError', 'ActionNames has to name an action.')
  const resources = parameters.list('ResourceArns', { of: RESOURCE, most: MOST_DECISIONS }) ?? ['*']
  if (actions.length * resources.length > MOST_DECISIONS)
    throw new QueryError('LimitExceeded', `More than ${MOST_DECISIONS} actions on resources are asked for.`)
  const actor = await askerIn(call)
  return [
    element(
      'EvaluationResults',
      ...actions.flatMap((action) =>
        resources.map((resource) =>
          resultElement(action, resource, actor ? decide(actor, action, resource) : { says: 'implicitDeny' }),
        ),
      ),
    ),
    element('IsTruncated', false),
  ]
}

export const simulationActions: readonly QueryAction[] = [
  {
    name: 'SimulatePrincipalPolicy',
    api: IAM,
    accepts: ['PolicySourceArn', 'ActionNames', 'ResourceArns', 'ContextEntries', ...PAGED],
    run: simulate,
  },
]
