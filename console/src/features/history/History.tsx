import './history.css'
import { useQuery } from '@tanstack/react-query'
import { bucketQuery } from '../../api/buckets.ts'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Changes } from './Changes.tsx'
import { text } from './messages.ts'
import { Snapshots } from './Snapshots.tsx'

/** What happened in a bucket, and the ways back. */
export default function History() {
  const { params, search } = useView()
  const { bucket: name = '' } = params
  const bucket = useQuery(bucketQuery(name))
  const isOfSnapshots = search.tab === 'snapshots'
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.title} – ${name}`}
      call={
        isOfSnapshots
          ? { operation: 'listSnapshots', params: { bucket: name } }
          : {
              operation: 'listChanges',
              params: { bucket: name },
              query: { from: search.from ?? new Date(Date.now() - 24 * 3600_000).toISOString() },
            }
      }
    >
      <BucketTabs bucket={name} active={isOfSnapshots ? 'snapshots' : 'changes'} />
      <StateView query={bucket}>
        {(data) => (isOfSnapshots ? <Snapshots key={name} bucket={data} /> : <Changes key={name} bucket={data} />)}
      </StateView>
    </Page>
  )
}
