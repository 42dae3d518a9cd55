import './access-policies.css'
import { Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { DescribedPolicy } from '../../../../contract/access-policies.ts'
import { client } from '../../api/session.ts'
import { StateView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'
import { Says } from './Says.tsx'

const PAUSE_MS = 300
type About = { kind: 'bucket'; bucket: string } | { kind: 'identity' } | { kind: 'role' }

/** What an unsaved document says; nothing while it is empty. `data` is of the text that was last asked about. */
export function useDescription(about: About, document: string) {
  const [asked] = useDebouncedValue(document, PAUSE_MS)
  const query = useQuery({
    queryKey: ['describe-policy', about, asked],
    queryFn: () => client.describePolicy({ body: { ...about, document: asked } }),
    enabled: asked.trim() !== '',
    placeholderData: keepPreviousData,
  })
  const isCurrent = asked === document && !query.isPlaceholderData && query.data !== undefined
  return { query, isEmpty: document.trim() === '', current: isCurrent ? query.data : undefined }
}

/** The text of a policy, and beside it what it says. */
export function PolicyEditor({
  document,
  onChange,
  description: { query, isEmpty },
  label = text.document,
  error,
}: {
  document: string
  onChange: (document: string) => void
  description: ReturnType<typeof useDescription>
  label?: string
  error?: string | undefined
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  const goTo = (line: number, column: number) => {
    const before = document.split('\n').slice(0, line - 1)
    const at = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
    field.current?.focus()
    field.current?.setSelectionRange(at, at + 1)
  }
  return (
    <div className="policy-editor">
      <Textarea
        ref={field}
        label={label}
        description={text.documentHint}
        className="policy-document"
        data-data
        value={document}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        autosize
        minRows={14}
        maxRows={40}
        spellCheck={false}
        autoComplete="off"
      />
      <section aria-label={text.says} aria-live="polite" className="stack-tight">
        <h3>{text.says}</h3>
        {isEmpty ? (
          <p className="dim">{text.nothingYet}</p>
        ) : (
          <StateView query={query}>
            {(described: DescribedPolicy) => <Says described={described} onPlace={goTo} />}
          </StateView>
        )}
      </section>
    </div>
  )
}
