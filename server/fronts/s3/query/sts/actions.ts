// The actions of STS (https://docs.aws.amazon.com/STS/latest/APIReference/API_Operations.html).
import { isAdmin } from '../../../../../contract/permissions.ts'
import { isKeyOfOurs } from '../../../../access/access-keys/authenticate.ts'
import { type RefusalReason, TokenRefused } from '../../../../access/oidc-providers/refusal.ts'
import { principalOf } from '../../../../access/policies/in-force.ts'
import {
  assumeRole,
  BadSession,
  getSessionToken,
  LEAST_SECONDS,
  MOST_SECONDS,
  type OpenedSession,
} from '../../../../access/temporary/assume.ts'
import { isTemporary } from '../../../../access/temporary/authenticate.ts'
import type { SessionTags } from '../../../../access/temporary/claims.ts'
import type { TemporaryCredentials } from '../../../../access/temporary/open.ts'
import { assumeWithWebIdentity } from '../../../../access/temporary/web-identity.ts'
import type { Actor } from '../../../../context.ts'
import { policiesSay } from '../../../../iam/decide-iam.ts'
import { ACCOUNT_ID } from '../../../../iam/principal.ts'
import { type Element, element } from '../../answers/xml.ts'
import { type QueryAction, type QueryCall, STS } from '../action.ts'
import type { Parameters } from '../parameters.ts'
import { type QueryCode, QueryError } from '../query-error.ts'
import { tagsIn } from '../tags.ts'

const WORD = /^[\w+=,.@-]*$/
const SESSION_NAME = { least: 2, most: 64, pattern: WORD }
const ROLE_ARN = { least: 20, most: 2048, pattern: /^[\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd]+$/u }
const POLICY = { most: 10_000, pattern: /^[\t\n\r\x20-\xff]+$/ }
const DURATION = { least: LEAST_SECONDS, most: MOST_SECONDS }

const SESSION = ['RoleArn', 'RoleSessionName', 'DurationSeconds', 'Policy'] as const

/** What the parameters of both kinds of AssumeRole have in common. */
const sessionIn = (parameters: Parameters) => ({
  role: parameters.required('RoleArn', ROLE_ARN),
  session_name: parameters.required('RoleSessionName', SESSION_NAME),
  seconds: parameters.number('DurationSeconds', DURATION),
  policy: parameters.optional('Policy', POLICY),
})

const sessionTagsIn = (parameters: Parameters): SessionTags =>
  Object.fromEntries(tagsIn(parameters).map(({ Key, Value }) => [Key, [Value]]))

const credentialsElement = (credentials: TemporaryCredentials): Element =>
  element(
    'Credentials',
    element('AccessKeyId', credentials.access_key_id),
    element('SecretAccessKey', credentials.secret_access_key),
    element('SessionToken', credentials.session_token),
    element('Expiration', credentials.expires_at),
  )
const assumedElement = ({ arn, id }: OpenedSession): Element =>
  element('AssumedRoleUser', element('AssumedRoleId', id), element('Arn', arn))

const REFUSED: { readonly [reason in RefusalReason]: QueryCode } = {
  expired: 'ExpiredTokenException',
  invalid: 'InvalidIdentityToken',
  rejected: 'IDPRejectedClaim',
  unreachable: 'IDPCommunicationError',
}

/** What the core refuses of a session, in the words of STS. */
async function inWordsOfSts<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BadSession) throw new QueryError('ValidationError', error.message)
    if (error instanceof TokenRefused) throw new QueryError(REFUSED[error.reason], error.message, { cause: error })
    throw error
  }
}

async function runAssumeRole({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const source_identity = parameters.optional('SourceIdentity', SESSION_NAME)
  const asked = {
    ...sessionIn(parameters),
    source_identity,
    external_id: parameters.optional('ExternalId', { least: 2, most: 1224, pattern: /^[\w+=,.@:/-]*$/ }),
    tags: sessionTagsIn(parameters),
  }
  const opened = await inWordsOfSts(assumeRole(ctx, asked))
  return [
    credentialsElement(opened.credentials),
    assumedElement(opened),
    ...(source_identity === undefined ? [] : [element('SourceIdentity', source_identity)]),
  ]
}

async function runWebIdentity({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const token = parameters.required('WebIdentityToken', { least: 4, most: 20_000 })
  const opened = await inWordsOfSts(assumeWithWebIdentity(ctx, { ...sessionIn(parameters), token }))
  return [
    credentialsElement(opened.credentials),
    element('SubjectFromWebIdentityToken', opened.subject),
    assumedElement(opened),
    element('Provider', opened.provider),
    element('Audience', opened.audience),
  ]
}

/** Who asks, as STS tells them: administrators are the root user of the account, as to IAM. */
function callerOf(actor: Actor): { arn: string; id: string } {
  if (isAdmin(actor.groups) && !actor.session) return { arn: `arn:aws:iam::${ACCOUNT_ID}:root`, id: ACCOUNT_ID }
  const { arn } = actor.policies?.principal ?? principalOf(actor)
  const [id = actor.user_id ?? ''] = [actor.policies?.known('aws:userid')].flat()
  return { arn: arn ?? '', id }
}

async function runCallerIdentity({ ctx }: QueryCall): Promise<Element[]> {
  const { arn, id } = callerOf(ctx.actor)
  return [element('UserId', id), element('Account', ACCOUNT_ID), element('Arn', arn)]
}

/** Whose a key is: the account's. Anyone may ask about their own, and about others who administers. */
async function runKeyInfo({ ctx, parameters, accessKeyId }: QueryCall): Promise<Element[]> {
  const id = parameters.required('AccessKeyId', { least: 16, most: 128, pattern: /^\w*$/ })
  const said = policiesSay(ctx.actor, 'sts:GetAccessKeyInfo', { arns: ['*'] })
  const mayAsk = said === 'allow' || (said === 'none' && (isAdmin(ctx.actor.groups) || id === accessKeyId))
  if (!mayAsk) throw new QueryError('AccessDenied', 'Not authorized to perform sts:GetAccessKeyInfo')
  if (!(await isKeyOfOurs(ctx.db, id)) && !(await isTemporary(ctx.db, id)))
    throw new QueryError('ValidationError', 'There is no such access key.')
  return [element('Account', ACCOUNT_ID)]
}

async function runSessionToken({ ctx, parameters }: QueryCall): Promise<Element[]> {
  return [credentialsElement(await getSessionToken(ctx, parameters.number('DurationSeconds', DURATION)))]
}

/** Every action of STS that is supported. */
export const stsActions: readonly QueryAction[] = [
  { name: 'AssumeRole', api: STS, accepts: [...SESSION, 'SourceIdentity', 'ExternalId', 'Tags'], run: runAssumeRole },
  {
    name: 'AssumeRoleWithWebIdentity',
    api: STS,
    accepts: [...SESSION, 'WebIdentityToken'],
    unsigned: true,
    run: runWebIdentity,
  },
  { name: 'GetSessionToken', api: STS, accepts: ['DurationSeconds'], run: runSessionToken },
  { name: 'GetCallerIdentity', api: STS, accepts: [], run: runCallerIdentity },
  { name: 'GetAccessKeyInfo', api: STS, accepts: ['AccessKeyId'], run: runKeyInfo },
]
