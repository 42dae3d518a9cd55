import './storages.css'
import type { Storage } from '../../../../contract/storages.ts'
import { text } from './messages.ts'

const hostOf = (endpoint: string) => endpoint.replace(/^https?:\/\//, '')

/** Where a storage is: its folder, or its bucket with the engine below. */
export function Place({ storage: { kind, folder, bucket, prefix, endpoint, region } }: { storage: Storage }) {
  if (kind === 'file')
    return (
      <bdi dir="ltr" className="mono">
        {folder}
      </bdi>
    )
  return (
    <span className="storages-place">
      <bdi dir="ltr" className="mono">
        {bucket}/{prefix}
      </bdi>
      <span className="dim small" title={endpoint ?? undefined} data-data>
        {endpoint === null ? [text.aws, region].filter(Boolean).join(' ') : hostOf(endpoint)}
      </span>
    </span>
  )
}
