import { type Fields, isFields, textsOf } from './read.ts'
import { matches } from './wildcards.ts'

/** A statement of a MinIO policy, as far as it can be read. */
export interface Statement {
  allows: boolean
  actions: readonly string[]
  /** Undefined: it says which actions it is about. */
  notActions: readonly string[] | undefined
  /** Without `arn:aws:s3:::`. Those of other kinds are left out where it allows, and `*` where it denies. */
  resources: readonly string[]
  /** Why it cannot be translated if it allows something. */
  obstacle: string | undefined
  /** It may be about other resources than those it names. */
  everywhere: boolean
}

const ARN = 'arn:aws:s3:::'
const KNOWN = new Set(['Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'NotResource', 'Condition'])

/** What no policy of MinIO's has: nobody knows what it would deny. */
const denyAll: Statement = {
  allows: false,
  actions: ['*'],
  notActions: undefined,
  resources: ['*'],
  obstacle: undefined,
  everywhere: true,
}

/** The statements of a policy document; one that cannot be read is a statement that denies everything. */
export function statementsOf(document: Fields): Statement[] {
  const policy = isFields(document.Policy) ? document.Policy : document
  const list = policy.Statement ?? []
  const all = Array.isArray(list) ? list : [list]
  return all.map((one) => (isFields(one) ? statementOf(one) : denyAll))
}

function statementOf(given: Fields): Statement {
  const { Effect, Action, NotAction, Resource, NotResource, Condition } = given
  if (Effect !== 'Allow' && Effect !== 'Deny') return denyAll
  const unknown = Object.keys(given).filter((name) => !KNOWN.has(name))
  const actions = textsOf(Action ?? [])
  const hasCondition = isFields(Condition) ? Object.keys(Condition).length > 0 : Condition != null
  return {
    allows: Effect === 'Allow',
    actions,
    notActions: NotAction === undefined ? undefined : textsOf(NotAction),
    resources: textsOf(Resource ?? []).flatMap((one) =>
      one.startsWith(ARN) ? [one.slice(ARN.length)] : one === '*' || Effect === 'Deny' ? ['*'] : [],
    ),
    obstacle:
      NotAction !== undefined
        ? 'NotAction'
        : NotResource !== undefined
          ? 'NotResource'
          : hasCondition
            ? `a condition (${isFields(Condition) ? Object.keys(Condition).join(', ') : String(Condition)})`
            : unknown.length > 0
              ? unknown.join(', ')
              : undefined,
    everywhere:
      NotResource !== undefined ||
      unknown.length > 0 ||
      textsOf(Resource ?? []).length === 0 ||
      // Statements that are about more than S3 apply without regard to their resources.
      (NotAction === undefined && actions.some((one) => !one.startsWith('s3:'))),
  }
}

/** Actions that a name implies, in some releases. */
const IMPLIED: { readonly [name: string]: readonly string[] } = { 's3:GetObjectVersion': ['s3:GetObject'] }
/** What actions on tables imply on objects. */
const OF_TABLES = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket', 's3:AbortMultipartUpload']

/** Whether a statement that allows something allows this action, in every release. */
export const isAllowing = ({ actions }: Statement, action: string): boolean =>
  actions.some((one) => matches(one, action))

/** Whether a statement that denies something may deny this action. */
export const isDenying = ({ actions, notActions }: Statement, action: string): boolean =>
  notActions
    ? !notActions.some((one) => matches(one, action))
    : actions.some(
        (one) =>
          matches(one, action) ||
          (IMPLIED[one]?.includes(action) ?? false) ||
          (one.startsWith('s3tables:') && OF_TABLES.includes(action)) ||
          Object.entries(IMPLIED).some(([name, implied]) => matches(one, name) && implied.includes(action)),
      )

/** A resource with the variables whose values are known; `undefined` if others are left. */
export function resolved(resource: string, user: string | undefined): string | undefined {
  // The value is put in once: what looks like a variable in it is not one.
  const known = user === undefined ? resource : resource.replaceAll(VARIABLE, () => user)
  const rest = user === undefined ? resource : resource.replaceAll(VARIABLE, '')
  return rest.includes('${') ? undefined : known
}
const VARIABLE = /\$\{aws:(username|userid)\}/g

/** Whether a statement's resources depend on who asks. */
export const isPersonal = ({ resources }: Statement): boolean => resources.some((one) => one.search(VARIABLE) >= 0)

/** A resource of a statement that denies something: from the first unknown variable on, it may be about anything. */
export function deniedResource(resource: string, user: string | undefined): string {
  const known = resolved(resource, user)
  if (known !== undefined) return known
  return `${resource.slice(0, resource.indexOf('$'))}*`
}
