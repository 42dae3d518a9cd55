import { Loader } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { codeOf, describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { assertReadable, ownUrl } from './bulk.tsx'
import { text } from './messages.ts'
import { legible } from './names.ts'
import { pictureOf } from './pictures.ts'
import { refreshObjects } from './running.tsx'

const TEXT_BYTES = 256 * 1024
/** Above this size, highlighting costs more than it helps. */
const MOST_COLOURED = 100_000
const PICTURE = 1600

type Kind = 'picture' | 'pdf' | 'video' | 'audio' | 'text' | 'none'
const textual =
  /\.(txt|log|md|markdown|json|ndjson|csv|tsv|xml|svg|html?|ya?ml|toml|ini|conf|env|js|mjs|cjs|jsx|ts|tsx|css|sql|sh|py|rb|go|rs|java|c|h|cpp)$/i

/**
 * How an object is shown. Types that could contain scripts are shown as text or as a raster image, never as part of the
 * page.
 */
export function kindOf({ content_type, key }: Pick<StoredObject, 'content_type' | 'key'>): Kind {
  const type = content_type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/pdf') return 'pdf'
  if (/^image\/(?!svg)/.test(type)) return 'picture'
  if (/^video\//.test(type)) return 'video'
  if (/^audio\//.test(type)) return 'audio'
  if (/^text\/|[/+](json|xml|yaml|x-yaml|x-ndjson|javascript|ecmascript|sql|x-sh|toml)$/.test(type)) return 'text'
  return textual.test(key) ? 'text' : 'none'
}
const languageOf = (type: string, key: string): string => {
  const all: readonly (readonly [RegExp, string])[] = [
    [/json/, 'json'],
    [/xml|html|svg/, 'xml'],
    [/markdown|\.md$/, 'markdown'],
    [/ya?ml/, 'yaml'],
    [/javascript|\.(jsx?|tsx?|[cm]js)$/, 'javascript'],
  ]
  return all.find(([pattern]) => pattern.test(`${type} ${key}`))?.[1] ?? ''
}

/** Previews an object, as far as that is safe. */
export function Contents({ object }: { object: StoredObject }) {
  if (object.size === 0) return <Nothing>{text.emptyObject}</Nothing>
  const kind = kindOf(object)
  if (kind === 'picture') return <Picture object={object} />
  if (kind === 'text') return <Words object={object} />
  if (kind === 'none') return <Nothing>{text.noPreview}</Nothing>
  return <Streamed object={object} kind={kind} />
}

const Nothing = ({ children }: { children: ReactNode }) => (
  <div className="contents contents-none">
    <IconFileOff size={26} stroke={1.4} aria-hidden />
    <span>{children}</span>
  </div>
)
/** The server's sentence where it says more, such as of an archived object or one that others changed. */
const Broken = ({ error }: { error?: unknown }) => (
  <Nothing>
    {['archived', 'conflict', 'not_found'].includes(codeOf(error) ?? '')
      ? describeProblem(error).detail
      : text.brokenPreview}
  </Nothing>
)
const Waiting = () => (
  <div className="contents contents-none" role="status">
    <Loader size="sm" />
  </div>
)

function Picture({ object: { bucket, key, etag } }: { object: StoredObject }) {
  const picture = useQuery({
    queryKey: ['picture', bucket, key, etag, PICTURE],
    queryFn: () => pictureOf({ bucket, key, etag }, PICTURE),
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (picture.error) return <Broken error={picture.error} />
  if (!picture.data) return <Waiting />
  return (
    <div className="contents contents-picture">
      <img src={picture.data} alt={text.contents(legible(key))} />
    </div>
  )
}

/** Uses a URL for the browser's own viewers, which request ranges. */
function Streamed({ object, kind }: { object: StoredObject; kind: 'pdf' | 'video' | 'audio' }) {
  const { bucket, key, etag } = object
  const [broken, setBroken] = useState(false)
  const signed = useQuery({
    queryKey: ['signed', bucket, key, etag],
    queryFn: async () => {
      await assertReadable(bucket, key)
      return client.presignObject({ params: { bucket }, body: { key, expires_in: '1h', embed: true } })
    },
    staleTime: 30 * 60_000,
    gcTime: 30 * 60_000,
    refetchOnWindowFocus: false,
  })
  if (signed.error || broken) return <Broken error={signed.error} />
  if (!signed.data) return <Waiting />
  const src = ownUrl(signed.data.url)
  const name = text.contents(legible(key))
  if (kind === 'pdf') return <iframe className="contents contents-pdf" src={src} title={name} />
  if (kind === 'audio')
    return (
      <div className="contents contents-none">
        {/* biome-ignore lint/a11y/useMediaCaption: an object has none */}
        <audio src={src} controls preload="metadata" aria-label={name} onError={() => setBroken(true)} />
      </div>
    )
  return (
    <div className="contents contents-picture">
      {/* biome-ignore lint/a11y/useMediaCaption: an object has none */}
      <video src={src} controls preload="metadata" aria-label={name} onError={() => setBroken(true)} />
    </div>
  )
}

function Words({ object }: { object: StoredObject }) {
  const { bucket, key, etag, size, content_type } = object
  const words = useQuery({
    queryKey: ['words', bucket, key, etag],
    queryFn: async () => {
      const answer = await client.getObjectByQuery({
        params: { bucket },
        query: { key },
        headers: { range: `bytes=0-${TEXT_BYTES - 1}` },
      })
      // Others have changed an object of an attached bucket: its properties are other ones too.
      if (answer.headers.get('etag') !== `"${etag}"`) void refreshObjects()
      const read = new TextDecoder().decode(await answer.arrayBuffer())
      const language = languageOf(content_type, key)
      if (language === '' || read.length > MOST_COLOURED) return { read, coloured: null }
      const { colour } = await import('./colour.ts')
      return { read, coloured: colour(read, language) }
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (words.error) return <Broken error={words.error} />
  if (!words.data) return <Waiting />
  const { read, coloured } = words.data
  return (
    <section className="contents contents-words" aria-label={text.contents(legible(key))}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
      <pre tabIndex={0}>
        {coloured
          ? coloured.map(({ text: part, tone }, i) =>
              tone ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: they never change
                <span key={i} className={`tone-${tone}`}>
                  {part}
                </span>
              ) : (
                part
              ),
            )
          : read}
      </pre>
      {size > TEXT_BYTES ? (
        <p className="dim small">{text.firstPart(formatBytes(TEXT_BYTES), formatBytes(size))}</p>
      ) : null}
    </section>
  )
}
