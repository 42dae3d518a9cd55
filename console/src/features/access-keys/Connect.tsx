import { Button } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useReadOnly } from '../../api/buckets.ts'
import { useEndpoint } from '../../api/endpoint.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import { Page } from '../../ui/Page.tsx'
import { ApiCalls } from '../tokens/ApiCalls.tsx'
import { text } from './messages.ts'
import { ClientSettings } from './Settings.tsx'
import { Website } from './Website.tsx'

/** How S3 clients reach a bucket. */
export default function Connect() {
  const { bucket = '' } = useView().params
  const readOnly = useReadOnly(bucket) === true
  const to = useEndpoint()
  return (
    <Page inBuckets title={bucket} windowTitle={`${text.connect} – ${bucket}`}>
      <BucketTabs bucket={bucket} active="connect" />
      {to ? (
        <section className="card stack" aria-label={text.s3}>
          <h2>{text.s3}</h2>
          <p className="dim">{text.connectHint}</p>
          <CopyField label={text.endpoint} hideLabel={false} value={to.endpoint} mono />
          <CopyField label={text.region} hideLabel={false} value={to.region} mono />
          <CopyField label={text.bucket} hideLabel={false} value={bucket} mono />
          <ClientSettings bucket={bucket} readOnly={readOnly} />
          <p className="dim small">{text.needsKey}</p>
          <div>
            <Button component={Link} to={`/access-keys/new?bucket=${bucket}`} leftSection={<IconKey size={15} />}>
              {text.keyFor}
            </Button>
          </div>
        </section>
      ) : (
        <p className="dim">{text.off}</p>
      )}
      {readOnly ? null : <Website bucket={bucket} />}
      <section className="card stack" aria-label={text.api}>
        <h2>{text.api}</h2>
        <p className="dim">{text.apiHint}</p>
        <ApiCalls bucket={bucket} readOnly={readOnly} />
        <div>
          <Button component={Link} to={`/tokens?bucket=${bucket}`} variant="default">
            {text.tokenFor}
          </Button>
        </div>
      </section>
    </Page>
  )
}
