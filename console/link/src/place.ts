import { useEffect, useState } from 'preact/hooks'

/**
 * Where one is within a link, from the address: a folder with its closing slash, or a file. It stands behind the `#`, which
 * browsers keep to themselves, so that no log has the names.
 */
export function placeOf(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#\/?/, ''))
  } catch {
    return ''
  }
}
export const hashOf = (place: string): string => `#/${place.split('/').map(encodeURIComponent).join('/')}`
/** The folder of a place, '' at the top. */
export const folderOf = (place: string): string => place.slice(0, place.lastIndexOf('/') + 1)
/** The last part of a name. */
export const baseOf = (name: string): string => name.split('/').findLast((part) => part !== '') ?? name

/** How many steps this page has added to the browser's history. */
let steps = 0
addEventListener('hashchange', (event) => {
  if (event.isTrusted) steps = (history.state as { steps?: number } | null)?.steps ?? steps + 1
  history.replaceState({ steps }, '')
})

/** Like following a link to a place. */
export const go = (place: string): void => {
  location.hash = hashOf(place)
}
/** Changes the place without a step for Back. */
export const replace = (place: string): void => {
  history.replaceState({ steps }, '', hashOf(place))
  dispatchEvent(new HashChangeEvent('hashchange'))
}
/** Back to where the visitor came from; to `place` for those who came here from outside of the link. */
export const leave = (place: string): void => {
  if (steps > 0) history.back()
  else replace(place)
}

/** Where the visitor is now. */
export function usePlace(): string {
  const [place, setPlace] = useState(() => placeOf(location.hash))
  useEffect(() => {
    const look = () => setPlace(placeOf(location.hash))
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return place
}
