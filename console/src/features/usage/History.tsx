import { SegmentedControl } from '@mantine/core'
import { formatBytes, formatCount, locale } from '../../i18n.ts'
import { useView } from '../../navigation/useView.ts'
import { Chart, Donut, type Figures } from '../../ui/charts.tsx'
import { type Band, Timeline } from '../../ui/Timeline.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { type History, type Period, type Point, periodOf, periods, STEP_MS, type Types } from './queries.ts'

/** The colour for everything that is not shown separately. */
const REST = 8
const TYPES = 7

/** The selected period, in the address (`?period=`). */
export function usePeriod(): Period {
  return periodOf(useView().search.period)
}
export function PeriodPicker() {
  const { change } = useView()
  const period = usePeriod()
  return (
    <SegmentedControl
      aria-label={text.period}
      data={periods.map((one) => ({ value: one, label: text.days(Number(one)) }))}
      value={period}
      onChange={(next) => void change({ period: next === '30' ? undefined : next })}
    />
  )
}

const hour = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
/** Days are UTC days; hours are local. */
const formatSlot = (step: History['step']) => (time: number) => (step === 'day' ? day : hour).format(new Date(time))

/** A history's times, without gaps. */
function timesOf({ from, to, step }: History): number[] {
  const begin = Date.parse(from)
  return Array.from(
    { length: Math.ceil((Date.parse(to) - begin) / STEP_MS[step]) },
    (_, i) => begin + i * STEP_MS[step],
  )
}

function valuesOf(times: readonly number[], points: readonly Point[], of: (point: Point) => number | null) {
  const found = new Map(points.map((point) => [Date.parse(point.time), of(point)]))
  return times.map((time) => found.get(time) ?? null)
}

function figuresOf(step: History['step'], times: readonly number[], bands: readonly Band[]) {
  const name = (time: number) =>
    new Date(time).toISOString().slice(0, step === 'day' ? 10 : 16) + (step === 'day' ? '' : 'Z')
  const rows = times.map(
    (time, i) => [name(time), ...bands.map(({ values }) => values[i] ?? null)] as [string, ...(number | null)[]],
  )
  return { head: [text.time, ...bands.map(({ name }) => name)], rows: rows.reverse() }
}

/** A history's buckets as bands; the smaller ones as one. */
function bandsOf(history: History, times: readonly number[], of: (point: Point) => number | null): Band[] {
  const bands: Band[] = history.series
    .filter(({ bucket }) => bucket !== null)
    .map(({ bucket, deleted, points }, i) => ({
      name: deleted ? `${text.deleted(bucket ?? '')}${sameName(history, i) ? ` (${i + 1})` : ''}` : (bucket ?? ''),
      values: valuesOf(times, points, of),
    }))
  if (history.others)
    bands.push({
      name: text.others(history.others.buckets),
      values: valuesOf(times, history.others.points, of),
      shade: REST,
    })
  return bands
}
const sameName = ({ series }: History, i: number) =>
  series.some(({ bucket, deleted }, k) => k !== i && deleted && bucket === series[i]?.bucket)

/** Storage over time, stacked by bucket. */
export function StoredChart({ history, title, file }: { history: History; title: string; file: string }) {
  const times = timesOf(history)
  const bands = bandsOf(history, times, ({ used_bytes }) => used_bytes)
  const figures: Figures = { ...figuresOf(history.step, times, bands), show: formatBytes, file }
  return (
    <Chart title={title} figures={figures} note={text.hourly}>
      {bands.some(({ values }) => values.some((value) => value !== null)) ? (
        <Timeline
          label={title}
          times={times}
          bands={bands}
          stacked
          bytes
          show={formatBytes}
          when={formatSlot(history.step)}
        />
      ) : (
        <p className="dim">{text.noHistory}</p>
      )}
    </Chart>
  )
}

/** Requests over time, for the whole history. */
export function RequestsChart({ history, file }: { history: History; file: string }) {
  const times = timesOf(history)
  const points = [...history.series.flatMap((one) => one.points), ...(history.others?.points ?? [])]
  const sums = new Map<number, number>()
  for (const { time, requests } of points) sums.set(Date.parse(time), (sums.get(Date.parse(time)) ?? 0) + requests)
  const bands = [{ name: text.requests, values: times.map((time) => sums.get(time) ?? null) }]
  const figures: Figures = { ...figuresOf(history.step, times, bands), show: formatCount, file }
  return (
    <Chart title={text.requests} figures={figures}>
      {sums.size > 0 ? (
        <Timeline
          label={text.requests}
          times={times}
          bands={bands}
          show={formatCount}
          when={formatSlot(history.step)}
        />
      ) : (
        <p className="dim">{text.noHistory}</p>
      )}
    </Chart>
  )
}

/** Storage by content type. */
export function TypesChart({ types: { items, counted_at }, file }: { types: Types; file: string }) {
  const named = items.map(({ content_type, ...sum }) => ({ name: content_type ?? text.rare, ...sum }))
  const figures: Figures = {
    head: [text.type, text.bytes, text.objects],
    rows: named.map(({ name, used_bytes, object_count }) => [name, used_bytes, object_count]),
    show: (figure, column) => (column === 1 ? formatBytes(figure) : formatCount(figure)),
    file,
  }
  const sliceOf = (name: string, value: number) => ({ name, value, words: formatBytes(value) })
  const first = named.length <= TYPES + 1 ? named : named.slice(0, TYPES)
  const rest = named.slice(first.length)
  const slices = first.map(({ name, used_bytes }) => sliceOf(name, used_bytes))
  if (rest.length > 0)
    slices.push(
      sliceOf(
        text.otherTypes(rest.length),
        rest.reduce((sum, { used_bytes }) => sum + used_bytes, 0),
      ),
    )
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  const note = counted_at && items.length > 0 && (
    <>
      {text.counted} <TimeAgo time={counted_at} />
    </>
  )
  return (
    <Chart title={text.byType} figures={figures} note={note}>
      {items.length === 0 ? (
        <p className="dim">{text.noTypes}</p>
      ) : (
        <Donut label={text.byType} slices={slices} centre={formatBytes(total)} />
      )}
    </Chart>
  )
}
