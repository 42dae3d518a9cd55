import { Alert } from '@mantine/core'
import { text } from './messages.ts'

/** Before the first administrator exists: where to find the setup link. */
export const FindLink = () => (
  <Alert title={text.noAdmin} role="status">
    {text.findLink} <code>/console/setup#…</code>
  </Alert>
)
