import { Button } from '@mantine/core'
import { IconAlertTriangle, IconLock } from '@tabler/icons-react'
import { describeProblem, statusOf } from '../api/problem.ts'
import { text } from './messages.ts'

/** A view that somebody may not have: what is missing, and who can give it. */
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

/** A refusal in full: what, why, the request's id, and a way to ask again. 403 says what is missing. */
export function ProblemView({
  error,
  retry,
  heading: Heading = 'h2',
}: {
  error: unknown
  retry?: (() => unknown) | undefined
  /** `h1` where it is all there is on the page. */
  heading?: 'h1' | 'h2'
}) {
  const { title, detail, requestId } = describeProblem(error)
  const forbidden = statusOf(error) === 403
  return (
    <div className="state" role="alert">
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
