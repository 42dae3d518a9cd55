import { notify } from '../../ui/notify.tsx'
import { refreshObjects } from './background.tsx'
import { tellFaults } from './itemFaults.tsx'
import { text } from './messages.ts'
import { type Marker, undelete } from './undelete.ts'

/** Takes back deletions in a bucket that keeps versions, and says so. */
export async function restoreMarked(bucket: string, markers: readonly Marker[]): Promise<void> {
  const { done, faults } = await undelete(bucket, markers)
  if (done > 0) notify.ok(text.restored(done))
  tellFaults(faults)
  await refreshObjects()
}
