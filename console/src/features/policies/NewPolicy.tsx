import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { text } from './messages.ts'
import { PolicyForm } from './PolicyForm.tsx'
import { emptyDraft } from './rule.ts'

/** A new policy; `?bucket=` and `?prefix=` prefill its rule. */
export default function NewPolicy() {
  const cache = useQueryClient()
  const { search, go } = useView()
  const [initial] = useState(() => ({
    ...emptyDraft(),
    ...(search.bucket === undefined ? {} : { bucket_patterns: [search.bucket] }),
    prefix: search.prefix ?? '',
  }))
  return (
    <Page title={text.newTitle} call={{ operation: 'createPolicy' }}>
      <PolicyForm
        initial={initial}
        save={async (body) => {
          const { id } = await client.createPolicy({ body })
          notify.ok(text.made)
          await cache.invalidateQueries({ queryKey: ['policies'] })
          await go(`/policies/${id}`)
        }}
      />
    </Page>
  )
}
