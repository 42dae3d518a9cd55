// The policies of users and groups: those that belong to one, and managed ones that are attached.
import { attachPolicy, detachPolicy, listAttachedPolicies } from '../../../../access/identity-policies/attached.ts'
import {
  deleteInlinePolicy,
  getInlinePolicy,
  listInlinePolicies,
  putInlinePolicy,
} from '../../../../access/identity-policies/inline.ts'
import { element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { answerPage, member, PAGED, pageIn } from './pages.ts'
import { DOCUMENT, NAMED, PATH_PREFIX, POLICY_ARN } from './rules.ts'
import { type OwnerKind, ownerIn } from './subjects.ts'

const policyNameIn = ({ parameters }: QueryCall): string => parameters.required('PolicyName', NAMED)
const arnIn = ({ parameters }: QueryCall): string => parameters.required('PolicyArn', POLICY_ARN)

/** The actions on the policies of one kind of owners. */
export const actionsOnPoliciesOf = ({ name, parameter, find }: OwnerKind): QueryAction[] => [
  {
    name: `Put${name}Policy`,
    api: IAM,
    accepts: [parameter, 'PolicyName', 'PolicyDocument'],
    async run(call) {
      const policy = policyNameIn(call)
      const document = call.parameters.required('PolicyDocument', DOCUMENT)
      await putInlinePolicy(call.ctx, await ownerIn(call, find), policy, document)
      return undefined
    },
  },
  {
    name: `Get${name}Policy`,
    api: IAM,
    accepts: [parameter, 'PolicyName'],
    async run(call) {
      const policy = policyNameIn(call)
      const owner = await ownerIn(call, find)
      const document = await getInlinePolicy(call.ctx.db, owner, policy)
      return [
        element(parameter, owner.name),
        element('PolicyName', policy),
        // Encoded (RFC 3986), as AWS has it.
        element('PolicyDocument', encodeURIComponent(document)),
      ]
    },
  },
  {
    name: `List${name}Policies`,
    api: IAM,
    accepts: [parameter, ...PAGED],
    async run(call) {
      const owner = await ownerIn(call, find)
      const { after, limit } = pageIn(call)
      return answerPage(await listInlinePolicies(call.ctx.db, owner, after, limit + 1), limit, {
        name: 'PolicyNames',
        of: (one) => element('member', one),
        markerOf: (one) => one,
      })
    },
  },
  {
    name: `Delete${name}Policy`,
    api: IAM,
    accepts: [parameter, 'PolicyName'],
    async run(call) {
      const policy = policyNameIn(call)
      await deleteInlinePolicy(call.ctx, await ownerIn(call, find), policy)
      return undefined
    },
  },
  {
    name: `Attach${name}Policy`,
    api: IAM,
    accepts: [parameter, 'PolicyArn'],
    async run(call) {
      const arn = arnIn(call)
      await attachPolicy(call.ctx, await ownerIn(call, find), arn)
      return undefined
    },
  },
  {
    name: `Detach${name}Policy`,
    api: IAM,
    accepts: [parameter, 'PolicyArn'],
    async run(call) {
      const arn = arnIn(call)
      await detachPolicy(call.ctx, await ownerIn(call, find), arn)
      return undefined
    },
  },
  {
    name: `ListAttached${name}Policies`,
    api: IAM,
    accepts: [parameter, 'PathPrefix', ...PAGED],
    async run(call) {
      const path = call.parameters.optional('PathPrefix', PATH_PREFIX) ?? '/'
      const owner = await ownerIn(call, find)
      const { after, limit } = pageIn(call)
      return answerPage(await listAttachedPolicies(call.ctx.db, owner, after, limit + 1), limit, {
        name: 'AttachedPolicies',
        of: (one) => member(element('PolicyName', one.name), element('PolicyArn', one.arn)),
        markerOf: ({ key }) => key,
        isAsked: (one) => one.path.startsWith(path),
      })
    },
  },
]
