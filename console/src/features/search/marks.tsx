import './marks.css'
import type { ReactNode } from 'react'
import { fold } from '../../../../contract/fold.ts'
import { parseQuery, QueryError, type Term } from '../../../../contract/query.ts'

/** Draws a part of a path, with what was searched for marked. */
export type Marker = (path: string, from: number, to?: number) => ReactNode

/** What of a path a query asked for; nothing of a query that is not understood. */
export function markerOf(query: string): Marker {
  const needles = needlesOf(query)
  return (path, from, to = path.length) => {
    const parts: ReactNode[] = []
    let at = from
    for (const [start, end] of placesOf(path, needles)) {
      const [first, last] = [Math.max(start, at), Math.min(end, to)]
      if (first >= last) continue
      parts.push(path.slice(at, first), <mark key={first}>{path.slice(first, last)}</mark>)
      at = last
    }
    return parts.length === 0 ? path.slice(from, to) : [...parts, path.slice(at, to)]
  }
}

function needlesOf(query: string): string[] {
  try {
    return parseQuery(query)
      .filter(({ negated }) => !negated)
      .flatMap(textsOf)
      .filter((text) => text !== '')
      .map(fold)
  } catch (error) {
    if (error instanceof QueryError) return []
    throw error
  }
}

/** The texts of a term that are in names as they are. */
function textsOf(term: Term): string[] {
  if (term.field === 'text') return [term.text]
  if (term.field === 'ext') return [`.${term.text}`]
  if (term.field !== 'name' && term.field !== 'key') return []
  const { text, glob } = term.pattern
  return glob ? text.split(/[*?]/) : [text]
}

/** Where these are, in order. */
const placesOf = (path: string, needles: readonly string[]): [start: number, end: number][] => {
  const folded = fold(path)
  return needles
    .flatMap((needle) => {
      const places: [number, number][] = []
      for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length))
        places.push([at, at + needle.length])
      return places
    })
    .sort(([a], [b]) => a - b)
}
