import { useEndpoint } from '../../api/endpoint.ts'
import { Snippets } from '../../ui/Snippets.tsx'
import { settingsOf } from './clients.ts'
import { text } from './messages.ts'

const PLACEHOLDERS = { access_key_id: 'YOUR_ACCESS_KEY_ID', secret_access_key: 'YOUR_SECRET_ACCESS_KEY' }

/** Settings of S3 clients for a bucket, with a key's values while they are shown. */
export function ClientSettings({
  bucket = 'my-bucket',
  accessKey = PLACEHOLDERS,
  readOnly = false,
}: {
  bucket?: string
  accessKey?: { access_key_id: string; secret_access_key: string }
  readOnly?: boolean
}) {
  const to = useEndpoint()
  if (!to) return null
  const { access_key_id: accessKeyId, secret_access_key: secret } = accessKey
  return (
    <Snippets
      title={<strong>{text.settings}</strong>}
      label={text.client}
      snippets={settingsOf({ ...to, bucket, accessKeyId, secret, readOnly })}
    />
  )
}
