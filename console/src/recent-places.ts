/** Places the user has opened from the palette, latest first. Kept in this browser until they sign out. */
export interface Recent {
  to: string
  search?: Record<string, string>
  label: string
}
const KEY = 'strongroom-recent'
const MOST = 6

export function recentPlaces(user: string): Recent[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as { user: string; places: Recent[] } | null
    return kept?.user === user && Array.isArray(kept.places) ? kept.places.slice(0, MOST) : []
  } catch {
    return []
  }
}

const idOf = ({ to, search }: Recent) => JSON.stringify([to, search ?? {}])

export function rememberPlace(user: string, place: Recent): void {
  const others = recentPlaces(user).filter((one) => idOf(one) !== idOf(place))
  try {
    localStorage.setItem(KEY, JSON.stringify({ user, places: [place, ...others].slice(0, MOST) }))
  } catch {
    // No storage: nothing is remembered.
  }
}

export function forgetPlaces(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // No storage: nothing was kept.
  }
}
