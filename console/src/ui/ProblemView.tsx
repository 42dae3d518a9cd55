import { Button } from '@mantine/core'
import { IconAlertTriangle, IconLock } from '@tabler/icons-react'
import { describeProblem, statusOf } from '../api/problem.ts'
import { isUnreachable } from '../api/reach.ts'
import { text } from './messages.ts'

/** A view the user has no permission for: what is missing, and whom to ask. */
export function ForbiddenView({ right }: { right: string }) {
  return (
    <div className="state" role="alert">
      <IconLock size={28} stroke={1.4} />
      <h2>{text.forbiddenTitle}</h2>
      <p>{text.forbiddenRight(right)}</p>
      <p className="dim">{text.forbiddenHint}</p>
    </div>
  )
}

/** An error in full: what, why, the request ID and a retry. A 403 names the missing permission. */
export function ProblemView({
  error,
  retry,
  heading: Heading = 'h2',
}: {
  error: unknown
  retry?: (() => unknown) | undefined
  /** `h1` if it is the page's only content. */
  heading?: 'h1' | 'h2'
}) {
  const { title, detail, requestId } = describeProblem(error)
  const forbidden = statusOf(error) === 403
  return (
    <div className="state" role="alert" data-unreachable={isUnreachable(error) || undefined}>
      {forbidden ? <IconLock size={28} stroke={1.4} /> : <IconAlertTriangle size={28} stroke={1.4} className="bad" />}
      <Heading>{forbidden ? text.forbiddenTitle : title}</Heading>
      <p>{detail}</p>
      {forbidden ? <p className="dim">{text.forbiddenHint}</p> : null}
      {requestId ? (
        <p className="dim small mono">
          {text.requestId} {requestId}
        </p>
      ) : null}
      {retry && !forbidden ? (
        <Button variant="default" onClick={() => void retry()}>
          {text.retry}
        </Button>
      ) : null}
    </div>
  )
}
