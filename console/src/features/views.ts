import type { View } from '../routes.ts'
import { accessKeyViews } from './access-keys/views.ts'
import { accessPolicyViews } from './access-policies/views.ts'
import { accountViews } from './account/views.ts'
import { agentViews } from './agents/views.ts'
import { attachedViews } from './attached/views.ts'
import { auditViews } from './audit/views.ts'
import { authViews } from './auth/views.ts'
import { browseViews } from './browse/views.ts'
import { bucketViews } from './buckets/views.ts'
import { encryptionViews } from './encryption/views.ts'
import { foundViews } from './found/views.ts'
import { groupViews } from './groups/views.ts'
import { historyViews } from './history/views.ts'
import { homeViews } from './home/views.ts'
import { identityViews } from './identities/views.ts'
import { jobViews } from './jobs/views.ts'
import { policyViews } from './policies/views.ts'
import { protectionViews } from './protection/views.ts'
import { recoveryViews } from './recovery/views.ts'
import { settingsViews } from './settings/views.ts'
import { shareViews } from './shares/views.ts'
import { storageViews } from './storages/views.ts'
import { tokenViews } from './tokens/views.ts'
import { trashViews } from './trash/views.ts'
import { uploadViews } from './uploads/views.ts'
import { usageViews } from './usage/views.ts'
import { userViews } from './users/views.ts'
import { webhookViews } from './webhooks/views.ts'

/** All views of the console. */
export const views: readonly View[] = [
  ...accessKeyViews,
  ...accessPolicyViews,
  ...identityViews,
  ...accountViews,
  ...agentViews,
  ...attachedViews,
  ...auditViews,
  ...authViews,
  ...browseViews,
  ...bucketViews,
  ...protectionViews,
  ...encryptionViews,
  ...groupViews,
  ...historyViews,
  ...homeViews,
  ...jobViews,
  ...policyViews,
  ...recoveryViews,
  ...foundViews,
  ...settingsViews,
  ...shareViews,
  ...storageViews,
  ...tokenViews,
  ...trashViews,
  ...uploadViews,
  ...usageViews,
  ...userViews,
  ...webhookViews,
]
