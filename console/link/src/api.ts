import type { ShareInfo, ShareListing } from '../../../contract/shares.ts'

export type { ShareInfo, ShareListing }
export type Item = ShareListing['items'][number]

/** Entries of a folder that a phone shows in time; those below them are read when they come near. */
const FIRST = 60
const PAGE = 200
const token = location.pathname.split('/')[2] ?? ''
const KEPT = `strongroom-link ${location.pathname}`

/** Replaces the password of a protected link for an hour; kept until the tab is closed, so that a reload asks for nothing. */
let ticket = read()
function read(): string | undefined {
  try {
    return sessionStorage.getItem(KEPT) ?? undefined
  } catch {
    return undefined
  }
}
export function keepTicket(next: string | undefined): void {
  ticket = next
  try {
    if (next === undefined) sessionStorage.removeItem(KEPT)
    else sessionStorage.setItem(KEPT, next)
  } catch {
    // No storage: it applies until the page is left.
  }
}

/** An answer that is no success; `status` 0 if there was none. */
export class Refused extends Error {
  readonly status: number
  readonly requestId: string | undefined
  /** The API's name for it. */
  readonly code: string | undefined
  constructor(status: number, problem: { detail?: string; request_id?: string; code?: string } = {}) {
    super(problem.detail ?? '')
    this.status = status
    this.requestId = problem.request_id
    this.code = problem.code
  }
}

/** What an answer with this status and body says; any body. */
export function refusedBy(status: number, body: string): Refused {
  try {
    return new Refused(status, JSON.parse(body))
  } catch {
    return new Refused(status)
  }
}

/** The address of what the link opens, or of one of its objects with `key`; `below` is the rest of the path. */
export function contentsUrl(query: { readonly [name: string]: string | undefined } = {}, below = ''): string {
  const given = Object.entries({ ...query, ticket }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const search = new URLSearchParams(given).toString()
  return `/public/s/${token}${below}${search ? `?${search}` : ''}`
}

/** The page asks its first question before its script is loaded (index.html). */
function send(path: string, init: RequestInit): Promise<Response> {
  const page = globalThis as { early?: { path: string; answer: Promise<Response> } | undefined }
  const { early } = page
  page.early = undefined
  return early?.path === path && init.method === undefined ? early.answer : fetch(path, init)
}

/** Without cookies, so that the browser shows no password prompt of its own. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await send(path, { credentials: 'omit', ...init }).catch(() => undefined)
  if (!answer) throw new Refused(0)
  if (answer.ok) return answer
  throw refusedBy(answer.status, await answer.text().catch(() => ''))
}

/** What the link opens, with the first page of a folder; uses up no download. */
export const describeLink = async (folder: string): Promise<ShareInfo> =>
  (await ask(contentsUrl({ info: '1', folder, limit: String(FIRST) }))).json() as Promise<ShareInfo>

/** A page of a folder. */
export const listFolder = async (folder: string, cursor?: string): Promise<ShareListing> =>
  (
    await ask(contentsUrl({ folder, limit: String(cursor === undefined ? FIRST : PAGE), cursor }))
  ).json() as Promise<ShareListing>

/** Exchanges the password for a ticket; throws `Refused` with 401 if it is wrong. */
export async function unlock(password: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await ask(`/api/v1/public/s/${token}`, { method: 'POST', headers, body: JSON.stringify({ password }) })
  keepTicket(((await answer.json()) as { ticket: string }).ticket)
}

/** Throws `Refused` if an address would be refused; uses up no download. */
export const probe = async (url: string): Promise<Headers> => (await ask(url, { method: 'HEAD' })).headers

export const TEXT_BYTES = 256 * 1024
/** The start of a text, for a preview. */
export async function readText(key: string | undefined): Promise<string> {
  const headers = { range: `bytes=0-${TEXT_BYTES - 1}` }
  return (await ask(contentsUrl({ key, embed: '1' }), { headers })).text()
}
