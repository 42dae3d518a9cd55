import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewWebhook as Made } from '../../../../contract/webhooks.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { text } from './messages.ts'
import { RevealSecret } from './RevealSecret.tsx'
import { WebhookForm } from './WebhookForm.tsx'

/** Creates an endpoint and then shows its secret. */
export default function NewWebhook() {
  const me = useMe()
  const cache = useQueryClient()
  const { go } = useView()
  // A secret exists only here, and only while it is shown.
  const [made, setMade] = useState<Made>()
  if (!me.isAdmin)
    return (
      <Page title={text.newTitle}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return (
    <Page title={text.newTitle} hint={text.hint} call={{ operation: 'createWebhook' }}>
      <WebhookForm
        save={async (body) => {
          setMade(await client.createWebhook({ body }))
          await cache.invalidateQueries({ queryKey: ['webhooks'] })
        }}
      />
      {made ? (
        <RevealSecret
          secret={made.secret}
          title={text.secretMade}
          onClose={() => {
            setMade(undefined)
            void go(`/admin/webhooks/${made.id}`)
          }}
        />
      ) : null}
    </Page>
  )
}
