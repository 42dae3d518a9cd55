import { text } from './messages.ts'
import type { Shown } from './useGridInput.ts'

/** The checkbox that selects everything in the folder or search; indeterminate if only some is selected. */
export function SelectAll({ search, listing, chosen }: Pick<Shown, 'search' | 'listing' | 'chosen'>) {
  const { selected } = chosen
  const isAll = selected > 0 && selected >= listing.count && !listing.open
  return (
    <input
      type="checkbox"
      aria-label={search ? text.selectMatches : text.selectAll}
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = selected > 0 && !isAll
      }}
      onChange={selected === 0 ? chosen.selectAll : chosen.clear}
    />
  )
}
