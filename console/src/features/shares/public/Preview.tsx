import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatBytes } from '../../../i18n.ts'
import { contentsUrl, mostText, type Opened, readText } from './api.ts'
import { text } from './messages.ts'

/** Types that the image proxy renders. SVG itself, which may contain scripts, is never shown. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']
const FILMS = ['video/mp4', 'video/webm']
const SOUNDS = ['audio/mpeg', 'audio/ogg', 'audio/wav']
const TEXTS =
  /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh|sql|x-ndjson|ld\+json)$|image\/svg\+xml$)/

/** A file's preview, as far as that is safe: images through the proxy, text as text, video and audio in players. */
export function Preview({ opened, name, type, size }: { opened: Opened; name: string; type: string; size: number }) {
  if (PICTURES.includes(type)) return <Picture opened={opened} name={name} />
  if (FILMS.includes(type))
    return (
      // biome-ignore lint/a11y/useMediaCaption: files of strangers have none
      <video className="link-media" src={contentsUrl(opened)} controls preload="metadata" aria-label={name} />
    )
  if (SOUNDS.includes(type))
    return (
      // biome-ignore lint/a11y/useMediaCaption: files of strangers have none
      <audio className="link-media" src={contentsUrl(opened)} controls preload="metadata" aria-label={name} />
    )
  // Not every browser has a PDF viewer, and without one a frame would start a download. The response is sandboxed by
  // its headers; a `sandbox` attribute would disable Chromium's viewer.
  if (type === 'application/pdf' && size > 0 && navigator.pdfViewerEnabled)
    return <iframe className="link-pdf" src={contentsUrl(opened, { embed: '1' })} title={text.previewOf(name)} />
  if (TEXTS.test(type) && size > 0) return <Text opened={opened} name={name} size={size} />
  return <NoPreview />
}

const NoPreview = () => <p className="dim small link-none">{text.noPreview}</p>

function Picture({ opened, name }: { opened: Opened; name: string }) {
  const [failed, setFailed] = useState(false)
  if (failed) return <NoPreview />
  return (
    <div className="link-frame">
      <img
        className="link-picture"
        src={contentsUrl(opened, { w: '1280', format: 'webp' })}
        alt={text.previewOf(name)}
        onError={() => setFailed(true)}
      />
    </div>
  )
}

function Text({ opened, name, size }: { opened: Opened; name: string; size: number }) {
  const part = useQuery({
    queryKey: ['link-text', opened],
    queryFn: () => readText(opened, size),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  if (part.error) return <NoPreview />
  if (!part.data) return <Skeleton height={120} />
  return (
    <div className="stack-tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section className="link-frame link-text" tabIndex={0} aria-label={text.previewOf(name)}>
        <pre>{part.data.text}</pre>
      </section>
      {part.data.cut ? <p className="dim small">{text.firstPart(formatBytes(mostText))}</p> : null}
    </div>
  )
}
