import '@mantine/core/styles/Tabs.css'
import './preview.css'
import { ActionIcon, Button, Tabs } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconDots, IconFileOff, IconMaximize, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { useReadOnly } from '../../api/buckets.ts'
import { client } from '../../api/session.ts'
import { legible, nameOf, parentOf } from '../../keys.ts'
import { StateView } from '../../ui/StateView.tsx'
import { useMedia } from '../../ui/useMedia.ts'
import { atOf, useAt } from '../past/at.ts'
import { Contents } from './contents/Contents.tsx'
import { Details } from './Details.tsx'
import type { Deed } from './deed.ts'
import type { Listing, Row } from './listing.ts'
import { text } from './messages.ts'
import { ObjectUrls } from './ObjectUrls.tsx'
import { objectText } from './object-messages.ts'
import { Versions } from './Versions.tsx'

const Lightbox = lazy(() => import('./Lightbox.tsx'))
const RowMenu = lazy(() => import('./RowMenu.tsx'))

/** How many loaded rows are searched for the object. */
const NEAR = 2000
/** Actions that the panel offers elsewhere: in its head and its properties. */
const ELSEWHERE = new Set<Deed['id']>(['open', 'full', 'copyKey', 'access'])
/** Those that are buttons; the others are in a menu. */
const BUTTONS = new Set<Deed['id']>(['download', 'share', 'copyLink'])

interface Props {
  bucket: string
  objectKey: string
  listing: Listing
  cursor: number
  deeds: (row: Row) => readonly Deed[]
  onMove: (index: number) => void
  isFull: boolean
  onFull: (isFull: boolean) => void
  /** Called with the row's index once it is known. */
  onFound: (index: number) => void
  onClose: () => void
}

/** One object beside the list: preview, properties and URLs. */
export default function Preview({
  bucket,
  objectKey,
  listing,
  cursor,
  deeds,
  onMove,
  isFull,
  onFull,
  onFound,
  onClose,
}: Props) {
  const index = indexOf(listing, cursor, objectKey)
  const row = index < 0 ? undefined : listing.row(index)
  const at = useAt()
  const found = useQuery({
    queryKey: ['object', bucket, objectKey, at ?? ''],
    // A key sorts before all keys that start with it.
    queryFn: async (): Promise<StoredObject | null> => {
      const { items } = await client.listObjects({
        params: { bucket },
        query: { prefix: objectKey, limit: 1, ...atOf(at) },
      })
      return items[0]?.key === objectKey ? items[0] : null
    },
    placeholderData: row?.object ?? undefined,
  })
  const isNow = at === undefined
  const keepsVersions = useReadOnly(bucket) === false && isNow
  const name = legible(nameOf(objectKey, parentOf(objectKey))) || text.noName
  const tellFound = useEffectEvent(onFound)
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another object too
  useEffect(() => {
    if (index >= 0) tellFound(index)
  }, [index, objectKey])
  const isNarrow = useMedia('(max-width: 900px)')
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    // On narrow screens it covers the list.
    if (isNarrow) panel.current?.focus()
  }, [isNarrow])
  const hasPrevious = index > listing.folders
  const hasNext = index >= 0 && index + 1 < listing.count
  const step = (by: -1 | 1, label: string, icon: ReactNode) => (
    <ActionIcon
      aria-label={label}
      title={label}
      disabled={by < 0 ? !hasPrevious : !hasNext}
      onClick={() => onMove(index + by)}
    >
      {icon}
    </ActionIcon>
  )
  return (
    <aside className="details" aria-label={objectText.contents(name)} ref={panel} tabIndex={-1}>
      <header className="details-head">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {step(-1, objectText.previous, <IconChevronLeft size={17} />)}
        {step(1, objectText.next, <IconChevronRight size={17} />)}
        <ActionIcon aria-label={text.fullScreen} title={text.fullScreen} onClick={() => onFull(true)}>
          <IconMaximize size={17} />
        </ActionIcon>
        <ActionIcon aria-label={objectText.closePreview} title={objectText.closePreview} onClick={onClose}>
          <IconX size={17} />
        </ActionIcon>
      </header>
      <StateView query={found}>
        {(object) =>
          object === null ? (
            <>
              <Gone />
              {keepsVersions ? <Versions bucket={bucket} objectKey={objectKey} /> : null}
            </>
          ) : (
            <>
              <Contents key={`${object.key} ${object.etag}`} object={object} onFull={() => onFull(true)} />
              {isFull ? (
                <Suspense fallback={null}>
                  <Lightbox
                    object={object}
                    name={name}
                    steps={{
                      place:
                        index < 0
                          ? undefined
                          : { at: index + 1 - listing.folders, of: listing.count - listing.folders },
                      hasPrevious,
                      hasNext,
                      go: (by) => onMove(index + by),
                      next: listing.row(index + 1)?.object ?? undefined,
                    }}
                    deeds={deeds({ key: object.key, object })}
                    onClose={() => onFull(false)}
                  />
                </Suspense>
              ) : null}
              <Deeds row={{ key: object.key, object }} deeds={deeds({ key: object.key, object })} />
              <Tabs defaultValue="details" keepMounted={false}>
                <Tabs.List>
                  <Tabs.Tab value="details">{objectText.details}</Tabs.Tab>
                  {keepsVersions ? <Tabs.Tab value="versions">{objectText.versions}</Tabs.Tab> : null}
                  {isNow ? <Tabs.Tab value="links">{objectText.links}</Tabs.Tab> : null}
                </Tabs.List>
                <Tabs.Panel value="details">
                  <Details key={object.key} object={object} />
                </Tabs.Panel>
                {keepsVersions ? (
                  <Tabs.Panel value="versions">
                    <Versions key={object.key} bucket={bucket} objectKey={object.key} />
                  </Tabs.Panel>
                ) : null}
                {isNow ? (
                  <Tabs.Panel value="links">
                    <ObjectUrls key={object.key} object={object} />
                  </Tabs.Panel>
                ) : null}
              </Tabs>
            </>
          )
        }
      </StateView>
    </aside>
  )
}

