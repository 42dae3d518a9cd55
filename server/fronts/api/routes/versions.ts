import { api } from '../../../../contract/index.ts'
import { namedVersion } from '../../../storage/retired/retire.ts'
import { listVersionPage } from '../../../storage/versions/list.ts'
import { restoreVersion } from '../../../storage/versions/restore.ts'
import { handle } from '../handle.ts'

export const versionRoutes = [
  handle(api.listVersions, (ctx, { params, query }) => listVersionPage(ctx, params.bucket, query)),
  handle(api.restoreVersion, (ctx, { params, body: { key, version_id } }) =>
    restoreVersion(ctx, params.bucket, { key, version_id: namedVersion(version_id) }),
  ),
]
