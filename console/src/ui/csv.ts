import { csvLine } from '../../../contract/csv.ts'

/** A table as CSV (RFC 4180), as the service and the commands write it. */
export const csvOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, ...rows].map(csvLine).join('')

/** Saves a text as a file. */
export function saveText(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
