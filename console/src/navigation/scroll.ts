import type { Place } from './history.ts'

const KEY = 'strongroom-scrolled'
/** Entries of the history whose positions are kept over a reload. */
const MOST = 500
const PAGE = 'page'

/** How far everything on the page was scrolled when an entry of the history was left, by selectors. */
type Positions = { [selector: string]: readonly [left: number, top: number] }

const read = (): Map<string, Positions> => {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]'))
  } catch {
    return new Map()
  }
}
const kept = read()
const scrolled = new Set<Element>()

/** The steps from the root of the page to an element. */
function selectorOf(element: Element): string {
  const { parentElement } = element
  if (!parentElement) return PAGE
  const place = [...parentElement.children].indexOf(element) + 1
  const above = selectorOf(parentElement)
  return `${above === PAGE ? ':root' : above} > :nth-child(${place})`
}
const elementAt = (selector: string) =>
  selector === PAGE ? document.documentElement : document.querySelector(selector)

/** Keeps how far all is scrolled, as a place is left. */
export function keepScroll({ entry }: Place): void {
  const positions: Positions = {}
  for (const element of scrolled) {
    if (element.isConnected) positions[selectorOf(element)] = [element.scrollLeft, element.scrollTop]
    else scrolled.delete(element)
  }
  kept.set(entry, positions)
}

/**
 * Scrolls to where a place was left, or to what its hash names. Otherwise another view starts at the top, and the same
 * one stays where it is.
 */
export function restoreScroll({ entry, hash, pathname }: Place, before: string | undefined): void {
  const known = kept.get(entry)
  const positions = known ?? {}
  for (const [selector, [left, top]] of Object.entries(positions)) elementAt(selector)?.scrollTo(left, top)
  if (hash) {
    if (!positions[PAGE]) document.getElementById(hash)?.scrollIntoView()
    return
  }
  if (!positions[PAGE]) scrollTo(0, 0)
  const content = document.getElementById('content')
  if (content && (known || pathname !== before) && !positions[selectorOf(content)]) content.scrollTo(0, 0)
}

/** Restores positions from now on instead of the browser, which knows only the page's own; `here` is what it shows. */
export function ownScroll(here: () => Place | undefined): void {
  window.history.scrollRestoration = 'manual'
  document.addEventListener(
    'scroll',
    ({ target }) => scrolled.add(target instanceof Element ? target : document.documentElement),
    true,
  )
  addEventListener('pagehide', () => {
    window.history.scrollRestoration = 'auto'
    const place = here()
    if (place) keepScroll(place)
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...kept].slice(-MOST)))
    } catch {
      // After a reload, pages start at the top.
    }
  })
  // The page is back as it was.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) window.history.scrollRestoration = 'manual'
  })
}
