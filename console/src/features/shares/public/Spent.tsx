import { Alert } from '@mantine/core'
import { text } from './messages.ts'

/** Instead of the downloads, once a limited link that was open on the page opens nothing any more. */
export const Spent = ({ tookLast }: { tookLast: boolean }) => (
  <Alert role="status" title={tookLast ? text.tookLast : text.goneTitle}>
    {text.goneHint}
  </Alert>
)
