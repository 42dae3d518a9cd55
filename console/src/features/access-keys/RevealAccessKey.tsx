import type { NewAccessKey } from '../../../../contract/access-keys.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { SecretReveal } from '../../ui/Secret.tsx'
import { text } from './messages.ts'
import { ClientSettings } from './Settings.tsx'

/** The bucket that a key is limited to, if it is one. */
function onlyBucket({ scope }: NewAccessKey): string | undefined {
  const [first, ...others] = new Set(scope?.map(({ bucket }) => bucket))
  return first?.endsWith('*') || others.length > 0 ? undefined : first
}

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
  const bucket = onlyBucket(accessKey)
  return (
    <SecretReveal title={title} label={text.secret} secret={accessKey.secret_access_key} onClose={onClose}>
      <CopyField label={text.id} hideLabel={false} value={accessKey.access_key_id} mono />
      <ClientSettings accessKey={accessKey} {...(bucket === undefined ? {} : { bucket })} />
    </SecretReveal>
  )
}
