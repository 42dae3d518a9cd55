import { Loader, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { structuredPatch } from 'diff'
import { type ReactNode, useEffect } from 'react'
import type { Version } from '../../../../contract/versions.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { legible, nameOf, parentOf } from '../../keys.ts'
import { kindOf } from './contents/kinds.ts'
import { objectText } from './object-messages.ts'

const MOST_TEXT = 256 * 1024
const MOST_PICTURE = 32 * 1024 * 1024
/** Texts that differ too much take long to compare, and are not worth it. */
const PATIENCE_MS = 1000

/** Whether two versions can be shown side by side. */
export function isComparable(...versions: readonly Version[]): boolean {
  const kinds = versions.map((one) => kindOf({ key: one.key, content_type: one.content_type ?? '' }))
  const [kind] = kinds
  if (versions.some(({ marker }) => marker) || kinds.some((other) => other !== kind)) return false
  const most = kind === 'text' ? MOST_TEXT : kind === 'picture' ? MOST_PICTURE : 0
  return versions.every(({ size }) => size <= most)
}

/** Two versions of a key side by side: pictures as they are, texts with their differences. */
export function Compare({ before, after, onClose }: { before: Version; after: Version; onClose: () => void }) {
  const name = legible(nameOf(after.key, parentOf(after.key)))
  const isText = kindOf({ key: after.key, content_type: after.content_type ?? '' }) === 'text'
  return (
    <Modal opened onClose={onClose} title={objectText.compareTitle(name)} size="90%">
      <div className="compare">
        <Head version={before} />
        <Head version={after} />
        {isText ? (
          <Differences before={before} after={after} />
        ) : (
          <>
            <Picture version={before} />
            <Picture version={after} />
          </>
        )}
      </div>
    </Modal>
  )
}

const Head = ({ version: { last_modified, latest, size } }: { version: Version }) => (
  <p className="dim small">
    {latest ? objectText.currentVersion : objectText.versionOf(formatTime(last_modified))} · {formatBytes(size)}
  </p>
)

const Whole = ({ children }: { children: ReactNode }) => <div className="compare-whole">{children}</div>

const read = async ({ bucket, key, version_id }: Version): Promise<Response> =>
  client.getObjectByQuery({ params: { bucket }, query: { key, version_id } })

/** A version's contents never change. */
const keyOf = ({ bucket, key, version_id, etag }: Version) => ['contents', bucket, key, version_id, etag]

function Differences({ before, after }: { before: Version; after: Version }) {
  const found = useQuery({
    queryKey: ['differences', ...keyOf(before), ...keyOf(after)],
    queryFn: async () => {
      const [old, now] = await Promise.all([read(before), read(after)])
      const patch = structuredPatch('', '', await old.text(), await now.text(), '', '', {
        context: 3,
        timeout: PATIENCE_MS,
      })
      return patch?.hunks ?? null
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (found.error) return <Whole>{objectText.brokenPreview}</Whole>
  if (found.isPending) return <Whole>{<Loader size="sm" />}</Whole>
  if (found.data === null) return <Whole>{objectText.tooDifferent}</Whole>
  if (found.data.length === 0) return <Whole>{objectText.noDifference}</Whole>
  return found.data.map((hunk) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className="compare-hunk" key={hunk.newStart} tabIndex={0} aria-label={objectText.linesFrom(hunk.newStart)}>
      <p className="dim small compare-whole">{objectText.linesFrom(hunk.newStart)}</p>
      {pairsOf(hunk.lines).map(([left, right], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <Pair key={i} left={left} right={right} />
      ))}
    </section>
  ))
}

type Side = string | undefined
/** The lines of a patch side by side: those that went beside those that came. */
function pairsOf(lines: readonly string[]): [Side, Side][] {
  const pairs: [Side, Side][] = []
  let [gone, come]: [string[], string[]] = [[], []]
  const flush = () => {
    for (let i = 0; i < Math.max(gone.length, come.length); i++) pairs.push([gone[i], come[i]])
    ;[gone, come] = [[], []]
  }
  for (const line of lines) {
    if (line.startsWith('-')) gone.push(line)
    else if (line.startsWith('+')) come.push(line)
    else if (!line.startsWith('\\')) {
      flush()
      pairs.push([line, line])
    }
  }
  flush()
  return pairs
}

const Pair = ({ left, right }: { left: Side; right: Side }) => (
  <>
    <pre className={left?.startsWith('-') ? 'compare-gone' : ''}>{left ?? ''}</pre>
    <pre className={right?.startsWith('+') ? 'compare-come' : ''}>{right ?? ''}</pre>
  </>
)

function Picture({ version }: { version: Version }) {
  const picture = useQuery({
    queryKey: keyOf(version),
    queryFn: async () => {
      const bytes = await (await read(version)).arrayBuffer()
      return URL.createObjectURL(new Blob([bytes], { type: version.content_type ?? '' }))
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const url = picture.data
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])
  if (picture.error) return <p className="dim">{objectText.brokenPreview}</p>
  if (url === undefined) return <Loader size="sm" />
  const time = version.latest ? objectText.currentVersion : objectText.versionOf(formatTime(version.last_modified))
  return <img className="compare-picture" src={url} alt={time} />
}
