import { Alert, Button } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { text } from './messages.ts'

/** Tests a connection with the saved settings and shows the result. */
function Test({ dirty, ask }: { dirty: boolean; ask: () => Promise<ReactNode> }) {
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
          {text.test}
        </Button>
        <span className="dim">{dirty ? text.saveFirst : text.testHint}</span>
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
