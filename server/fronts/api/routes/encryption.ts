import { api } from '../../../../contract/index.ts'
import * as kmsKeys from '../../../features/encryption/kms-keys.ts'
import { handle } from '../handle.ts'

export const encryptionRoutes = [
  handle(api.listKmsKeys, (ctx) => kmsKeys.listKmsKeys(ctx)),
  handle(api.createKmsKey, (ctx, { body }) => kmsKeys.createKmsKey(ctx, body)),
  handle(api.updateKmsKey, (ctx, { params, body }) => kmsKeys.updateKmsKey(ctx, params.key, body)),
  handle(api.deleteKmsKey, (ctx, { params }) => kmsKeys.deleteKmsKey(ctx, params.key)),
]
