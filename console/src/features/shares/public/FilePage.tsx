import { Button } from '@mantine/core'
import { IconDownload, IconExternalLink, IconFile, IconFileOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ShareInfo } from '../../../../../contract/shares.ts'
import { formatBytes, formatTime } from '../../../i18n.ts'
import { contentsUrl, type Opened } from './api.ts'
import { text } from './messages.ts'
import { Preview } from './Preview.tsx'
import type { Take } from './useLimited.ts'

/** Types that browsers show in a tab, where the preview here is too small or missing. */
const OPENS = ['application/pdf']
export const plainType = (type: string | null): string => type?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** One file: its name, size, preview and download. */
export function FilePage({
  opened,
  info,
  take,
  spent,
}: {
  opened: Opened
  info: ShareInfo
  take: Take
  /** What to show instead of the download, once there is none. */
  spent: ReactNode
}) {
  const { name, size, content_type, expires_at, limited, downloads_left } = info
  if (size === null)
    return (
      <div className="state">
        <IconFileOff size={32} stroke={1.4} />
        <h1>{text.missingTitle}</h1>
        <p className="dim">{text.missingHint}</p>
      </div>
    )
  const opens = !limited && OPENS.includes(plainType(content_type))
  return (
    <div className="stack">
      <div className="link-head">
        <IconFile size={28} stroke={1.3} className="dim" aria-hidden />
        <div>
          <p className="dim small">{text.shared}</p>
          <h1>{name}</h1>
          <p className="dim">
            <span title={`${size} B`}>{formatBytes(size)}</span>
            {content_type ? ` · ${plainType(content_type)}` : ''}
            {expires_at ? ` · ${text.untilTime(formatTime(expires_at))}` : ''}
          </p>
        </div>
      </div>
      {spent ??
        (limited ? (
          <p className="dim small">{text.leftFile(downloads_left ?? 0)}</p>
        ) : (
          <Preview opened={opened} name={name ?? ''} type={plainType(content_type)} size={size} />
        ))}
      {spent ? null : (
        <div className="link-actions">
          <Button
            component="a"
            size="md"
            href={contentsUrl(opened, { download: '1' })}
            download={name ?? ''}
            onClick={take}
            leftSection={<IconDownload size={17} />}
          >
            {text.download}
          </Button>
          {opens ? (
            <Button
              component="a"
              size="md"
              variant="default"
              href={contentsUrl(opened)}
              target="_blank"
              rel="noopener noreferrer"
              leftSection={<IconExternalLink size={17} />}
            >
              {text.openInTab}
            </Button>
          ) : null}
        </div>
      )}
    </div>
  )
}
