import './uploads.css'
import { ActionIcon, Portal } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useMe } from '../../api/queries.ts'
import { useView } from '../../navigation/useView.ts'
import { Conflicts } from './Conflicts.tsx'
import { Dialog } from './Dialog.tsx'
import { Dock } from './Dock.tsx'
import { useWanted } from './dialog.ts'
import { over, unsent } from './engine/item.ts'
import { engine, useUploads } from './instance.ts'
import { text } from './messages.ts'

const HIDDEN = 'strongroom-uploads-hidden'
const wasHidden = (): boolean => {
  try {
    return sessionStorage.getItem(HIDDEN) !== null
  } catch {
    return false
  }
}
/** Remembers in this tab that the list is out of the way: a reload does not bring it back. */
function keepHidden(hidden: boolean): void {
  try {
    if (hidden) sessionStorage.setItem(HIDDEN, '1')
    else sessionStorage.removeItem(HIDDEN)
  } catch {
    // No storage: it is forgotten.
  }
}

/** The parts of uploads visible on every view: the indicator in the top bar, the dock and the dialogs. */
export function Uploads() {
  const me = useMe()
  const wanted = useWanted()
  const { files, bytes, sent, counts } = useUploads()
  const [chosen, setChosen] = useState<boolean>()
  /** Out of the way, until something is uploaded or its button in the top bar is used. */
  const [hidden, setHidden] = useState(wasHidden)
  const hide = (hidden: boolean) => {
    setHidden(hidden)
    keepHidden(hidden)
  }
  const { params, pathname } = useView()
  /** The view in which it was last opened or closed. */
  const [usedAt, setUsedAt] = useState<string>()
  const setOpen = (open: boolean) => {
    setChosen(open)
    setUsedAt(pathname)
    hide(false)
  }
  const [deciding, setDeciding] = useState(false)
  useEffect(() => engine.serve(me.id), [me.id])
  const percent = bytes === 0 ? 100 : Math.floor((sent / bytes) * 100)
  const some = files + counts.lost > 0 || over.some((state) => counts[state] > 0)
  // What was interrupted earlier waits until the user has time for it.
  const waits = counts.lost > 0 && unsent.every((state) => counts[state] === 0)
  const open = chosen ?? !waits
  // It is about the buckets that the files were for, and elsewhere in the top bar alone.
  const isHere = [...engine.store.those('lost')].some(({ batch }) => batch.bucket === params.bucket)
  const isOut = waits && (hidden || (!isHere && usedAt !== pathname))
  const words = waits ? text.resumableTitle(counts.lost) : text.indicator(percent)
  return (
    <>
      {some ? (
        <ActionIcon
          aria-label={words}
          title={words}
          aria-expanded={open && !isOut}
          onClick={() => setOpen(isOut || !open)}
          w="auto"
          px={6}
        >
          <IconUpload size={17} stroke={1.6} />
          <span className="uploads-percent">{waits ? counts.lost : `${percent}%`}</span>
        </ActionIcon>
      ) : null}
      {wanted ? <Dialog key={wanted.n} wanted={wanted} onStart={() => setOpen(true)} /> : null}
      {some && !isOut ? (
        <Portal>
          <Dock open={open} setOpen={setOpen} hide={() => hide(true)} decide={() => setDeciding(true)} />
        </Portal>
      ) : null}
      {deciding && counts.conflict > 0 ? <Conflicts onClose={() => setDeciding(false)} /> : null}
    </>
  )
}
