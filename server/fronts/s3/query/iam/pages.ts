import { type Element, element } from '../../answers/xml.ts'
import type { QueryCall } from '../action.ts'

/** The parameters of actions that answer in pages. */
export const PAGED = ['Marker', 'MaxItems'] as const
const MOST_ITEMS = 1000
const ITEMS = 100

/** Which page a request asks for: what comes after a text, and how many at most. */
export const pageIn = ({ parameters }: QueryCall): { after: string; limit: number } => ({
  after: parameters.optional('Marker', { most: 2048 }) ?? '',
  limit: parameters.number('MaxItems', { least: 1, most: MOST_ITEMS }) ?? ITEMS,
})

/** A page of a list of which one more than its limit was read; without those of it that are not asked for. */
export function answerPage<T>(
  found: readonly T[],
  limit: number,
  { name, of, markerOf, isAsked = () => true }: PageOf<T>,
): Element[] {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const isTruncated = found.length > limit && last !== undefined
  return [
    element(name, ...page.filter(isAsked).map(of)),
    element('IsTruncated', isTruncated),
    ...(isTruncated ? [element('Marker', markerOf(last))] : []),
  ]
}

interface PageOf<T> {
  name: string
  of(item: T): Element
  markerOf(item: T): string
  isAsked?(item: T): boolean
}

/** An entry of a list. */
export const member = (...contents: readonly Element[]): Element => element('member', ...contents)
