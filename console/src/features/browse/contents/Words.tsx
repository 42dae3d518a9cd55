import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { client } from '../../../api/session.ts'
import { formatBytes } from '../../../i18n.ts'
import { legible } from '../../../keys.ts'
import { atOf, useAt } from '../../past/at.ts'
import { refreshObjects } from '../background.tsx'
import { objectText } from '../object-messages.ts'
import { Code } from './Code.tsx'
import { type Form, formOf, languageOf } from './kinds.ts'
import { Broken, Waiting } from './states.tsx'

const TEXT_BYTES = 256 * 1024

/** Whether all of an object is read. */
const isWholeOf = ({ size }: StoredObject): boolean => size <= TEXT_BYTES

const Json = lazy(() => import('./Json.tsx'))
const Markdown = lazy(() => import('./Markdown.tsx'))
const Table = lazy(() => import('./Table.tsx'))

/** The start of a text, in its form or as its source. */
export function Words({ object }: { object: StoredObject }) {
  const { bucket, key, etag, size } = object
  const at = useAt()
  const words = useQuery({
    queryKey: ['words', bucket, key, etag, at ?? ''],
    queryFn: async () => {
      const answer = await client.getObjectByQuery({
        params: { bucket },
        query: { key, ...atOf(at) },
        headers: { range: `bytes=0-${TEXT_BYTES - 1}` },
      })
      // Others have changed an object of an attached bucket: its properties are other ones too.
      if (answer.headers.get('etag') !== `"${etag}"`) void refreshObjects()
      const read = new TextDecoder().decode(await answer.arrayBuffer())
      return { read, form: formIn(object, read) }
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const [asSource, setAsSource] = useState(false)
  if (words.error) return <Broken error={words.error} />
  if (words.data === undefined) return <Waiting />
  const { read, form } = words.data
  const isWhole = isWholeOf(object)
  return (
    <section className="contents contents-words" aria-label={objectText.contents(legible(key))}>
      {form ? (
        <div className="contents-forms">
          <SegmentedControl
            size="xs"
            aria-label={objectText.showAs}
            data={[
              { value: 'form', label: objectText.form(form) },
              { value: 'source', label: objectText.source },
            ]}
            value={asSource ? 'source' : 'form'}
            onChange={(value) => setAsSource(value === 'source')}
          />
        </div>
      ) : null}
      <Suspense fallback={<Waiting />}>
        {form === undefined || asSource ? (
          <Code words={read} language={languageOf(object)} />
        ) : form === 'json' ? (
          <Json words={read} />
        ) : form === 'table' ? (
          <Table words={read} isWhole={isWhole} />
        ) : (
          <Markdown words={read} />
        )}
      </Suspense>
      {isWhole ? null : <p className="dim small">{objectText.firstPart(formatBytes(TEXT_BYTES), formatBytes(size))}</p>}
    </section>
  )
}

/** A part of a JSON text is none, and neither is one with a fault. */
function formIn(object: StoredObject, words: string): Form | undefined {
  const form = formOf(object)
  if (form !== 'json') return form
  if (!isWholeOf(object)) return undefined
  try {
    JSON.parse(words)
    return form
  } catch {
    return undefined
  }
}
