import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as buckets from './buckets.ts'
import * as groups from './groups.ts'
import * as jobs from './jobs.ts'
import * as objects from './objects.ts'
import type { RouteSpec } from './route.ts'
import * as settings from './settings.ts'
import * as system from './system.ts'
import * as tokens from './tokens.ts'
import * as transfers from './transfers.ts'
import * as trash from './trash.ts'
import * as uploads from './uploads.ts'
import * as users from './users.ts'

/** The whole API: every operation by name. */
export const api = {
  login: auth.login,
  refresh: auth.refresh,
  logout: auth.logout,
  me: auth.me,
  authConfig: auth.authConfig,
  idpLogin: auth.idpLogin,
  idpCallback: auth.idpCallback,
  idpCallbackPost: auth.idpCallbackPost,
  redeemHandoff: auth.redeemHandoff,
  changePassword: auth.changePassword,
  listSessions: auth.listSessions,
  endSession: auth.endSession,
  createToken: tokens.createToken,
  listTokens: tokens.listTokens,
  revokeToken: tokens.revokeToken,
  rotateToken: tokens.rotateToken,
  listUserTokens: tokens.listUserTokens,
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
  copyObject: transfers.copyObject,
  moveObject: transfers.moveObject,
  bulkCopy: transfers.bulkCopy,
  bulkMove: transfers.bulkMove,
  bulkDelete: transfers.bulkDelete,
  objectsExist: transfers.objectsExist,
  updateObject: transfers.updateObject,
  updateObjectByQuery: transfers.updateObjectByQuery,
  archiveObjects: transfers.archiveObjects,
  archiveSelection: transfers.archiveSelection,
  presignObject: transfers.presignObject,
  getSigned: transfers.getSigned,
  headSigned: transfers.headSigned,
  putSigned: transfers.putSigned,
  initUpload: uploads.initUpload,
  getUpload: uploads.getUpload,
  listUploads: uploads.listUploads,
  completeUpload: uploads.completeUpload,
  abortUpload: uploads.abortUpload,
  putPart: uploads.putPart,
  createJob: jobs.createJob,
  listJobs: jobs.listJobs,
  getJob: jobs.getJob,
  cancelJob: jobs.cancelJob,
  listTrash: trash.listTrash,
  restoreTrash: trash.restoreTrash,
  purgeTrash: trash.purgeTrash,
  createUser: users.createUser,
  listUsers: users.listUsers,
  searchDirectory: users.searchDirectory,
  importUsers: users.importUsers,
  getUser: users.getUser,
  updateUser: users.updateUser,
  deleteUser: users.deleteUser,
  endUserSessions: users.endUserSessions,
  createGroup: groups.createGroup,
  listGroups: groups.listGroups,
  getGroup: groups.getGroup,
  updateGroup: groups.updateGroup,
  deleteGroup: groups.deleteGroup,
  listMembers: groups.listMembers,
  addMembers: groups.addMembers,
  replaceMembers: groups.replaceMembers,
  removeMembers: groups.removeMembers,
  explainPermission: groups.explainPermission,
  getSettings: settings.getSettings,
  updateSettings: settings.updateSettings,
  testIdp: settings.testIdp,
  listAudit: audit.listAudit,
  healthz: system.healthz,
  readyz: system.readyz,
} as const satisfies Record<string, RouteSpec>

export type Api = typeof api
export type OperationName = keyof Api
