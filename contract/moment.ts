import Type from 'typebox'

/** A moment of a bucket. */
export const At = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt][0-9:.]{8,21}([Zz]|[+-]\\d\\d:\\d\\d)$',
  description:
    'What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it.',
  examples: ['2026-11-27T14:05:00Z'],
})
