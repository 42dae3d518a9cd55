import { type ComponentType, useSyncExternalStore } from 'react'
import { parse } from 'regexparam'
import { matchRoute } from 'wouter'
import { BASE_PATH } from '../base-path.ts'
import { addressOf, encoded, history, type Place, placeOf, type Search, writeSearch } from './history.ts'
import { keepScroll, ownScroll } from './scroll.ts'

/** Addresses and what is at them. `:name` in a path is a parameter, `*` anything. */
export interface Route {
  path: string
  isFramed: boolean
  /** The view, or what fetches it. */
  view?: ComponentType | undefined
  load?: () => Promise<Part>
  asked?: Promise<Part> | undefined
  /** How far it is scrolled is its own matter. */
  keepsScroll?: boolean
}
type Part = { default: ComponentType }

/** What is on the page; while the code of the next view is on its way, still the view before. */
export interface Shown {
  place: Place
  route: Route
  params: { readonly [name: string]: string }
  /** Why the view's code could not be fetched. */
  failure?: unknown
}

let routes: readonly Route[] = []
let shown: Shown | undefined
const listeners = new Set<() => void>()
/** Those who wait until the view that they opened is rendered. */
const waiting: (() => void)[] = []

ownScroll(() => shown?.place)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
/** What is on the page; nothing until the first view is there. */
export const useShown = (): Shown | undefined => useSyncExternalStore(subscribe, () => shown)

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function find(pathname: string): Pick<Shown, 'route' | 'params'> {
  for (const route of routes) {
    const [isHere, found] = matchRoute<Record<string, string>>((path) => parse(path), route.path, pathname)
    if (!isHere) continue
    return { route, params: Object.fromEntries(Object.entries(found).map(([name, value]) => [name, decoded(value)])) }
  }
  throw new Error(`No route has ${pathname}`)
}

/** Fetches a view's code, once at a time; what failed is fetched again. */
async function fetchView(route: Route): Promise<void> {
  route.asked ??= route.load?.()
  try {
    route.view = (await route.asked)?.default
  } finally {
    route.asked = undefined
  }
}

/** Fetches the code of the view at a path below the console's, as somebody is about to open it. */
export function prefetch(path: string): void {
  const { route } = find(path)
  // Who opens it is told.
  if (!route.view) fetchView(route).catch(() => {})
}

async function showCurrent(): Promise<void> {
  const { location } = history
  const place = placeOf(location)
  const { route, params } = find(place.pathname)
  let failure: unknown
  if (!route.view) {
    try {
      await fetchView(route)
    } catch (error) {
      failure = error
    }
    if (history.location !== location) return
  }
  if (shown) keepScroll(shown.place)
  const isSame = shown?.route === route && shown.place.pathname === place.pathname
  shown = { place, route, params: shown && isSame ? shown.params : params, failure }
  for (const listener of listeners) listener()
}

/** Shows what the history is at from now on. Returns how to stop. */
export function follow(those: readonly Route[]): () => void {
  routes = those
  const ignore = history.subscribe(showCurrent)
  const { href, state } = history.location
  const address = addressOf(placeOf(history.location))
  const trimmed = (text: string) => text.replace(/\/+$/, '')
  if (trimmed(address) === trimmed(href)) void showCurrent()
  else history.replace(address, state, { ignoreBlocker: true })
  return ignore
}

/** To be called once what is shown is rendered. */
export function arrive(): void {
  for (const done of waiting.splice(0)) done()
}

/** Goes to an address, as a step of the history unless it replaces this one. Resolves once the view is rendered. */
export function goTo(address: string, { replace = false } = {}): Promise<void> {
  const to = encoded(address)
  const arrived = new Promise<void>((resolve) => waiting.push(resolve))
  if (replace) history.replace(to)
  else history.push(to)
  return arrived
}

/** The whole address of a view, for `goTo`. */
export const addressIn = (path: string, search: Search = {}): string => BASE_PATH + path + writeSearch(search)
