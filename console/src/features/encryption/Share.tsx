import type { Bucket } from '../../../../contract/buckets.ts'
import { formatBytes, formatShare } from '../../i18n.ts'
import { text } from './messages.ts'

/** How much of a bucket is encrypted. */
export function Share({
  bucket: { used_bytes, object_count, encrypted_bytes, encrypted_objects },
}: {
  bucket: Bucket
}) {
  if (used_bytes === null || object_count === null || encrypted_bytes === null || encrypted_objects === null)
    return null
  if (used_bytes === 0 && object_count === 0) return <p className="dim">{text.empty}</p>
  const share = used_bytes === 0 ? encrypted_objects / object_count : encrypted_bytes / used_bytes
  const percent = formatShare(share)
  return (
    <div className="stack-tight">
      <p>{text.share(percent, formatBytes(encrypted_bytes), formatBytes(used_bytes))}</p>
      <span
        className="meter"
        role="progressbar"
        aria-label={text.shareLabel}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <p className="dim">{text.shareObjects(encrypted_objects, object_count)}</p>
    </div>
  )
}
