import { useQuery } from '@tanstack/react-query'
import { bucketQuery } from '../../api/buckets.ts'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'
import { TrashList } from './TrashList.tsx'

/** One bucket's trash, as a tab of the bucket. */
export default function BucketTrash() {
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.title} – ${name}`}
      call={{ operation: 'listTrash', params: { bucket: name } }}
    >
      <BucketTabs bucket={name} active="trash" />
      <StateView query={bucket}>
        {({ trash_days, trash_bytes }) => <TrashList bucket={name} days={trash_days} bytes={trash_bytes ?? 0} />}
      </StateView>
    </Page>
  )
}
