import type { ErrorCode } from '../../../contract/errors.ts'
import type * as api from '../api/messages.ts'
import type * as accessKeys from '../features/access-keys/messages.ts'
import type * as accessPolicies from '../features/access-policies/messages.ts'
import type * as account from '../features/account/messages.ts'
import type * as agents from '../features/agents/messages.ts'
import type * as attached from '../features/attached/messages.ts'
import type * as audit from '../features/audit/messages.ts'
import type * as auth from '../features/auth/messages.ts'
import type * as browse from '../features/browse/messages.ts'
import type * as browseObject from '../features/browse/object-messages.ts'
import type * as bucketsAttached from '../features/buckets/attached-messages.ts'
import type * as buckets from '../features/buckets/messages.ts'
import type * as encryption from '../features/encryption/messages.ts'
import type * as folders from '../features/folders/messages.ts'
import type * as groups from '../features/groups/messages.ts'
import type * as history from '../features/history/messages.ts'
import type * as home from '../features/home/messages.ts'
import type * as jobs from '../features/jobs/messages.ts'
import type * as past from '../features/past/messages.ts'
import type * as policies from '../features/policies/messages.ts'
import type * as protection from '../features/protection/messages.ts'
import type * as recovery from '../features/recovery/messages.ts'
import type * as search from '../features/search/messages.ts'
import type * as secondFactor from '../features/second-factor/messages.ts'
import type * as settings from '../features/settings/messages.ts'
import type * as sso from '../features/settings/sso/messages.ts'
import type * as shares from '../features/shares/messages.ts'
import type * as storages from '../features/storages/messages.ts'
import type * as tokens from '../features/tokens/messages.ts'
import type * as trash from '../features/trash/messages.ts'
import type * as uploads from '../features/uploads/messages.ts'
import type * as usage from '../features/usage/messages.ts'
import type * as users from '../features/users/messages.ts'
import type * as webhooks from '../features/webhooks/messages.ts'
import type { durations, Messages, Translation } from '../i18n.ts'
import type * as shell from '../shell/messages.ts'
import type * as ui from '../ui/messages.ts'

/** The catalogues of a feature's `messages.ts`, in another language. */
type Of<Feature> = {
  readonly [Name in keyof Feature as Feature[Name] extends Messages ? Name : never]: Translation<Feature[Name]>
}

/**
 * What the sign-in, the frame, the start page and the object browser say, in another language than English: each member is
 * a file of the language's folder.
 */
export interface FrameTexts {
  i18n: { durations: Translation<typeof durations> }
  /** The titles of the server's problems; in English they come with the response. */
  problems: { titles: Readonly<Record<ErrorCode, string>> }
  api: Of<typeof api>
  auth: Of<typeof auth>
  browse: Of<typeof browse>
  buckets: Of<typeof buckets>
  folders: Of<typeof folders>
  home: Of<typeof home>
  jobs: Of<typeof jobs>
  secondFactor: Of<typeof secondFactor>
  shell: Of<typeof shell>
  ui: Of<typeof ui>
  uploads: Of<typeof uploads>
}

/** What all other views say. */
export interface ViewTexts {
  accessKeys: Of<typeof accessKeys>
  accessPolicies: Of<typeof accessPolicies>
  account: Of<typeof account>
  agents: Of<typeof agents>
  attached: Of<typeof attached>
  audit: Of<typeof audit>
  browseObject: Of<typeof browseObject>
  bucketsAttached: Of<typeof bucketsAttached>
  encryption: Of<typeof encryption>
  groups: Of<typeof groups>
  history: Of<typeof history>
  past: Of<typeof past>
  recovery: Of<typeof recovery>
  policies: Of<typeof policies>
  protection: Of<typeof protection>
  search: Of<typeof search>
  settings: Of<typeof settings>
  shares: Of<typeof shares>
  sso: Of<typeof sso>
  storages: Of<typeof storages>
  tokens: Of<typeof tokens>
  trash: Of<typeof trash>
  usage: Of<typeof usage>
  users: Of<typeof users>
  webhooks: Of<typeof webhooks>
}
