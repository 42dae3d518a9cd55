import { lazy, Suspense } from 'react'
import { wholeLanguage } from '../../i18n.ts'
import { parentOf } from '../../keys.ts'
import { ShareDialog } from '../shares/dialog.ts'
import type { Picked } from './bulk.tsx'
import type { Row } from './listing.ts'

const NewFolder = lazy(() => import('./Naming.tsx').then(({ NewFolder }) => ({ default: NewFolder })))
const Rename = lazy(() => import('./Naming.tsx').then(({ Rename }) => ({ default: Rename })))
const FolderDetails = lazy(() => import('./FolderDetails.tsx'))
const TagDialog = lazy(() => wholeLanguage().then(() => import('./TagDialog.tsx')))
const Transfer = lazy(() => import('./Transfer.tsx').then(({ Transfer }) => ({ default: Transfer })))

/** An open dialog and its target. */
export type Open =
  | { kind: 'folder' }
  | { kind: 'rename'; row: Row }
  | { kind: 'about'; row: Row }
  | { kind: 'copy' | 'tag'; picked: Picked }
  /** With the cursor's new place. */
  | { kind: 'move'; picked: Picked; after: number }
  | { kind: 'share'; rows: readonly Row[] }
  /** Everything under the prefix (that matches the search) except these rows: a link to each. */
  | { kind: 'shareAll'; picked: Picked }

export function Dialogs({
  open,
  bucket,
  prefix,
  onClose,
  onDone,
  onFolder,
  onRenamed,
}: {
  open: Open | undefined
  bucket: string
  prefix: string
  onClose: () => void
  /** The selected objects have moved. */
  onDone: () => void
  onFolder: (prefix: string) => void
  /** It was renamed. */
  onRenamed: (key: string) => void
}) {
  if (open?.kind === 'share') {
    const [row] = open.rows
    const what =
      open.rows.length === 1 && row
        ? row.object
          ? { objectKey: row.key }
          : { prefix: row.key }
        : { keys: open.rows.map(({ key }) => key) }
    return (
      <Suspense fallback={null}>
        <ShareDialog bucket={bucket} {...what} onClose={onClose} />
      </Suspense>
    )
  }
  if (open?.kind === 'shareAll') {
    const { search, rows, prefix: under } = open.picked
    const found = {
      prefix: under,
      ...(search === '' ? {} : { query: search }),
      ...(rows.length === 0 ? {} : { exclude: rows.map(({ key }) => key) }),
    }
    return (
      <Suspense fallback={null}>
        <ShareDialog bucket={bucket} found={found} onClose={onClose} />
      </Suspense>
    )
  }
  if (!open) return null
  return (
    <Suspense fallback={null}>
      {open.kind === 'folder' ? (
        <NewFolder bucket={bucket} prefix={prefix} onClose={onClose} onMade={onFolder} />
      ) : open.kind === 'about' ? (
        <FolderDetails bucket={bucket} prefix={open.row.key} onClose={onClose} />
      ) : open.kind === 'rename' ? (
        <Rename
          bucket={bucket}
          prefix={parentOf(open.row.key)}
          row={open.row}
          onClose={onClose}
          onRenamed={onRenamed}
        />
      ) : open.kind === 'tag' ? (
        <TagDialog picked={open.picked} onClose={onClose} />
      ) : (
        <Transfer picked={open.picked} kind={open.kind} onClose={onClose} onDone={onDone} />
      )}
    </Suspense>
  )
}
