import { legible } from '../../../contract/legible.ts'
import type { ShareInfo } from './api.ts'
import { text } from './language.ts'
import { formatDate, formatMoment } from './numbers.ts'

/** A line about what the link opens: how much it is, and until when. */
export const Facts = ({ info: { shared_at, expires_at }, facts }: { info: ShareInfo; facts: readonly string[] }) => (
  <p class="dim facts">
    {facts.map((fact) => (
      <span key={fact}>{fact}</span>
    ))}
    <span title={formatMoment(shared_at)}>{text.on(formatDate(shared_at))}</span>
    {expires_at === null ? null : <span title={formatMoment(expires_at)}>{text.expires(formatDate(expires_at))}</span>}
  </p>
)

/** Whose link it is. */
export const By = ({ info: { shared_by, kind } }: { info: ShareInfo }) =>
  shared_by === null ? null : (
    <p class="dim small by">{kind === 'upload' ? text.askedBy(legible(shared_by)) : text.by(legible(shared_by))}</p>
  )

/** What the creator tells the visitors: plain text, with its lines. */
export const Message = ({ info: { message, shared_by } }: { info: ShareInfo }) =>
  message === null ? null : (
    <blockquote class="message" aria-label={shared_by === null ? text.message : text.messageOf(legible(shared_by))}>
      {message}
    </blockquote>
  )

/** How many downloads are left, where they are limited. */
export const Left = ({ info: { downloads_left, max_downloads } }: { info: ShareInfo }) =>
  downloads_left === null || max_downloads === null ? null : (
    <span role="status">{text.left(downloads_left, max_downloads)}</span>
  )