/** What can be done with the object: what people do most as buttons, the rest in the menu of the rows. */
function Deeds({ row, deeds }: { row: Row; deeds: readonly Deed[] }) {
  const [at, setAt] = useState<{ x: number; y: number }>()
  const opener = useRef<HTMLButtonElement>(null)
  const offered = deeds.filter(({ id }) => !ELSEWHERE.has(id))
  const others = offered.filter(({ id }) => !BUTTONS.has(id))
  const open = () => {
    const { left, bottom } = (opener.current as HTMLElement).getBoundingClientRect()
    setAt({ x: left, y: bottom })
  }
  const close = () => {
    setAt(undefined)
    opener.current?.focus()
  }
  return (
    <div className="details-deeds">
      {offered
        .filter(({ id }) => BUTTONS.has(id))
        .map(({ id, label, run }) => (
          <Button key={id} variant={id === 'download' ? 'filled' : 'default'} onClick={run}>
            {label}
          </Button>
        ))}
      {others.length > 0 ? (
        <ActionIcon
          ref={opener}
          variant="default"
          aria-label={text.more}
          title={text.more}
          aria-haspopup="menu"
          aria-expanded={at !== undefined}
          onClick={open}
        >
          <IconDots size={17} />
        </ActionIcon>
      ) : null}
      {at ? (
        <Suspense fallback={null}>
          <RowMenu at={{ ...at, row }} deeds={others} hasKeys={false} onClose={close} />
        </Suspense>
      ) : null}
    </div>
  )
}

const Gone = () => (
  <div className="state" role="alert">
    <IconFileOff size={28} stroke={1.4} />
    <h2>{objectText.gone}</h2>
    <p className="dim">{objectText.goneHint}</p>
  </div>
)

/** The object's row; -1 if that part of the list is not loaded. */
function indexOf(listing: Listing, cursor: number, key: string): number {
  if (listing.row(cursor)?.key === key) return cursor
  for (let index = 0; index < Math.min(listing.count, NEAR); index++) if (listing.row(index)?.key === key) return index
  return -1
}
