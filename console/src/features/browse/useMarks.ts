import { useEffect, useState } from 'react'
import type { Marker } from '../search/marks.tsx'

const plain: Marker = (path, from, to) => path.slice(from, to)

/** Marks what a search asked for in the names that it found, once what does so is loaded. */
export function useMarks(search: string): Marker {
  const [made, setMade] = useState({ search: '', mark: plain })
  useEffect(() => {
    if (search === '') return
    let isOver = false
    import('../search/marks.tsx').then(
      ({ markerOf }) => isOver || setMade({ search, mark: markerOf(search) }),
      // Names can be read without marks.
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [search])
  return made.search === search ? made.mark : plain
}
