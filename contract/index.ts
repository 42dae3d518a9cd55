import * as accessKeys from './access-keys.ts'
import * as accessPolicies from './access-policies.ts'
import * as agents from './agents.ts'
import * as apply from './apply.ts'
import * as archive from './archive.ts'
import * as attached from './attached.ts'
import * as attention from './attention.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as bucketAccess from './bucket-access.ts'
import * as buckets from './buckets.ts'
import * as changes from './changes.ts'
import * as encryption from './encryption.ts'
import * as groups from './groups.ts'
import * as identityPolicies from './identity-policies.ts'
import * as images from './images.ts'
import * as inventories from './inventories.ts'
import * as invitations from './invitations.ts'
import * as jobs from './jobs.ts'
import * as locks from './locks.ts'
import * as machineSessions from './machine-sessions.ts'
import * as mail from './mail.ts'
import * as mcp from './mcp.ts'
import * as oauth from './oauth.ts'
import * as objects from './objects.ts'
import * as policies from './policies.ts'
import * as presign from './presign.ts'
import * as replication from './replication.ts'
import * as roles from './roles.ts'
import type { RouteSpec } from './route.ts'
import * as scans from './scans.ts'
import * as search from './search.ts'
import * as secondFactor from './second-factor.ts'
import * as settings from './settings.ts'
import * as shares from './shares.ts'
import * as signIn from './sign-in.ts'
import * as snapshots from './snapshots.ts'
import * as storages from './storages.ts'
import * as system from './system.ts'
import * as tokens from './tokens.ts'
import * as transfers from './transfers.ts'
import * as trash from './trash.ts'
import * as uploads from './uploads.ts'
import * as usage from './usage.ts'
import * as users from './users.ts'
import * as versions from './versions.ts'
import * as webhooks from './webhooks.ts'

/** The contract's files: each exports its operations, and its named shapes (schemas.ts). */
export const files = {
  auth,
  signIn,
  secondFactor,
  tokens,
  accessKeys,
  machineSessions,
  accessPolicies,
  roles,
  identityPolicies,
  agents,
  mcp,
  oauth,
  buckets,
  bucketAccess,
  attached,
  usage,
  objects,
  changes,
  search,
  versions,
  snapshots,
  locks,
  transfers,
  archive,
  presign,
  images,
  uploads,
  shares,
  jobs,
  policies,
  inventories,
  trash,
  users,
  invitations,
  groups,
  settings,
  mail,
  apply,
  storages,
  replication,
  encryption,
  scans,
  webhooks,
  audit,
  attention,
  system,
} satisfies Record<string, { operations: Record<string, RouteSpec> }>

type Files = typeof files
type Operations = { [F in keyof Files]: keyof Files[F]['operations'] }
export type OperationName = Operations[keyof Operations]
export type Api = {
  readonly [N in OperationName]: {
    [F in keyof Files]: N extends Operations[F] ? Files[F]['operations'][N] : never
  }[keyof Files]
}
/** The whole API: every operation by name. */
export const api = Object.assign({}, ...Object.values(files).map(({ operations }) => operations)) as Api
