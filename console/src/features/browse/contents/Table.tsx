import { Button } from '@mantine/core'
import papa from 'papaparse'
import { useMemo, useState } from 'react'
import { objectText } from '../object-messages.ts'

/** How many rows are shown at first, and how many more each time. */
const SHOWN = 200

/** Comma-, tab- or semicolon-separated values as a table (RFC 4180). The first row names the columns. */
export default function Table({ words, isWhole }: { words: string; isWhole: boolean }) {
  const [shown, setShown] = useState(SHOWN)
  const [head = [], ...rows] = useMemo(() => {
    const { data } = papa.parse<string[]>(words, { skipEmptyLines: 'greedy' })
    // The last row of a part is cut somewhere.
    return isWhole || data.length < 2 ? data : data.slice(0, -1)
  }, [words, isWhole])
  const columns = Array.from({ length: Math.max(head.length, ...rows.slice(0, shown).map((row) => row.length)) })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
      <section className="contents-table" tabIndex={0} aria-label={objectText.form('table')}>
        <table>
          <thead>
            <tr>
              <th scope="col" className="dim">
                #
              </th>
              {columns.map((_, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they never change
                <th key={i} scope="col">
                  {head[i] || objectText.column(i + 1)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, r) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change
              <tr key={r}>
                <th scope="row" className="dim">
                  {r + 1}
                </th>
                {columns.map((_, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they never change
                  <td key={i}>{row[i]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="dim small">
        {objectText.rows(Math.min(shown, rows.length), rows.length)}
        {rows.length > shown ? (
          <Button variant="subtle" onClick={() => setShown(shown + SHOWN * 5)}>
            {objectText.moreRows}
          </Button>
        ) : null}
      </p>
    </>
  )
}
