import type { Shortcut } from '../../ui/shortcuts.ts'
import { text } from './messages.ts'
import type { Deed } from './SelectionBar.tsx'

interface Around {
  deeds: () => readonly Deed[]
  mayWrite: boolean
  upload: () => void
  newFolder: () => void
  stepBack: () => void
  search: () => void
  refresh: () => void
}

/** The object browser's keys. Keys that act on the selection do what the menu offers, and nothing else. */
export function useKeys({ deeds, mayWrite, upload, newFolder, stepBack, search, refresh }: Around): Shortcut[] {
  const run = (id: Deed['id']) => () =>
    deeds()
      .find((deed) => deed.id === id)
      ?.run()
  return [
    { keys: '/', label: text.keySearch, run: search },
    ...(mayWrite
      ? [
          { keys: 'u', label: text.keyUpload, run: upload },
          { keys: 'n', label: text.keyNewFolder, run: newFolder },
        ]
      : []),
    { keys: 'i', label: text.keyDetails, run: run('open') },
    { keys: 'f', label: text.keyFull, run: run('full') },
    { keys: 'd', label: text.keyDownload, run: run('download') },
    { keys: 's', label: text.keyShare, run: run('share') },
    { keys: 'c', label: text.keyCopy, run: run('copy') },
    { keys: 'm', label: text.keyMove, run: run('move') },
    { keys: 'F2', label: text.keyRename, run: run('rename') },
    { keys: 'Delete', label: text.keyDelete, run: run('delete') },
    { keys: 'r', label: text.keyRefresh, run: refresh },
    { keys: 'Escape', label: text.keyEscape, run: stepBack },
    { keys: '↑ ↓ PgUp PgDn Home End', label: text.keyMoveCursor },
    { keys: 'Enter', label: text.keyOpen },
    { keys: '←', label: text.keyUp },
    { keys: 'Space', label: text.keySelect },
    { keys: 'Shift+↓', label: text.keyRange },
    { keys: 'Ctrl+A', label: text.keySelectAll },
  ]
}
