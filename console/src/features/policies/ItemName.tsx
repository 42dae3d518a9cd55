import { legible } from '../../keys.ts'
import { text } from './messages.ts'

/** An object or version that a policy matches. */
export const ItemName = ({
  item: { bucket, key, version_id, marker },
}: {
  item: { bucket: string; key: string; version_id: string | null; marker: boolean }
}) => (
  <>
    <span className="dim">{bucket}/</span>
    <bdi>{legible(key)}</bdi>
    {version_id === null ? null : <span className="dim small"> · {marker ? text.marker : text.version}</span>}
  </>
)

/** What tells items of a list apart. */
export const itemId = ({
  bucket,
  key,
  version_id,
}: {
  bucket: string
  key: string
  version_id: string | null
}): string => `${bucket}/${key} ${version_id ?? ''}`
