import { createClient } from '../../../../../contract/client.ts'
import type { ShareInfo, ShareListing } from '../../../../../contract/shares.ts'

/** Without cookies, so that the browser does not show its own password prompt. */
const client = createClient({ baseUrl: '', fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }) })

export interface Opened {
  token: string
  /** Replaces the password of a protected link. */
  ticket?: string | undefined
}
const withTicket = ({ ticket }: Opened) => (ticket === undefined ? {} : { ticket })

/** A link's properties; using up no download. */
export async function describeLink(opened: Opened): Promise<ShareInfo> {
  const answer = await client.openShare({
    params: { token: opened.token },
    query: { info: '1', ...withTicket(opened) },
  })
  return (await answer.json()) as ShareInfo
}

export async function listLink(opened: Opened, cursor: string | null): Promise<ShareListing> {
  const answer = await client.openShare({
    params: { token: opened.token },
    query: { limit: 200, ...withTicket(opened), ...(cursor === null ? {} : { cursor }) },
  })
  return (await answer.json()) as ShareListing
}

/** Exchanges a password for a ticket; throws the error of a wrong one. */
export const unlock = (token: string, password: string) => client.unlockShare({ params: { token }, body: { password } })

/** The URL from which the browser fetches a link's object, or one of a folder's. */
export function contentsUrl(opened: Opened, query: Record<string, string | undefined> = {}): string {
  const given = Object.entries({ ...query, ...withTicket(opened) }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const search = new URLSearchParams(given).toString()
  return `/public/s/${encodeURIComponent(opened.token)}${search ? `?${search}` : ''}`
}

const TEXT_BYTES = 256 * 1024
export interface TextPart {
  text: string
  /** Whether there is more of it. */
  cut: boolean
}
/** The start of a text. */
export async function readText(opened: Opened, size: number): Promise<TextPart> {
  const answer = await fetch(contentsUrl(opened), {
    credentials: 'omit',
    headers: { range: `bytes=0-${TEXT_BYTES - 1}` },
  })
  if (!answer.ok) throw new Error(String(answer.status))
  return { text: await answer.text(), cut: size > TEXT_BYTES }
}
export const mostText = TEXT_BYTES
