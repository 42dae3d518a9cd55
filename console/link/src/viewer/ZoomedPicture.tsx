import { useRef } from 'preact/hooks'
import { Picture, type Shown } from '../Preview.tsx'

/** A picture that a double click or a wheel enlarges, and that is then dragged about. */
export function ZoomedPicture({
  file,
  zoom,
  onZoom,
  onBroken,
}: {
  file: Shown
  zoom: number
  onZoom: (zoom: number) => void
  onBroken: () => void
}) {
  const frame = useRef<HTMLDivElement>(null)
  const held = useRef<{ x: number; y: number } | undefined>(undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the viewer's buttons and keys do the same
    <div
      ref={frame}
      // What scrolls has to be reached by keys.
      tabIndex={zoom > 1 ? 0 : undefined}
      class={zoom > 1 ? 'zoom zoomed' : 'zoom'}
      onDblClick={() => onZoom(zoom > 1 ? 1 : 2.25)}
      onWheel={(event) => {
        if (!event.ctrlKey && zoom === 1 && event.deltaY > 0) return
        event.preventDefault()
        onZoom(Math.min(4, Math.max(1, zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15))))
      }}
      onPointerDown={(event) => {
        if (zoom === 1 || event.pointerType === 'touch') return
        event.preventDefault()
        held.current = { x: event.clientX, y: event.clientY }
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (!held.current) return
        frame.current?.scrollBy(held.current.x - event.clientX, held.current.y - event.clientY)
        held.current = { x: event.clientX, y: event.clientY }
      }}
      onPointerUp={() => {
        held.current = undefined
      }}
    >
      <div class="zoom-inner" style={{ width: `${zoom * 100}%`, height: `${zoom * 100}%` }}>
        <Picture file={file} across={zoom > 1 ? 3840 : 1920} onBroken={onBroken} />
      </div>
    </div>
  )
}
