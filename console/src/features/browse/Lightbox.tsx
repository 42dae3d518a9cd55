import './lightbox.css'
import { ActionIcon, Button, Modal } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconDownload, IconShare3 } from '@tabler/icons-react'
import { type KeyboardEvent, type TouchEvent, useEffect, useRef } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { useMedia } from '../../ui/useMedia.ts'
import { useAt } from '../past/at.ts'
import { Contents } from './contents/Contents.tsx'
import { kindOf } from './contents/kinds.ts'
import { prepare } from './contents/Picture.tsx'
import type { Deed } from './deed.ts'
import { objectText } from './object-messages.ts'

/** How far a finger has to move for the next object, in CSS pixels. */
const SWIPE = 60
/** What uses the arrow keys itself. */
const OWN_KEYS = 'video, audio, iframe, input, pre, summary, .contents-table, [role=radiogroup]'

export interface Steps {
  /** The object's place in the list and the list's length; undefined while that part of the list is not loaded. */
  place: { at: number; of: number } | undefined
  hasPrevious: boolean
  hasNext: boolean
  go: (by: -1 | 1) => void
  /** The next object, if it is loaded. */
  next: StoredObject | undefined
}

/** One object on the full screen, and the way to the others of its list. */
export default function Lightbox({
  object,
  name,
  steps,
  deeds,
  onClose,
}: {
  object: StoredObject
  name: string
  steps: Steps
  deeds: readonly Deed[]
  onClose: () => void
}) {
  const isNarrow = useMedia('(max-width: 700px)')
  const { next } = steps
  const at = useAt()
  useEffect(() => {
    if (next && at === undefined && kindOf(next) === 'picture') prepare(next)
  }, [next, at])
  const frame = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus was in the contents of the object before
  useEffect(() => {
    if (!frame.current?.contains(document.activeElement)) frame.current?.focus()
  }, [object])
  const step = (by: -1 | 1) => {
    if (by < 0 ? steps.hasPrevious : steps.hasNext) steps.go(by)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as -1 | 1 | undefined
    if (!by || (event.target as Element).closest(OWN_KEYS)) return
    const scrolled = (event.target as Element).closest('.contents-scroll')
    if (scrolled && scrolled.scrollWidth > scrolled.clientWidth) return
    event.preventDefault()
    step(getComputedStyle(document.body).direction === 'rtl' ? (-by as -1 | 1) : by)
  }
  const touch = useRef<{ x: number; y: number } | undefined>(undefined)
  const onTouchStart = ({ touches, target }: TouchEvent) => {
    const one = touches[0]
    const scrolled = (target as Element).closest('.contents-scroll, .contents-table, pre')
    const isFree = !scrolled || scrolled.scrollWidth <= scrolled.clientWidth
    touch.current = one && touches.length === 1 && isFree ? { x: one.clientX, y: one.clientY } : undefined
  }
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const one = changedTouches[0]
    if (!touch.current || !one) return
    const [x, y] = [one.clientX - touch.current.x, one.clientY - touch.current.y]
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1)
  }
  const side = (by: -1 | 1, label: string, Icon: typeof IconChevronLeft) => (
    <ActionIcon
      size={44}
      className={by < 0 ? 'lightbox-side previous' : 'lightbox-side next'}
      aria-label={label}
      title={label}
      disabled={by < 0 ? !steps.hasPrevious : !steps.hasNext}
      onClick={() => step(by)}
    >
      <Icon size={26} stroke={1.6} />
    </ActionIcon>
  )
  const shown = deeds.filter(({ id }) => id === 'download' || id === 'share')
  return (
    <Modal.Root opened onClose={onClose} fullScreen>
      <Modal.Content>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same */}
        <div className="lightbox" ref={frame} tabIndex={-1} onKeyDown={onKeyDown}>
          <Modal.Header className="lightbox-head">
            <Modal.Title>
              <bdi>{name}</bdi>
            </Modal.Title>
            <span className="dim optional" role="status">
              {steps.place ? objectText.placeOf(steps.place.at, steps.place.of) : ''}
            </span>
            <span className="grow" />
            {shown.map(({ id, label, run }) => {
              const Icon = id === 'download' ? IconDownload : IconShare3
              return isNarrow ? (
                <ActionIcon key={id} size={44} aria-label={label} title={label} onClick={run}>
                  <Icon size={18} stroke={1.6} />
                </ActionIcon>
              ) : (
                <Button key={id} variant="default" leftSection={<Icon size={15} />} onClick={run}>
                  {label}
                </Button>
              )
            })}
            <Modal.CloseButton aria-label={objectText.closeFull} size={isNarrow ? 44 : 30} />
          </Modal.Header>
          <Modal.Body className="lightbox-body" onTouchStart={onTouchStart} onTouchEnd={onTouchEnd}>
            {side(-1, objectText.previous, IconChevronLeft)}
            <Contents key={`${object.key} ${object.etag}`} object={object} />
            {side(1, objectText.next, IconChevronRight)}
          </Modal.Body>
        </div>
      </Modal.Content>
    </Modal.Root>
  )
}
