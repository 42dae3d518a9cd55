import './snippets.css'
import { SegmentedControl, Select } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyButton } from './CopyField.tsx'

/** More are chosen from a list. */
const MOST_SEGMENTS = 4

/** Texts to copy, of which one is shown. */
export function Snippets({
  title,
  label,
  snippets,
}: {
  title: ReactNode
  /** Of what chooses between them. */
  label: string
  snippets: Readonly<Record<string, string>>
}) {
  const names = Object.keys(snippets)
  const [chosen, setChosen] = useState(names[0] ?? '')
  const snippet = snippets[chosen] ?? ''
  return (
    <div className="stack-tight">
      <div className="row">
        <span className="grow">{title}</span>
        {names.length === 1 ? null : names.length > MOST_SEGMENTS ? (
          <Select
            aria-label={label}
            data={names}
            value={chosen}
            onChange={(next) => setChosen(next ?? chosen)}
            allowDeselect={false}
          />
        ) : (
          <SegmentedControl aria-label={label} size="xs" data={names} value={chosen} onChange={setChosen} />
        )}
        <CopyButton value={snippet} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <pre className="snippet" tabIndex={0}>
        {snippet}
      </pre>
    </div>
  )
}
