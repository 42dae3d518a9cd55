import './usage.css'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { client } from '../../api/session.ts'
import { formatBytes, formatCount, GB } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { Bars, Chart, type Figures, type Slice } from '../../ui/charts.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Tile, Tiles } from '../../ui/Tiles.tsx'
import { Bytes, Count } from '../../ui/values.tsx'
import { PeriodPicker, RequestsChart, StoredChart, TypesChart, usePeriod } from './History.tsx'
import { text } from './messages.ts'
import { type History, historyOf, historyQuery, typesQuery, type Usage } from './queries.ts'

const BARS = 10
const NEAR = 0.8

/** Storage in total and by bucket, and traffic in a period. */
export default function UsagePage() {
  const period = usePeriod()
  const usage = useQuery({ queryKey: ['usage'], queryFn: () => client.usage() })
  const history = useQuery(historyQuery(period))
  const types = useQuery(typesQuery())
  return (
    <Page
      title={text.title}
      hint={text.hint}
      call={{ operation: 'usageHistory', query: historyOf(period) }}
      actions={<PeriodPicker />}
    >
      <StateView query={usage}>
        {(data) =>
          data.buckets.length === 0 ? (
            <EmptyView title={text.noData}>{text.noDataHint}</EmptyView>
          ) : (
            <>
              <Totals usage={data} history={history.data} days={Number(period)} />
              <StateView query={history}>
                {(series) => <StoredChart history={series} title={text.historyByBucket} file="usage-stored" />}
              </StateView>
              <div className="usage-pair">
                <Largest usage={data} />
                <StateView query={types}>{(counted) => <TypesChart types={counted} file="usage-types" />}</StateView>
              </div>
              {history.data ? <RequestsChart history={history.data} file="usage-requests" /> : null}
            </>
          )
        }
      </StateView>
    </Page>
  )
}

function Totals({ usage, history, days }: { usage: Usage; history: History | undefined; days: number }) {
  const { used_bytes, object_count, trash_bytes, buckets } = usage
  const near = buckets.filter(({ quota_gb, used_bytes: used }) => quota_gb !== null && used >= quota_gb * GB * NEAR)
  return (
    <Tiles>
      <Tile label={text.stored} note={trash_bytes > 0 ? text.inTrash(formatBytes(trash_bytes)) : null}>
        <Bytes bytes={used_bytes} />
      </Tile>
      <Tile label={text.objects}>
        <Count n={object_count} />
      </Tile>
      <Tile label={text.buckets} note={near.length > 0 ? text.full(near.length) : null}>
        <Count n={buckets.length} />
      </Tile>
      {history ? (
        <>
          <Tile label={text.received} note={text.inDays(days)}>
            <Bytes bytes={history.totals.uploaded_bytes} />
          </Tile>
          <Tile label={text.sent} note={text.inDays(days)}>
            <Bytes bytes={history.totals.downloaded_bytes} />
          </Tile>
          {history.failed_deliveries === null ? null : (
            <Tile label={text.failed} note={text.inDays(days)}>
              <Count n={history.failed_deliveries} />
            </Tile>
          )}
        </>
      ) : null}
    </Tiles>
  )
}

function Largest({ usage: { buckets } }: { usage: Usage }) {
  const sorted = buckets.toSorted((a, b) => b.used_bytes - a.used_bytes)
  const slices: Slice[] = sorted.map(({ name, used_bytes: value, quota_gb }) => ({
    name,
    value,
    words: formatBytes(value),
    limit: quota_gb === null ? null : quota_gb * GB,
  }))
  const figures: Figures = {
    head: [text.bucket, text.bytes, text.objects, text.trash],
    rows: sorted.map((one) => [one.name, one.used_bytes, one.object_count, one.trash_bytes]),
    show: (figure, column) => (column === 2 ? formatCount(figure) : formatBytes(figure)),
    file: 'usage-by-bucket',
  }
  return (
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
  )
}

/** The largest, and all others as one. */
function withOthers(slices: readonly Slice[], most: number): readonly Slice[] {
  if (slices.length <= most + 1) return slices
  const rest = slices.slice(most)
  const value = rest.reduce((sum, one) => sum + one.value, 0)
  return [...slices.slice(0, most), { name: text.others(rest.length), value, words: formatBytes(value) }]
}
