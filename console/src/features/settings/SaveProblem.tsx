import { Alert } from '@mantine/core'
import { codeOf, describeProblem } from '../../api/problem.ts'
import { text } from './messages.ts'

/** Why nothing was saved, without repeating the fields' errors. */
export function SaveProblem({ error, atFields }: { error: unknown; atFields: boolean }) {
  if (error === undefined) return null
  const { title, detail } = describeProblem(error)
  const lockOut = codeOf(error) === 'last_admin'
  return (
    <Alert role="alert" className="alert-bad" title={lockOut ? text.lockOut : title}>
      <p>{atFields ? text.seeFields : detail}</p>
      {lockOut ? <p>{text.lockOutHint}</p> : null}
    </Alert>
  )
}
