import type { ShareInfo } from '../../../contract/shares.ts'
import { escaped } from './branding.ts'

const files = (n: number): string => `${new Intl.NumberFormat('en').format(n)} ${n === 1 ? 'file' : 'files'}`

/** What a chat shows of a link in one line; undefined if the link says nothing before its password. */
function titleOf({ kind, needs_password, contents, size, shared_by }: ShareInfo): string | undefined {
  if (needs_password) return undefined
  if (kind === 'upload') return shared_by === null ? 'Files requested' : `Files requested by ${shared_by}`
  if (kind === 'object' && size === null) return undefined
  const count = contents?.files ?? 1
  const what = contents?.exact === false ? `More than ${files(count)}` : files(count)
  return shared_by === null ? `${what} shared with you` : `${what} shared by ${shared_by}`
}

/**
 * The Open Graph tags of a link's page, for the previews of chats and mail programs. They have no names of files, and of a
 * link that is protected, or not valid, nothing but the site's name.
 */
export function unfurl(info: ShareInfo | undefined, siteName: string): string {
  const tags = {
    'og:site_name': siteName,
    'og:type': 'website',
    'og:title': (info && titleOf(info)) ?? siteName,
  }
  return Object.entries(tags)
    .map(([name, content]) => `<meta property="${name}" content="${escaped(content)}">`)
    .join('')
}
