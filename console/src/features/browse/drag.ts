import type { DragEvent } from 'react'
import type { Picked } from './bulk.tsx'

/** What is being dragged within the page. A drag from elsewhere carries files. */
let dragged: Picked | undefined
const TYPE = 'application/x-strongroom-selection'

export function startDrag(event: DragEvent, picked: Picked, label: string): void {
  dragged = picked
  event.dataTransfer.effectAllowed = 'copyMove'
  event.dataTransfer.setData(TYPE, label)
  const ghost = document.createElement('div')
  ghost.className = 'browse-ghost'
  ghost.textContent = label
  document.body.append(ghost)
  event.dataTransfer.setDragImage(ghost, -12, -12)
  setTimeout(() => ghost.remove())
}
export const endDrag = (): void => {
  dragged = undefined
}
export const isOurs = (event: DragEvent): boolean => event.dataTransfer.types.includes(TYPE)
export const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** The folder whose row or tile the pointer is on. */
export const folderAt = (event: DragEvent): string | undefined =>
  (event.target as HTMLElement).closest<HTMLElement>('[data-folder]')?.dataset.folder

/** Accepts the drop; with Ctrl as a copy. */
export function allowDrop(event: DragEvent): void {
  if (!isOurs(event)) return
  event.preventDefault()
  event.dataTransfer.dropEffect = event.ctrlKey || event.metaKey ? 'copy' : 'move'
}
/** What was dropped, and whether to copy it. */
export function takeDrop(event: DragEvent): { picked: Picked; kind: 'copy' | 'move' } | undefined {
  if (!isOurs(event) || !dragged) return undefined
  event.preventDefault()
  event.stopPropagation()
  const picked = dragged
  dragged = undefined
  return { picked, kind: event.ctrlKey || event.metaKey ? 'copy' : 'move' }
}
