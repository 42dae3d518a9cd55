import { Anchor, Button } from '@mantine/core'
import { IconAlertTriangle, IconError404, IconLock } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { describeProblem } from '../api/problem.ts'
import { titled } from '../branding.ts'
import { Link } from '../navigation/Link.tsx'
import { useView } from '../navigation/useView.ts'
import { ProblemView } from '../ui/ProblemView.tsx'
import { useAway } from '../ui/useAway.ts'
import { text } from './messages.ts'
import { isGone, isOutdated } from './new-version.ts'

const useTitle = (title: string) =>
  useEffect(() => {
    document.title = titled(title)
  }, [title])

/** A page for a state alone: what happened, why, the request ID and a way out. */
function StatePage({
  title,
  hint,
  icon,
  isFramed = false,
  children,
}: {
  title: string
  hint: string
  icon: ReactNode
  /** Inside the frame, which has the main part of the page. */
  isFramed?: boolean
  children?: ReactNode
}) {
  const Around = isFramed ? 'div' : 'main'
  const { search } = useView()
  useTitle(title)
  // The address may come from anyone: accept only what looks like a request ID.
  const request = /^[\w-]{1,64}$/.exec(search.request ?? '')?.[0]
  return (
    <Around className="alone">
      <div className="state">
        {icon}
        <h1>{title}</h1>
        <p className="dim">{hint}</p>
        {request ? (
          <p className="dim small mono">
            {text.request} {request}
          </p>
        ) : null}
        {children}
        <Anchor component={Link} to="/">
          {text.toHome}
        </Anchor>
      </div>
    </Around>
  )
}

const notFound = (isFramed: boolean) => (
  <StatePage
    title={text.notFoundTitle}
    hint={text.notFoundHint}
    icon={<IconError404 size={34} stroke={1.4} />}
    isFramed={isFramed}
  />
)
/** `/404` */
export const NotFound = () => notFound(false)
/** Every address without a view. */
export const NotFoundFramed = () => notFound(true)

/** `/403` */
export const Forbidden = () => (
  <StatePage title={text.forbiddenTitle} hint={text.forbiddenHint} icon={<IconLock size={28} stroke={1.4} />} />
)

/** `/error` */
export const Broken = () => (
  <StatePage
    title={text.errorTitle}
    hint={text.errorHint}
    icon={<IconAlertTriangle size={28} stroke={1.4} className="bad" />}
  >
    <Button variant="default" onClick={() => history.back()}>
      {text.back}
    </Button>
  </StatePage>
)

/** A view that failed. If a chunk no longer exists, there is a new version, unless the server was away. */
export function FailedView({ error: given }: { error: unknown }) {
  const isAway = useAway()
  const [wasAway, setWasAway] = useState(isAway)
  if (isAway && !wasAway) setWasAway(true)
  const error = isOutdated(given) && wasAway && !isGone(given) ? new TypeError() : given
  const outdated = isOutdated(error)
  const title = outdated ? text.newVersion : describeProblem(error).title
  useTitle(title)
  const reload = () => location.reload()
  if (!outdated) return <ProblemView error={error} retry={reload} heading="h1" />
  return (
    <div className="state" role="alert">
      <h1>{title}</h1>
      <Button onClick={reload}>{text.reload}</Button>
    </div>
  )
}
