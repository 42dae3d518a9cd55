import type { Shortcut } from '../../ui/shortcuts.ts'
import { type Deed, keyOf } from './deed.ts'
import { text } from './messages.ts'

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
  const run =
    (...ids: Deed['id'][]) =>
    () => {
      const all = deeds()
      const id = ids.find((one) => all.some((deed) => deed.id === one))
      all.find((deed) => deed.id === id)?.run()
    }
  return [
    { keys: '/', label: text.keySearch, run: search },
    ...(mayWrite
      ? [
          { keys: 'u', label: text.keyUpload, run: upload },
          { keys: 'n', label: text.keyNewFolder, run: newFolder },
        ]
      : []),
    { keys: keyOf.open, label: text.keyDetails, run: run('about', 'open') },
    { keys: keyOf.full, label: text.keyFull, run: run('full') },
    { keys: keyOf.download, label: text.keyDownload, run: run('download') },
    { keys: keyOf.share, label: text.keyShare, run: run('share') },
    { keys: keyOf.copy, label: text.keyCopy, run: run('copy') },
    { keys: keyOf.move, label: text.keyMove, run: run('move') },
    { keys: keyOf.rename, label: text.keyRename, run: run('rename') },
    { keys: keyOf.delete, label: text.keyDelete, run: run('delete') },
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
