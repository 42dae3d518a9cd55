import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { legible, nameOf, parentOf } from '../../keys.ts'
import { CopyButton } from '../../ui/CopyField.tsx'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { Count } from '../../ui/values.tsx'
import { atOf, useAt } from '../past/at.ts'
import { ExactBytes } from './ExactBytes.tsx'
import { text } from './messages.ts'

/** A folder's path, and how many objects it holds. They are counted a part at a time: there may be millions. */
export default function FolderDetails({
  bucket,
  prefix,
  onClose,
}: {
  bucket: string
  prefix: string
  onClose: () => void
}) {
  const at = useAt()
  const [soFar, setSoFar] = useState({ objects: 0, bytes: 0 })
  const { data, error, refetch } = useQuery({
    queryKey: ['browse', bucket, prefix, at ?? '', 'count'],
    queryFn: async ({ signal }) => {
      let sum = { objects: 0, bytes: 0 }
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: { prefix: string; cursor?: string; at?: string } = {
          prefix,
          ...atOf(at),
          ...(cursor === '' ? {} : { cursor }),
        }
        const part: Awaited<ReturnType<typeof client.countObjects>> = await client.countObjects({
          params: { bucket },
          query,
          signal,
        })
        sum = { objects: sum.objects + part.objects, bytes: sum.bytes + part.bytes }
        setSoFar(sum)
        cursor = part.next_cursor
      }
      return sum
    },
    // Figures of earlier would look like these.
    gcTime: 0,
  })
  const { objects, bytes } = data ?? soFar
  const note = data ? null : <span className="dim">{text.soFar}</span>
  return (
    <Modal opened onClose={onClose} title={legible(nameOf(prefix, parentOf(prefix))) || text.noName}>
      {error && !data ? (
        <ProblemView error={error} retry={refetch} />
      ) : (
        <dl className="facts">
          <dt>{text.key}</dt>
          <dd className="browse-path">
            <bdi>{legible(prefix)}</bdi>
            <CopyButton value={prefix} label={text.copyKey} />
          </dd>
          <dt>{text.objectsIn}</dt>
          <dd aria-busy={!data}>
            <Count n={objects} /> {note}
          </dd>
          <dt>{text.size}</dt>
          <dd aria-busy={!data}>
            <ExactBytes bytes={bytes} /> {note}
          </dd>
        </dl>
      )}
    </Modal>
  )
}
