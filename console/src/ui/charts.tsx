import './charts.css'
import { Button } from '@mantine/core'
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { csvOf, saveText } from './csv.ts'
import { type Column, ListTable } from './ListTable.tsx'
import { text } from './messages.ts'

/** The same figures as a table, for screen readers and for calculations. */
export interface Figures {
  head: readonly string[]
  /** The name, then raw numbers; null if there is no data. */
  rows: readonly (readonly [string, ...(number | null)[]])[]
  /** Formats a figure; `column` counts from 1. */
  show: (figure: number, column: number) => string
  /** The file name without its extension. */
  file: string
}

/** A chart with its title, and its figures as a table and as CSV. */
export function Chart({
  title,
  note,
  figures,
  children,
}: {
  title: string
  /** Of when the figures are, if they are not live. */
  note?: ReactNode
  figures: Figures
  children: ReactNode
}) {
  const [asTable, setAsTable] = useState(false)
  const id = useId()
  const { head, rows, show, file } = figures
  const columns: readonly Column<Figures['rows'][number]>[] = head.map((name, i) => ({
    key: name,
    title: name,
    number: i > 0,
    cell: (row) => {
      if (i === 0) return row[0]
      const figure = row[i] as number | null
      return figure === null ? <span className="dim">–</span> : show(figure, i)
    },
  }))
  return (
    <section className="card chart" aria-labelledby={id}>
      <header className="row">
        <h2 id={id}>{title}</h2>
        {note ? <span className="dim small">{note}</span> : null}
        <span className="grow" />
        <Button
          variant="subtle"
          leftSection={asTable ? <IconChartBar size={15} /> : <IconTable size={15} />}
          onClick={() => setAsTable((was) => !was)}
        >
          {asTable ? text.asChart : text.asTable}
        </Button>
        <Button
          variant="subtle"
          leftSection={<IconDownload size={15} />}
          onClick={() =>
            saveText(
              `${file}.csv`,
              'text/csv',
              csvOf(
                head,
                rows.map((row) => row.map((cell) => cell ?? '')),
              ),
            )
          }
        >
          {text.csv}
        </Button>
      </header>
      {asTable ? <ListTable label={title} columns={columns} rows={rows} rowKey={([name]) => name} /> : children}
    </section>
  )
}

export interface Slice {
  name: string
  value: number
  /** The formatted value. */
  words: string
  /** The maximum: the bar shows how much of it is used. */
  limit?: number | null
}

/** A bar for each, relative to the largest. */
export function Bars({ slices, link }: { slices: readonly Slice[]; link?: (name: string) => ReactNode }) {
  const most = Math.max(1, ...slices.map(({ value }) => value))
  return (
    <ul className="bars">
      {slices.map(({ name, value, words, limit }) => (
        <li key={name}>
          <span className="clip" title={name}>
            {link?.(name) ?? name}
          </span>
          <span className="bar-track" aria-hidden>
            <span
              className={limit && value >= limit ? 'bar-full' : limit && value >= limit * 0.8 ? 'bar-near' : ''}
              style={{ inlineSize: `${(value / most) * 100}%` }}
            />
          </span>
          <span className="number">{words}</span>
        </li>
      ))}
    </ul>
  )
}

const RADIUS = 40
const AROUND = 2 * Math.PI * RADIUS
/** Shares of a whole. The legend lists them in the same order from the top. Up to eight are distinguishable. */
export function Donut({ label, slices, centre }: { label: string; slices: readonly Slice[]; centre: string }) {
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  let before = 0
  return (
    <div className="donut">
      <svg viewBox="0 0 120 120" role="img" aria-label={label}>
        {slices.map(({ name, value }, i) => {
          const part = total === 0 ? 0 : (value / total) * AROUND
          const circle = (
            <circle
              key={name}
              className={`shade-${i % 9}`}
              cx="60"
              cy="60"
              r={RADIUS}
              strokeDasharray={`${Math.max(0, part - 1)} ${AROUND}`}
              strokeDashoffset={-before}
              transform="rotate(-90 60 60)"
            />
          )
          before += part
          return circle
        })}
        <text x="60" y="64" textAnchor="middle">
          {centre}
        </text>
      </svg>
      <ul>
        {slices.map(({ name, value, words }, i) => (
          <li key={name}>
            <span className={`donut-key shade-${i % 9}`} aria-hidden />
            <span className="clip">{name}</span>
            <span className="dim number">
              {words}, {total === 0 ? 0 : Math.round((value / total) * 100)}%
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
