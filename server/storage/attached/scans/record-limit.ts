import { settingsInForce } from '../../../access/settings/effective.ts'
import type { Ctx } from '../../../context.ts'
import { mostRecorded } from '../../external-objects/confirm.ts'
import type { ScanRow } from './store.ts'

/** Of `first_1000`. */
const FIRST = 1000

/** How many more changes that a scan finds may be recorded one by one; none of a bucket's first scan. */
export async function mostOfScan(ctx: Ctx, bucketId: string, { recorded }: ScanRow): Promise<number> {
  const most = await mostRecorded(ctx, bucketId)
  const { external_changes } = (await settingsInForce(ctx)).audit
  return external_changes === 'all' ? most : Math.min(most, Math.max(0, FIRST - recorded))
}
