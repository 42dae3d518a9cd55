import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as buckets from './buckets.ts'
import * as groups from './groups.ts'
import * as objects from './objects.ts'
import type { RouteSpec } from './route.ts'
import * as system from './system.ts'
import * as trash from './trash.ts'
import * as users from './users.ts'

/** The whole API: every operation by name. */
export const api = {
  login: auth.login,
  refresh: auth.refresh,
  logout: auth.logout,
  me: auth.me,
  authConfig: auth.authConfig,
  createBucket: buckets.createBucket,
  listBuckets: buckets.listBuckets,
  getBucket: buckets.getBucket,
  updateBucket: buckets.updateBucket,
  deleteBucket: buckets.deleteBucket,
  usage: buckets.usage,
  browse: objects.browse,
  listObjects: objects.listObjects,
  uploadForm: objects.uploadForm,
  putObject: objects.putObject,
  getObject: objects.getObject,
  headObject: objects.headObject,
  deleteObject: objects.deleteObject,
  putObjectByQuery: objects.putObjectByQuery,
  getObjectByQuery: objects.getObjectByQuery,
  headObjectByQuery: objects.headObjectByQuery,
  deleteObjectByQuery: objects.deleteObjectByQuery,
  listTrash: trash.listTrash,
  restoreTrash: trash.restoreTrash,
  purgeTrash: trash.purgeTrash,
  createUser: users.createUser,
  listUsers: users.listUsers,
  createGroup: groups.createGroup,
  listGroups: groups.listGroups,
  addMembers: groups.addMembers,
  listAudit: audit.listAudit,
  healthz: system.healthz,
  readyz: system.readyz,
} as const satisfies Record<string, RouteSpec>

export type Api = typeof api
export type OperationName = keyof Api
