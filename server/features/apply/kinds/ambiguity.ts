import type { Existing } from '../kind.ts'

/** The only one of those with a name that need not be unique. Where there are several, none of them can be changed. */
export function ambiguous<E>(found: readonly Existing<E>[]): Existing<E> | undefined {
  const [first, ...others] = found
  if (!first || others.length === 0) return first
  return { ...first, fixed: `is the name of ${found.length} of them: rename all but one` }
}
