import './Timeline.css'
import { type ReactNode, useState } from 'react'
import { text } from './messages.ts'

const [WIDE, HIGH] = [720, 220]
/** The share of the height a band needs to fit its number. */
const ROOM = 0.1

export interface Band {
  name: string
  /** Replaces the name in the legend. */
  shown?: ReactNode
  /** One value for each time; null if there is no data. */
  values: readonly (number | null)[]
  /** The colour; by default its position. */
  shade?: number
}
interface Props {
  label: string
  /** The start of each point, in order and without gaps: a gap is a null in every band. */
  times: readonly number[]
  /** When stacked, the first is at the bottom. */
  bands: readonly Band[]
  /** As stacked areas, otherwise as lines from zero. */
  stacked?: boolean
  /** Values are sizes: the scale ends at a round number of KB, MB and so on. */
  bytes?: boolean
  show: (figure: number) => string
  when: (time: number) => string
}

/** The next round number, where the scale ends. */
function roundUp(most: number): number {
  // The scale also shows half of it, so halves are round too.
  if (most <= 10) return [2, 4, 6, 8].find((n) => n >= most) ?? 10
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 4, 5].find((n) => n * power >= most) ?? 10) * power
}

/** The same for bytes, in the displayed unit. */
function roundUpBytes(most: number): number {
  const unit = 1024 ** Math.floor(Math.log(most) / Math.log(1024))
  const round = roundUp(most / unit)
  return (round >= 1000 ? 1024 : round) * unit
}

