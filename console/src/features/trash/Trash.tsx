import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bucketsQuery } from '../../api/buckets.ts'
import { formatBytes } from '../../i18n.ts'
import { useView } from '../../navigation/useView.ts'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'
import { TrashList } from './TrashList.tsx'

/** Any bucket's trash; initially the largest. */
export default function Trash() {
  const { search, open } = useView()
  const buckets = useQuery(bucketsQuery)
  // Read-only buckets have none.
  const withTrash = buckets.data?.filter(({ mode }) => mode !== 'read_only')
  const most = withTrash?.reduce((a, b) => ((b.trash_bytes ?? 0) > (a.trash_bytes ?? 0) ? b : a), withTrash[0] as never)
  const name = search.bucket ?? most?.name
  return (
    <Page
      title={text.title}
      hint={text.hint}
      {...(name ? { call: { operation: 'listTrash', params: { bucket: name } } as const } : {})}
    >
      <StateView query={{ ...buckets, data: withTrash }}>
        {(all) => {
          const found = all.find((one) => one.name === name)
          if (all.length === 0 || name === undefined) return <EmptyView title={text.noBuckets} />
          return (
            <>
              <Select
                label={text.bucket}
                data={all.map((one) => ({
                  value: one.name,
                  label:
                    one.trash_bytes === null ? one.name : text.bucketOption(one.name, formatBytes(one.trash_bytes)),
                }))}
                value={name}
                onChange={(bucket) => void open({ bucket: bucket ?? undefined, prefix: undefined })}
                searchable
                maw={360}
              />
              <TrashList key={name} bucket={name} days={found?.trash_days ?? 0} bytes={found?.trash_bytes ?? 0} />
            </>
          )
        }}
      </StateView>
    </Page>
  )
}
