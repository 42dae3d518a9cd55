import { createBrowserHistory, type HistoryLocation } from '@tanstack/history'
import { BASE_PATH } from '../base-path.ts'

/** The history that views follow. */
export const history = createBrowserHistory()

/** Opens a view from outside what is rendered, such as a notice. */
export const openView = (path: string): void => history.push(BASE_PATH + path)

/** Values that are undefined or empty are left out of an address. */
export type Search = { readonly [name: string]: string | undefined }

/** An address of the console. */
export interface Place {
  /** Below the console's path, and decoded as far as it stays the same path. */
  pathname: string
  search: { readonly [name: string]: string }
  /** Without `#`. */
  hash: string
  /** The key of the history's entry, and how many steps it is from the first. */
  entry: string
  step: number
}

/** Every value stays a string. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** A query with its `?`, or nothing. */
export function writeSearch(search: Search): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const text = new URLSearchParams(given).toString()
  return text ? `?${text}` : ''
}

/** A path without the escapes that it does not need: `%25` and `%5C` stay, as it would be another one. */
function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll(/%(?=25|5C)/gi, '%25'))
  } catch {
    return path
  }
}

/** What an entry of the history shows. */
export function placeOf({ pathname, search, hash, href, state }: HistoryLocation): Place {
  const path = decoded(pathname).replaceAll(/\/{2,}/g, '/')
  return {
    pathname: `${path}/`.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) || '/' : path,
    search: parseSearch(search),
    hash: hash.slice(1),
    entry: state.__TSR_key ?? href,
    step: state.__TSR_index ?? 0,
  }
}

/** A place's address in the form that the console gives it. */
export const addressOf = ({ pathname, search, hash }: Place): string =>
  encoded(BASE_PATH + (pathname.replace(/\/$/, '') || '/') + writeSearch(search) + (hash && `#${hash}`))

/** An address with escapes where a browser would put them. */
export function encoded(address: string): string {
  const { pathname, search, hash } = new URL(address, location.origin)
  return pathname + search + hash
}
