import { lastMidnight, nextMidnight } from '../../base/time.ts'
import type { PolicyRow } from './store.ts'

// A lifecycle rule's days end at midnight UTC: its policy judges objects as they were then, whenever it runs.

type Origin = Pick<PolicyRow, 'bucket_id'>

/** The moment at which a run that starts now judges the objects. */
export const momentOf = ({ bucket_id }: Origin, now: Date): Date => (bucket_id === null ? now : lastMidnight(now))

/** When a policy can first delete an object that is due at a time. */
export const dueOf = ({ bucket_id }: Origin, due: Date): Date => (bucket_id === null ? due : nextMidnight(due))