const x = (i: number, n: number) => ((i + 0.5) / n) * WIDE
type Corner = readonly [number, number]
const lineOf = (corners: readonly Corner[]) => corners.map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`).join(' L')

/**
 * A chart over time, with gaps where there is no data. The legend shows the values at the pointer or at the time
 * selected with the arrow keys; by default the latest.
 */
export function Timeline({ label, times, bands, stacked = false, bytes = false, show, when }: Props) {
  const [chosen, setChosen] = useState<number | null>(null)
  const n = times.length
  const known = times.map((_, i) => bands.some(({ values }) => typeof values[i] === 'number'))
  const runs = runsOf(known)
  const at = Math.min(chosen ?? Math.max(0, known.lastIndexOf(true)), n - 1)
  const floors = bands.map((_, b) =>
    times.map((_, i) => (stacked ? bands.slice(0, b).reduce((sum, { values }) => sum + (values[i] ?? 0), 0) : 0)),
  )
  const top = (b: number, i: number) => (floors[b]?.[i] ?? 0) + (bands[b]?.values[i] ?? 0)
  const most = (bytes ? roundUpBytes : roundUp)(Math.max(1, ...bands.flatMap((_, b) => times.map((_, i) => top(b, i)))))
  const y = (value: number) => HIGH - (value / most) * HIGH
  const point = (to: HTMLElement, clientX: number) => {
    const { left, width } = to.getBoundingClientRect()
    setChosen(Math.max(0, Math.min(n - 1, Math.floor(((clientX - left) / width) * n))))
  }
  const total = (i: number) => bands.reduce((sum, { values }) => sum + (values[i] ?? 0), 0)
  const said = (i: number) =>
    known[i] ? bands.map(({ name, values }) => `${name} ${figure(values[i], show)}`).join(', ') : text.notMeasured
  return (
    <figure className="timeline">
      <div className="timeline-frame">
        <div className="timeline-scale dim small number" aria-hidden>
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part}>{part === 0.25 || part === 0.75 ? '\u00a0' : show(most * part)}</span>
          ))}
        </div>
        <div
          className="timeline-plot"
          dir="ltr"
          onPointerMove={(event) => point(event.currentTarget, event.clientX)}
          onPointerLeave={() => setChosen(null)}
        >
          <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden>
            {[0.25, 0.5, 0.75, 1].map((part) => (
              <line
                key={part}
                x1="0"
                x2={WIDE}
                y1={y(most * part)}
                y2={y(most * part)}
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {bands.map(({ name, shade }, b) => (
              <g key={name} className={`shade-${(shade ?? b) % 9}`}>
                {runs.map((run) => {
                  const upper = corners(run, n, (i) => y(top(b, i)))
                  const lower = corners(run, n, (i) => y(floors[b]?.[i] ?? 0)).reverse()
                  const area = `M${lineOf(upper)} L${lineOf(lower)} Z`
                  return stacked ? (
                    <path key={run[0]} className="timeline-band" d={area} vectorEffect="non-scaling-stroke" />
                  ) : (
                    <g key={run[0]}>
                      <path className="timeline-under" d={area} />
                      <path className="timeline-line" d={`M${lineOf(upper)}`} vectorEffect="non-scaling-stroke" />
                    </g>
                  )
                })}
              </g>
            ))}
            <line
              className="timeline-cursor"
              x1={x(at, n)}
              x2={x(at, n)}
              y1="0"
              y2={HIGH}
              vectorEffect="non-scaling-stroke"
            />
          </svg>
          {stacked && bands.length > 1
            ? bands.map(({ name, values }, b) => {
                const i = widest(values)
                const thick = (values[i] ?? 0) / most
                if (thick < ROOM) return null
                const middle = ((floors[b]?.[i] ?? 0) + (values[i] ?? 0) / 2) / most
                // Beside the last point, where the selected time usually is.
                const aside = i === n - 1 ? 14 : 0
                const place = { left: `calc(${((i + 0.5) / n) * 100}% - ${aside}px)`, bottom: `${middle * 100}%` }
                return (
                  <span key={name} className="timeline-number" style={place} aria-hidden>
                    {b + 1}
                  </span>
                )
              })
            : null}
          <input
            type="range"
            min={0}
            max={Math.max(0, n - 1)}
            value={at}
            aria-label={label}
            aria-valuetext={`${when(times[at] ?? 0)}: ${said(at)}`}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          />
        </div>
        <div className="timeline-ends dim small" aria-hidden>
          <span>{when(times[0] ?? 0)}</span>
          <span>{when(times.at(-1) ?? 0)}</span>
        </div>
      </div>
      <figcaption>
        <p className="row">
          <strong>{when(times[at] ?? 0)}</strong>
          {known[at] && stacked && bands.length > 1 ? (
            <span className="dim number">{text.together(show(total(at)))}</span>
          ) : null}
          {known[at] ? null : <span className="dim">{text.notMeasured}</span>}
        </p>
        <ul className="timeline-legend">
          {bands.map(({ name, shown, values, shade }, b) => (
            <li key={name}>
              {bands.length > 1 ? (
                <span className={`timeline-key shade-${(shade ?? b) % 9}`} aria-hidden>
                  {b + 1}
                </span>
              ) : null}
              <span className="clip" title={name}>
                {shown ?? name}
              </span>
              <span className="dim number">{figure(values[at], show)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

const figure = (value: number | null | undefined, show: (figure: number) => string): string =>
  typeof value === 'number' ? show(value) : '–'

/** The first and last index of each stretch without gaps. */
function runsOf(known: readonly boolean[]): (readonly [number, number])[] {
  const runs: [number, number][] = []
  for (const [i, is] of known.entries()) {
    const last = runs.at(-1)
    if (!is) continue
    if (last && last[1] === i - 1) last[1] = i
    else runs.push([i, i])
  }
  return runs
}

/** The points of a stretch; a single point gets some width. */
function corners([from, to]: readonly [number, number], n: number, height: (i: number) => number): Corner[] {
  if (from === to)
    return [
      [x(from - 0.3, n), height(from)],
      [x(from + 0.3, n), height(from)],
    ]
  return Array.from({ length: to - from + 1 }, (_, i) => [x(from + i, n), height(from + i)])
}

/** Where a band is thickest. */
const widest = (values: readonly (number | null)[]): number =>
  values.reduce<number>((best, value, i) => ((value ?? 0) > (values[best] ?? 0) ? i : best), 0)
