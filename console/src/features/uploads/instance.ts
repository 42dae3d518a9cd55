import { useSyncExternalStore } from 'react'
import { queries } from '../../api/queries.ts'
import { type Arrival, tellArriving } from './arriving.ts'
import { Engine } from './engine/engine.ts'
import { type State, unsent } from './engine/item.ts'
import { text } from './messages.ts'
import { watchRoom } from './room.ts'

/** Every update refetches the visible folder, which slows down uploads. */
const TOLD_MS = 2500

/** Buckets changed since views were last notified. */
const changed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
function tellViews(): void {
  timer = undefined
  for (const bucket of changed)
    for (const queryKey of [
      ['browse', bucket],
      ['bucket', bucket],
      ['uploads', bucket],
    ])
      void queries.invalidateQueries({ queryKey })
  if (changed.size > 0) void queries.invalidateQueries({ queryKey: ['buckets'] })
  changed.clear()
}

/** The page's one upload engine, independent of views. */
export const engine = new Engine(
  {
    badName: { title: text.badName, detail: text.badNameHint, code: 'bad_name' },
    unreadable: { title: text.unreadable, detail: text.unreadableHint, code: 'unreadable' },
    otherFile: { title: text.otherFile, detail: text.otherFileHint, code: 'other_file' },
    unreachable: { title: text.unreachable, detail: text.unreachableHint, code: 'unreachable' },
  },
  (bucket) => {
    hasRoom(bucket)
    changed.add(bucket)
    if (timer === undefined) timer = setTimeout(tellViews, TOLD_MS)
  },
)

const hasRoom = watchRoom(engine)

const arrivalAt = (bucket: string, prefix: string): Arrival => {
  const isThere = (state: State) =>
    [...engine.store.those(state)].some(({ batch, key }) => batch.bucket === bucket && key.startsWith(prefix))
  if (unsent.some((state) => state !== 'error' && isThere(state))) return 'running'
  return isThere('lost') ? 'interrupted' : undefined
}
engine.store.subscribe(() => tellArriving(arrivalAt))
engine.store.subscribe(() => {
  const { running, completing } = engine.store.snapshot().counts
  if (timer === undefined || running + completing > 0) return
  clearTimeout(timer)
  tellViews()
})

export const useUploads = () => useSyncExternalStore(engine.store.subscribe, engine.store.snapshot)

addEventListener('offline', () => engine.wentOffline())
addEventListener('beforeunload', (event) => {
  if (engine.store.isBusy) event.preventDefault()
})
