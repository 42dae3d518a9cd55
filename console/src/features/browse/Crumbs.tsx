import type { DragEvent } from 'react'
import { Link } from '../../navigation/Link.tsx'
import { label, Trail } from '../folders/Trail.tsx'

/** As links, which are also drop targets. */
export const Crumbs = ({
  bucket,
  prefix,
  kept,
  go,
  onDragOver,
  onDrop,
}: {
  bucket: string
  prefix: string
  /** Query parameters to keep: sort order and view. */
  kept: Record<string, string | undefined>
  go: (prefix: string) => void
  onDragOver: (event: DragEvent) => void
  onDrop: (event: DragEvent, prefix: string) => void
}) => (
  <Trail
    bucket={bucket}
    prefix={prefix}
    go={go}
    crumb={(step) => (
      <Link
        to={`/b/${bucket}`}
        search={step.prefix ? { prefix: step.prefix, ...kept } : kept}
        className="crumb"
        onDragOver={onDragOver}
        onDrop={(event) => onDrop(event, step.prefix)}
      >
        {label(step.name)}
      </Link>
    )}
  />
)
