import { median } from '../load.ts'
import type { Row } from './row.ts'

/** What one turn of one server came to. */
export interface Turn {
  /** Of the row's unit. */
  perSecond: number
  /** CPU time of the server and of the client for one operation. */
  cpuMs: number
  clientCpuMs: number
  /** Resident memory of the server, at its highest. */
  resident: number
}

const MB = 1e6
export const megabytes = (bytes: number): string => `${Math.round(bytes / MB)} MB`
const decimals = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

/** A rate with its unit, as in `1,234/s`. */
export function rate({ unit }: Row, perSecond: number): string {
  if (unit === 'bytes') return `${Math.round(perSecond / MB)} MB/s`
  const number = Math.round(perSecond).toLocaleString('en')
  return unit === 'objects' ? `${number} objects/s` : `${number}/s`
}

/** What a server did in a row: medians of its turns, and of the ratios to another server's turns of the same rounds. */
export function cell(row: Row, turns: readonly Turn[] | undefined, first: readonly Turn[] | undefined): string {
  if (!turns || turns.length === 0) return 'failed'
  const middle = (of: keyof Turn) => median(turns.map((turn) => turn[of]))
  const ratios = turns.flatMap((turn, i) => (first?.[i] ? [turn.perSecond / first[i].perSecond] : []))
  const ratio = ratios.length > 0 && turns !== first ? `, **${median(ratios).toFixed(2)} ×**` : ''
  return `${rate(row, middle('perSecond'))}${ratio}; CPU ${decimals(middle('cpuMs'))} ms; ${megabytes(middle('resident'))}`
}

/** A table in Markdown. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
