import { Alert } from '@mantine/core'
import { text } from './messages.ts'

/** Nobody can sign in yet: where the link is that makes the first administrator. */
export const FindLink = () => (
  <Alert title={text.noAdmin} role="status">
    {text.findLink} <code>/console/setup#…</code>
  </Alert>
)
