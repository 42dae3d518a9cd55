import { useEndpoint } from '../../api/endpoint.ts'
import { useMe } from '../../api/queries.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { Snippets } from '../../ui/Snippets.tsx'
import { websiteCommands } from './clients.ts'
import { text } from './messages.ts'

/** Where a bucket is shown as a website, and how S3 clients set that up; nothing while there is no domain for websites. */
export function Website({ bucket }: { bucket: string }) {
  const { s3 } = useMe()
  const to = useEndpoint()
  const [domain] = s3?.website_domains ?? []
  if (!to || !s3 || domain === undefined) return null
  const { protocol, port } = new URL(to.endpoint)
  const host = s3.website_domains.includes(bucket) ? bucket : `${bucket}.${domain}`
  return (
    <section className="card stack" aria-label={text.website}>
      <h2>{text.website}</h2>
      <p className="dim">{text.websiteHint}</p>
      <CopyField
        label={text.websiteUrl}
        hideLabel={false}
        value={`${protocol}//${host}${port === '' ? '' : `:${port}`}/`}
        mono
      />
      <Snippets
        title={<strong>{text.websiteSetUp}</strong>}
        label={text.client}
        snippets={websiteCommands(to.endpoint, bucket)}
      />
      <p className="dim small">{text.websitePublic}</p>
    </section>
  )
}
