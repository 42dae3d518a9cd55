import type { ShareInfo } from './api.ts'
import { text } from './language.ts'
import { formatDate, formatMoment } from './numbers.ts'

/** A line about what the link opens: how much it is, and until when. */
export const Facts = ({ info: { expires_at }, facts }: { info: ShareInfo; facts: readonly string[] }) => (
  <p class="dim facts">
    {facts.map((fact) => (
      <span key={fact}>{fact}</span>
    ))}
    {expires_at === null ? null : <span title={formatMoment(expires_at)}>{text.expires(formatDate(expires_at))}</span>}
  </p>
)

/** How many downloads are left, where they are limited. */
export const Left = ({ info: { downloads_left, max_downloads } }: { info: ShareInfo }) =>
  downloads_left === null || max_downloads === null ? null : (
    <span role="status">{text.left(downloads_left, max_downloads)}</span>
  )
