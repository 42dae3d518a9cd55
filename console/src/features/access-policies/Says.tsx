import { Alert, Anchor } from '@mantine/core'
import type { DescribedPolicy } from '../../../../contract/access-policies.ts'
import { Status } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { sentenceText, warningText } from './sentences.ts'

/** What a policy says in sentences, what to look at, or where it cannot be read. */
export function Says({
  described: { fault, sentences, warnings },
  onPlace,
}: {
  described: DescribedPolicy
  onPlace?: (line: number, column: number) => void
}) {
  if (fault)
    return (
      <Alert className="alert-bad" role="alert">
        <p>
          <strong>{text.fault(fault.line, fault.column)}</strong>: <span lang="en">{fault.message}</span>
        </p>
        {onPlace ? (
          <Anchor component="button" type="button" onClick={() => onPlace(fault.line, fault.column)}>
            {text.goThere}
          </Anchor>
        ) : null}
      </Alert>
    )
  return (
    <div className="stack">
      {warnings.length > 0 ? (
        <Alert title={text.warnings} className="alert-warn">
          <ul className="policy-warnings">
            {warnings.map((one) => (
              <li key={`${one.code} ${one.statement} ${one.names.join()}`}>{warningText(one)}</li>
            ))}
          </ul>
        </Alert>
      ) : null}
      <ol className="policy-sentences">
        {sentences.map((one) => (
          <li key={one.statement}>
            <Status tone={one.effect === 'Allow' ? 'ok' : 'bad'}>
              {one.effect === 'Allow' ? text.allows : text.denies}
            </Status>
            <span>{sentenceText(one)}</span>
            {one.sid ? <span className="dim small">{text.statement(one.sid)}</span> : null}
          </li>
        ))}
      </ol>
    </div>
  )
}
