import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { client } from '../../api/session.ts'
import { formatBytes, formatCount } from '../../i18n.ts'
import { Bars, Chart, Donut, type Figures, type Slice } from '../../ui/charts.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Tile, Tiles } from '../../ui/Tiles.tsx'
import { Bytes, Count } from '../../ui/values.tsx'
import { text } from './messages.ts'

const GIB = 1024 ** 3
const BARS = 20
const SHARES = 5
const NEAR = 0.8

type Usage = Awaited<ReturnType<typeof client.usage>>

/** What all buckets hold together, and each. */
export default function UsagePage() {
  const usage = useQuery({ queryKey: ['usage'], queryFn: () => client.usage() })
  return (
    <Page title={text.title} hint={text.hint} call={{ operation: 'usage' }}>
      <StateView query={usage}>
        {(data) =>
          data.object_count === 0 && data.trash_bytes === 0 ? (
            <EmptyView title={text.noData}>{text.noDataHint}</EmptyView>
          ) : (
            <Charts usage={data} />
          )
        }
      </StateView>
    </Page>
  )
}

function Charts({ usage: { used_bytes, object_count, trash_bytes, buckets } }: { usage: Usage }) {
  const sorted = buckets.toSorted((a, b) => b.used_bytes - a.used_bytes)
  const near = buckets.filter(({ quota_gb, used_bytes: used }) => quota_gb !== null && used >= quota_gb * GIB * NEAR)
  const slices: Slice[] = sorted.map(({ name, used_bytes: value, quota_gb }) => ({
    ...{ name, value, words: formatBytes(value) },
    limit: quota_gb === null ? null : quota_gb * GIB,
  }))
  const figures: Figures = {
    head: [text.bucket, text.bytes, text.objects, text.trash],
    rows: sorted.map((one) => [one.name, one.used_bytes, one.object_count, one.trash_bytes]),
    show: (figure, column) => (column === 2 ? formatCount(figure) : formatBytes(figure)),
    file: 'usage-by-bucket',
  }
  return (
    <>
      <Tiles>
        <Tile label={text.stored}>
          <Bytes bytes={used_bytes} />
        </Tile>
        <Tile label={text.objects}>
          <Count n={object_count} />
        </Tile>
        <Tile label={text.trash}>
          <Bytes bytes={trash_bytes} />
        </Tile>
        <Tile label={text.buckets} note={near.length > 0 ? text.full(near.length) : null}>
          <Count n={buckets.length} />
        </Tile>
      </Tiles>
      <Chart title={text.byBucket} figures={figures}>
        <Bars
          slices={withOthers(slices, BARS)}
          link={(name) =>
            buckets.some((one) => one.name === name) ? (
              <Anchor component={Link} to={`/b/${name}/overview`} c="inherit" fz="inherit">
                {name}
              </Anchor>
            ) : null
          }
        />
      </Chart>
      {used_bytes === 0 ? null : (
        <Chart title={text.share} figures={{ ...figures, file: 'usage-shares' }}>
          <Donut label={text.share} slices={withOthers(slices, SHARES)} centre={formatBytes(used_bytes)} />
        </Chart>
      )}
    </>
  )
}

/** The largest, and all the rest as one. */
function withOthers(slices: readonly Slice[], most: number): readonly Slice[] {
  if (slices.length <= most + 1) return slices
  const rest = slices.slice(most)
  const value = rest.reduce((sum, one) => sum + one.value, 0)
  return [...slices.slice(0, most), { name: text.others(rest.length), value, words: formatBytes(value) }]
}
