import Type from 'typebox'
import { SNAPSHOT_NAME } from './names.ts'

const TIME = '\\d{4}-\\d\\d-\\d\\d[Tt][0-9:.]{8,21}([Zz]|[+-]\\d\\d:\\d\\d)'

/** A moment of a bucket, or a snapshot of it. */
export const At = Type.String({
  pattern: `^${TIME}$|${SNAPSHOT_NAME}`,
  description:
    'What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot.',
  examples: ['2026-11-27T14:05:00Z'],
})
