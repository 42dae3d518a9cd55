import type { Token } from '../../../../contract/tokens.ts'
import { Snippets } from '../../ui/Snippets.tsx'
import { callsOf } from './clients.ts'
import { onlyBucket } from './limits.ts'
import { text } from './messages.ts'

/** First calls of the API for a bucket, with a token's value while it is shown. */
export function ApiCalls({
  bucket,
  token = 'YOUR_TOKEN',
  scope = null,
  readOnly = false,
}: {
  /** Without it, the one that the scope names, or an example. */
  bucket?: string
  token?: string
  scope?: Token['scope']
  readOnly?: boolean
}) {
  const [first, ...others] = scope ?? []
  const calls = callsOf({
    url: location.origin,
    bucket: bucket ?? onlyBucket(scope) ?? 'my-bucket',
    prefix: others.length === 0 ? (first?.prefix ?? '') : '',
    token,
    readOnly: readOnly || (scope !== null && !scope.some(({ actions }) => actions.includes('write'))),
  })
  return <Snippets title={<strong>{text.calls}</strong>} label={text.program} snippets={calls} />
}
