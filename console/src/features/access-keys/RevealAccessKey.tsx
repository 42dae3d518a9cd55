import type { NewAccessKey } from '../../../../contract/access-keys.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { SecretReveal } from '../../ui/Secret.tsx'
import { onlyBucket } from '../tokens/limits.ts'
import { text } from './messages.ts'
import { ClientSettings } from './Settings.tsx'

/** Shows a key's secret, this one time. */
export function RevealAccessKey({
  accessKey,
  title,
  onClose,
}: {
  accessKey: NewAccessKey
  title: string
  onClose: () => void
}) {
  const bucket = onlyBucket(accessKey.scope)
  return (
    <SecretReveal title={title} label={text.secret} secret={accessKey.secret_access_key} onClose={onClose}>
      <CopyField label={text.id} hideLabel={false} value={accessKey.access_key_id} mono />
      <ClientSettings accessKey={accessKey} {...(bucket === undefined ? {} : { bucket })} />
    </SecretReveal>
  )
}
