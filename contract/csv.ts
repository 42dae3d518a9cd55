/** What spreadsheets read as the start of a formula, also in the wide forms of these signs. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** What RFC 4180 allows outside quotation marks, but for blanks at the ends, which some readers drop. */
const isBare = (text: string): boolean => !/[^ !#-+\--~]/.test(text) && text.trim() === text

/** One line of RFC 4180; null is an empty cell. A cell that a spreadsheet would read as a formula gets a leading apostrophe. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(cellOf).join(',')}\r\n`

function cellOf(cell: string | number | null): string {
  if (typeof cell !== 'string') return String(cell ?? '')
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return isBare(text) ? text : `"${text.replaceAll('"', '""')}"`
}
