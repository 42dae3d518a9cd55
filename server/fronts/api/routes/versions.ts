import { api } from '../../../../contract/index.ts'
import { asAsked } from '../../../storage/history/former/past.ts'
import { namedVersion } from '../../../storage/history/retire.ts'
import { listVersionPage } from '../../../storage/versions/list.ts'
import { listDeleted } from '../../../storage/versions/list-deleted.ts'
import { lockVersion } from '../../../storage/versions/lock.ts'
import { restoreVersion } from '../../../storage/versions/restore.ts'
import { handle } from '../handle.ts'

export const versionRoutes = [
  handle(api.listVersions, async (ctx, { params, query: { at, ...query } }) =>
    listVersionPage(await asAsked(ctx, params.bucket, at), params.bucket, query),
  ),
  handle(api.listDeleted, (ctx, { params, query }) => listDeleted(ctx, params.bucket, query)),
  handle(api.restoreVersion, (ctx, { params, body: { key, version_id } }) =>
    restoreVersion(ctx, params.bucket, { key, version_id: namedVersion(version_id) }),
  ),
  handle(api.lockObject, (ctx, { params, body: { key, version_id, bypass_lock, ...change } }) =>
    lockVersion(
      ctx,
      params.bucket,
      { key, version_id: version_id === undefined ? undefined : namedVersion(version_id) },
      {
        ...change,
        bypass: bypass_lock,
      },
    ),
  ),
]
