import './viewer.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { legible } from '../../../../contract/legible.ts'
import { contentsUrl, type Item, probe } from '../api.ts'
import { Icon } from '../icons.tsx'
import { typeWords, viewerOf } from '../kinds.ts'
import { text } from '../language.ts'
import { formatBytes, formatCount } from '../numbers.ts'
import { Preview, type Shown } from '../Preview.tsx'
import { baseOf, leave, replace } from '../place.ts'
import type { Downloads } from '../useDownloads.ts'
import { useSwipe } from './useSwipe.ts'
import { ZoomedPicture } from './ZoomedPicture.tsx'

const ZOOM_STEP = 1.5
const MOST_ZOOM = 4

/** The file of a folder that the address names, in the viewer. One beyond the files that were read is shown alone. */
export function FolderViewer({
  files,
  place,
  at,
  downloads,
  isWhole,
}: {
  files: readonly Item[]
  place: string
  at: string
  downloads: Downloads
  /** All files of the folder were read. */
  isWhole: boolean
}) {
  const index = files.findIndex(({ name }) => name === place)
  const [alone, setAlone] = useState<Shown>()
  useEffect(() => {
    if (index >= 0 || alone?.key === place) return
    probe(contentsUrl({ key: place })).then(
      (headers) =>
        setAlone({
          key: place,
          name: place,
          type: headers.get('content-type'),
          size: Number(headers.get('content-length')),
        }),
      // There is no such file.
      () => replace(at),
    )
  }, [index, alone, place, at])
  if (index < 0)
    return alone?.key === place ? <Viewer files={[alone]} at={0} total="1" downloads={downloads} folder={at} /> : null
  const shown = files.map(({ name, content_type, size }) => ({ key: name, name, type: content_type, size }))
  const total = isWhole ? formatCount(files.length) : `${formatCount(files.length)}+`
  return <Viewer files={shown} at={index} total={total} downloads={downloads} folder={at} />
}

/** Files in full screen, one at a time: by arrows, by swipes, and closed by Escape or Back. */
export function Viewer({
  files,
  at,
  total,
  downloads,
  folder,
}: {
  files: readonly Shown[]
  at: number
  /** How many files there are, in words. */
  total: string
  downloads: Downloads
  /** Where closing leads. */
  folder: string
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(1)
  /** A drawing that is shown as its source. */
  const [broken, setBroken] = useState<string>()
  const file = files[at] as Shown
  const close = () => leave(folder)
  useEffect(() => dialog.current?.showModal(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each picture starts whole
  useEffect(() => setZoom(1), [file.name])
  const move = (by: number) => {
    const next = files[at + by]
    if (next) replace(next.name)
  }
  const closer = () => setZoom(Math.min(MOST_ZOOM, zoom * ZOOM_STEP))
  const farther = () => setZoom(Math.max(1, zoom / ZOOM_STEP))
  useSwipe(stage, zoom === 1 ? move : undefined)
  const isBroken = broken === file.name
  const isPicture = !isBroken && viewerOf(file.type, file.size) === 'picture'
  const name = legible(baseOf(file.name))
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onKeyDown={(event) => {
        if ((event.target as Element).closest('video, audio, input')) return
        const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
        if (event.key === forward) move(1)
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') move(-1)
        else if (isPicture && event.key === '+') closer()
        else if (isPicture && event.key === '-') farther()
        else return
        event.preventDefault()
      }}
    >
      <header class="viewer-bar">
        <div class="grow viewer-name">
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <p class="small">
            {files.length > 1 ? `${text.position(at + 1, total)} · ` : ''}
            {formatBytes(file.size)} · {typeWords(file.type, file.name)}
          </p>
        </div>
        {isPicture ? (
          <>
            <button
              type="button"
              class="icon optional"
              aria-label={text.zoomOut}
              disabled={zoom === 1}
              onClick={farther}
            >
              <Icon name="zoomOut" />
            </button>
            <button
              type="button"
              class="icon optional"
              aria-label={text.zoomIn}
              disabled={zoom >= MOST_ZOOM}
              onClick={closer}
            >
              <Icon name="zoomIn" />
            </button>
          </>
        ) : null}
        {file.type?.startsWith('application/pdf') ? (
          <a
            class="icon"
            href={contentsUrl({ key: file.key })}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={text.openInTab}
            title={text.openInTab}
          >
            <Icon name="external" />
          </a>
        ) : null}
        <a
          class="icon"
          href={contentsUrl({ key: file.key, download: '1' })}
          download={baseOf(file.name)}
          onClick={(event) => downloads.take(event, name)}
          aria-label={text.downloadOf(name)}
          title={text.downloadOf(name)}
        >
          <Icon name="download" />
        </a>
        <button type="button" class="icon" aria-label={text.close} title={text.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {downloads.refused === undefined ? null : (
        <p class="viewer-note" role="alert">
          {downloads.refused}
        </p>
      )}
      <div class="viewer-stage" ref={stage} key={file.name}>
        {isPicture ? (
          <ZoomedPicture file={file} zoom={zoom} onZoom={setZoom} onBroken={() => setBroken(file.name)} />
        ) : (
          <Preview file={file} across={1920} isBroken={isBroken} onBroken={() => setBroken(file.name)} />
        )}
      </div>
      {at > 0 ? (
        <button type="button" class="viewer-step previous" aria-label={text.previous} onClick={() => move(-1)}>
          <Icon name="previous" size={26} />
        </button>
      ) : null}
      {at + 1 < files.length ? (
        <button type="button" class="viewer-step next" aria-label={text.next} onClick={() => move(1)}>
          <Icon name="next" size={26} />
        </button>
      ) : null}
    </dialog>
  )
}
