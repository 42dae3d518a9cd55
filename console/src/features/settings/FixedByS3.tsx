import { Switch, TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useMe } from '../../api/queries.ts'
import { text } from './messages.ts'

/** What only environment variables set for S3 clients; nothing without an S3 endpoint. */
export function FixedByS3() {
  const { s3 } = useMe()
  if (!s3) return null
  return (
    <>
      <Switch
        label={text.presignedV2}
        description={`${text.presignedV2Hint} ${text.fixedBy('S3_SIGNATURE_V2')}`}
        className="settings-field"
        checked={s3.presigned_v2}
        disabled
      />
      <TextInput
        label={text.websiteDomains}
        description={`${text.websiteDomainsHint} ${text.fixedBy('S3_WEBSITE_DOMAIN')}`}
        className="settings-field settings-mono"
        placeholder={text.none}
        value={s3.website_domains.join(', ')}
        rightSection={<IconLock size={15} aria-label={text.fixed} />}
        readOnly
      />
    </>
  )
}
