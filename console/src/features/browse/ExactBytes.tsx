import { formatCount } from '../../i18n.ts'
import { Bytes } from '../../ui/values.tsx'

/** A size, with the exact bytes after it. */
export const ExactBytes = ({ bytes }: { bytes: number }) => (
  <>
    <Bytes bytes={bytes} /> {bytes < 1000 ? null : <span className="dim">({formatCount(bytes)} B)</span>}
  </>
)
