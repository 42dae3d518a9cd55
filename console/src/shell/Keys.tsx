import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { wholeLanguage } from '../i18n.ts'
import { useView } from '../navigation/useView.ts'
import { text as common } from '../ui/messages.ts'
import { notify } from '../ui/notify.tsx'
import { useShortcuts } from '../ui/shortcuts.ts'
import { undoLatest } from '../ui/undo.ts'
import { useMedia } from '../ui/useMedia.ts'
import { text } from './messages.ts'
import type { Place } from './places.ts'

const ShortcutSheet = lazy(() => import('../ui/ShortcutSheet.tsx'))
const Palette = lazy(() => wholeLanguage().then(() => import('./Palette.tsx')))

/** The key after `g`. */
const LETTERS: Readonly<Record<string, string>> = {
  '/': 'h',
  '/buckets': 'b',
  '/shares': 's',
  '/policies': 'p',
  '/tokens': 't',
  '/access-keys': 'k',
  '/jobs': 'j',
  '/admin/users': 'u',
  '/admin/audit': 'a',
  '/admin/webhooks': 'w',
}

const undo = () => {
  if (!undoLatest()) notify.note(common.cannotUndo)
}

/** Global shortcuts: navigation, the palette and the list of shortcuts. */
export function Keys({ places }: { places: readonly Place[] }) {
  const { go } = useView()
  const isNarrow = useMedia('(max-width: 800px)')
  const [open, setOpen] = useState<'sheet' | 'palette'>()
  useShortcuts(text.everywhere, [
    { keys: 'Ctrl+k', label: text.search, run: () => setOpen('palette') },
    { keys: 'Ctrl+z', label: text.undo, run: undo },
    { keys: '?', label: text.shortcuts, run: () => setOpen('sheet') },
    ...places.flatMap(({ to, label }) =>
      LETTERS[to] ? [{ keys: `g ${LETTERS[to]}`, label: text.goTo(label), run: () => void go(to) }] : [],
    ),
  ])
  const close = () => setOpen(undefined)
  return (
    <>
      <button type="button" className="bar-search" onClick={() => setOpen('palette')}>
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span className={isNarrow ? 'visually-hidden' : undefined}>{text.search}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <Suspense fallback={null}>
        {open === 'sheet' ? <ShortcutSheet onClose={close} /> : null}
        {open === 'palette' ? <Palette places={places} onClose={close} onSheet={() => setOpen('sheet')} /> : null}
      </Suspense>
    </>
  )
}
