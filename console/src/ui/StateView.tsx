import { Anchor, Skeleton } from '@mantine/core'
import { IconMoodEmpty, IconSearchOff } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { statusOf } from '../api/problem.ts'
import { isUnreachable } from '../api/reach.ts'
import { CopyField } from './CopyField.tsx'
import { text } from './messages.ts'
import { ProblemView } from './ProblemView.tsx'
import { useAway } from './useAway.ts'

export { ProblemView }

interface Asked<T> {
  data: T | undefined
  error: unknown
  isPending: boolean
  refetch: () => unknown
}

/**
 * A query's state: skeleton, error (above older data, if any) or data. Data that the user can no longer see is hidden.
 */
export function StateView<T>({
  query,
  skeleton,
  children,
}: {
  query: Asked<T>
  skeleton?: ReactNode
  children: (data: T) => ReactNode
}) {
  const { data, error, isPending, refetch } = query
  // The banner of the page says so already.
  const isKnown = useAway() && isUnreachable(error)
  if (data !== undefined && statusOf(error) !== 403)
    return (
      <>
        {error && !isKnown ? <ProblemView error={error} retry={refetch} /> : null}
        {children(data)}
      </>
    )
  if (isPending) return <Waiting>{skeleton ?? <RowsSkeleton />}</Waiting>
  return <ProblemView error={error} retry={refetch} />
}

/** Shows nothing at first: most responses arrive before anyone could read a skeleton. */
function Waiting({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label={text.loading} className="waiting">
      {shown ? children : null}
    </div>
  )
}

const RowsSkeleton = ({ rows = 8 }: { rows?: number }) => (
  <div className="rows-skeleton">
    {Array.from({ length: rows }, (_, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows without anything in them
      <Skeleton key={i} height={14} radius="sm" width={`${62 + ((i * 37) % 34)}%`} />
    ))}
  </div>
)

/** An empty state: what would be here, an action and a curl command. */
export function EmptyView({
  title,
  children,
  action,
  curl,
  icon,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
  curl?: string
  icon?: ReactNode
}) {
  return (
    <div className="state">
      {icon ?? <IconMoodEmpty size={28} stroke={1.4} />}
      <h2>{title}</h2>
      {children ? <p className="dim">{children}</p> : null}
      {action}
      {curl ? <CopyField label={text.copyCall} value={curl} mono /> : null}
    </div>
  )
}

/** Nothing matches the filters. */
export const NoMatch = ({ query, clear }: { query?: string | undefined; clear: () => void }) => (
  <div className="state">
    <IconSearchOff size={28} stroke={1.4} />
    <h2>{query ? text.noMatch(query) : text.noMatchFilters}</h2>
    <Anchor component="button" onClick={clear}>
      {text.clearFilters}
    </Anchor>
  </div>
)
