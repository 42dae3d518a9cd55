import { useEffect, useState } from 'preact/hooks'
import { legible } from '../../../contract/legible.ts'
import { contentsUrl, readText, TEXT_BYTES } from './api.ts'
import { Icon } from './icons.tsx'
import { familyOf, isDrawing, viewerOf } from './kinds.ts'
import { text } from './language.ts'
import { formatBytes } from './numbers.ts'
import { baseOf } from './place.ts'

/** A file to show. */
export interface Shown {
  /** Its name within a folder or selection; undefined: the link's only file. */
  key: string | undefined
  name: string
  type: string | null
  size: number
}

/**
 * A file's preview, as far as that is safe: pictures through the image proxy or, if they are drawings, in an image, text as
 * text, videos and sound in players. Of a picture `across` is how many pixels it may be wide. `onBroken` is called of a
 * drawing that is no valid one; then it is shown as its source (`isBroken`).
 */
export function Preview({
  file,
  across,
  isBroken,
  onBroken,
}: {
  file: Shown
  across: number
  isBroken: boolean
  onBroken: () => void
}) {
  const { key, name, type, size } = file
  const label = text.previewOf(legible(baseOf(name)))
  const src = contentsUrl({ key, embed: '1' })
  const viewer = isBroken ? 'text' : viewerOf(type, size)
  if (viewer === 'picture') return <Picture file={file} across={across} onBroken={onBroken} />
  if (viewer === 'video')
    return (
      // biome-ignore lint/a11y/useMediaCaption: users' files have none
      <video class="media" src={src} controls playsInline preload="metadata" aria-label={label} />
    )
  if (viewer === 'audio')
    return (
      // biome-ignore lint/a11y/useMediaCaption: users' files have none
      <audio class="media" src={src} controls preload="metadata" aria-label={label} />
    )
  // Not every browser has a PDF viewer, and without one a frame would start a download. The response is sandboxed by
  // its headers; a `sandbox` attribute would disable Chromium's viewer.
  if (viewer === 'pdf' && navigator.pdfViewerEnabled) return <iframe class="pdf" src={src} title={label} />
  if (viewer === 'text') return <Text file={file} label={label} />
  return <NoPreview file={file} />
}

export const NoPreview = ({ file: { name, type } }: { file: Shown }) => (
  <div class="none dim">
    <Icon name={familyOf(type, name)} size={56} />
    <p class="small">{text.noPreview}</p>
  </div>
)

/** A picture. `onBroken` is called of a drawing that is no valid one. */
export function Picture({ file, across, onBroken }: { file: Shown; across: number; onBroken: () => void }) {
  const [failed, setFailed] = useState(false)
  const { key, name, type, size } = file
  const isDrawn = isDrawing(type, size)
  if (failed) return <NoPreview file={file} />
  return (
    <img
      class={isDrawn ? 'picture drawing' : 'picture'}
      src={contentsUrl({ key, ...(isDrawn ? {} : { w: String(across), format: 'webp' }), embed: '1' })}
      alt={text.previewOf(legible(baseOf(name)))}
      onError={() => (isDrawn ? onBroken() : setFailed(true))}
    />
  )
}

function Text({ file, label }: { file: Shown; label: string }) {
  const [part, setPart] = useState<string | null>()
  useEffect(() => {
    readText(file.key).then(setPart, () => setPart(null))
  }, [file.key])
  if (part === null) return <NoPreview file={file} />
  return (
    <div class="stack-tight text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section class="text-frame" tabIndex={0} aria-label={label} aria-busy={part === undefined}>
        <pre>{part}</pre>
      </section>
      {file.size > TEXT_BYTES ? <p class="dim small">{text.firstPart(formatBytes(TEXT_BYTES))}</p> : null}
    </div>
  )
}
