import { Alert, Button } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { text } from './messages.ts'

interface Props {
  dirty: boolean
  ask: () => Promise<ReactNode>
  /** What the button says, and what it does. */
  label?: string
  hint?: string
}

/** Tests the saved settings and shows the result. */
function Test({ dirty, ask, label = text.test, hint = text.testHint }: Props) {
  const [asking, setAsking] = useState(false)
  const [answer, setAnswer] = useState<ReactNode>(null)
  const test = async () => {
    setAsking(true)
    setAnswer(null)
    try {
      setAnswer(await ask())
    } catch (error) {
      const { title, detail } = describeProblem(error)
      setAnswer(
        <Alert role="alert" className="alert-bad" title={title}>
          {detail}
        </Alert>,
      )
    }
    setAsking(false)
  }
  return (
    <div className="settings-test stack-tight">
      <div className="row">
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={15} />}
          loading={asking}
          disabled={dirty}
          onClick={() => void test()}
        >
          {label}
        </Button>
        <span className="dim">{dirty ? text.saveFirst : hint}</span>
      </div>
      <div aria-live="polite">{answer}</div>
    </div>
  )
}

/** Tests the identity provider. */
export const TestIdp = ({ dirty }: { dirty: boolean }) => (
  <Test
    dirty={dirty}
    ask={async () => {
      const { issuer, authorization_endpoint } = await client.testIdp()
      return (
        <Alert title={text.testOk}>
          <dl className="facts">
            <dt>{text.issuer}</dt>
            <dd>{issuer}</dd>
            <dt>{text.authorization}</dt>
            <dd>{authorization_endpoint}</dd>
          </dl>
        </Alert>
      )
    }}
  />
)

/** Sends a test mail. */
export const TestMail = ({ dirty }: { dirty: boolean }) => (
  <Test
    dirty={dirty}
    label={text.testMail}
    hint={text.testMailHint}
    ask={async () => {
      const { recipient } = await client.testMail()
      return <Alert title={text.mailOk}>{text.mailTo(recipient)}</Alert>
    }}
  />
)

/** Tests the search for users. */
export const TestDirectory = ({ dirty }: { dirty: boolean }) => (
  <Test
    dirty={dirty}
    ask={async () => {
      const { items } = await client.searchDirectory({ query: { q: 'an', limit: 1 } })
      const [first] = items
      return (
        <Alert title={text.directoryOk}>{first ? text.directoryFound(first.display_name) : text.directoryNobody}</Alert>
      )
    }}
  />
)
