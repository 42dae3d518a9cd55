import { MOST_LIVE } from '../../../../access/credentials/issue.ts'
import { countGroups } from '../../../../access/groups/store.ts'
import { MOST_ATTACHED } from '../../../../access/identity-policies/attached.ts'
import { MOST_POLICIES, MOST_VERSIONS } from '../../../../access/identity-policies/managed.ts'
import { countManaged } from '../../../../access/identity-policies/store.ts'
import { countUsers } from '../../../../access/users/store.ts'
import { EVERYTHING } from '../../../../features/identities/resources.ts'
import { element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { permit } from './subjects.ts'

/** What is counted without a limit, in a field that has to be a number. */
const UNLIMITED = 2_147_483_647

async function getAccountSummary(call: QueryCall) {
  permit(call, EVERYTHING)
  const { db } = call.ctx
  const summary: { [key: string]: number } = {
    Users: await countUsers(db),
    UsersQuota: UNLIMITED,
    Groups: await countGroups(db),
    GroupsQuota: UNLIMITED,
    GroupsPerUserQuota: UNLIMITED,
    Policies: await countManaged(db),
    PoliciesQuota: MOST_POLICIES,
    VersionsPerPolicyQuota: MOST_VERSIONS,
    AttachedPoliciesPerUserQuota: MOST_ATTACHED,
    AttachedPoliciesPerGroupQuota: MOST_ATTACHED,
    AccessKeysPerUserQuota: MOST_LIVE,
  }
  return [
    element(
      'SummaryMap',
      ...Object.entries(summary).map(([key, value]) => element('entry', element('key', key), element('value', value))),
    ),
  ]
}

export const accountActions: readonly QueryAction[] = [
  { name: 'GetAccountSummary', api: IAM, accepts: [], run: getAccountSummary },
]
