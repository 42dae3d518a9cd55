import { client } from '../../api/session.ts'
import { ExportMenu } from '../../ui/ExportMenu.tsx'
import { text } from './messages.ts'

/** Saves the list of all that a search finds, in a bucket or in all of them. */
export function ExportList({ q, bucket, prefix = '' }: { q: string; bucket?: string; prefix?: string }) {
  const query = { q, ...(bucket !== undefined && { bucket }), ...(prefix !== '' && { prefix }) }
  const { exportList: label, exportStreams: streams, exportHolds: holds } = text
  return (
    <ExportMenu
      texts={{ ...text, label, streams, holds }}
      variant="subtle"
      name={bucket ?? 'objects'}
      ask={(format) => client.exportSearch({ query: { ...query, format } })}
    />
  )
}
