import { useEffect } from 'preact/hooks'
import { legible } from '../../../contract/legible.ts'
import { titled } from '../../src/branding.ts'
import type { Refused } from './api.ts'
import { FilePage } from './FilePage.tsx'
import { FolderPage } from './FolderPage.tsx'
import { text } from './language.ts'
import { folderOf, placeOf } from './place.ts'
import { Sheet } from './Sheet.tsx'
import { Failed, Gone, Unlock } from './states.tsx'
import { useDownloads } from './useDownloads.ts'
import { useLink } from './useLink.ts'
import { useModule } from './useModule.ts'

/** The page of a share link. */
export function LinkPage() {
  const { info, problem, look } = useLink()
  const downloads = useDownloads({ look })
  const open = () => look(folderOf(placeOf(location.hash)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => void open(), [])
  const uploads = useModule(info?.kind === 'upload', () => import('./upload/UploadPage.tsx'))
  const name = info?.name ?? undefined
  useEffect(() => {
    document.title = titled(name === undefined ? text.windowTitle : legible(name))
  }, [name])

  if (problem?.status === 410)
    return (
      <Sheet>
        <Gone tookLast={downloads.tookLast} />
      </Sheet>
    )
  if (problem && !info)
    return (
      <Sheet>
        <Failed problem={problem} again={() => void open()} />
      </Sheet>
    )
  if (info?.needs_password && info.name === null)
    return (
      <Sheet>
        <Unlock onUnlocked={open} />
      </Sheet>
    )
  const isRead = info && (info.kind !== 'upload' || uploads)
  if (!isRead)
    return (
      <Sheet>
        <p role="status" class="wait">
          {text.loading}
        </p>
      </Sheet>
    )
  const refused = (fault: Refused) => {
    // Ended, or the password was changed.
    if (fault.status === 410 || fault.status === 401) void look()
  }
  return (
    <Sheet wide={info.kind === 'folder' || info.kind === 'selection'}>
      {info.kind === 'upload' ? (
        uploads ? (
          <uploads.UploadPage info={info} />
        ) : null
      ) : info.kind === 'object' ? (
        <FilePage info={info} downloads={downloads} />
      ) : (
        <FolderPage info={info} downloads={downloads} onRefused={refused} />
      )}
    </Sheet>
  )
}
