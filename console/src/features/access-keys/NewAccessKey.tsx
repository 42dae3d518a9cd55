import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewAccessKey as Made } from '../../../../contract/access-keys.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { Page } from '../../ui/Page.tsx'
import { CredentialExpiry } from '../tokens/CredentialExpiry.tsx'
import { LimitFields } from '../tokens/LimitFields.tsx'
import { text as tokens } from '../tokens/messages.ts'
import { useNewCredential } from '../tokens/useNewCredential.ts'
import { text } from './messages.ts'
import { accessKeysQuery } from './queries.ts'
import { RevealAccessKey } from './RevealAccessKey.tsx'

/** Creates an access key, limited to a bucket if the address names one. */
export default function NewAccessKey() {
  const cache = useQueryClient()
  const { search, go } = useView()
  const { form, body } = useNewCredential(search.bucket)
  // A secret exists only here, and only while it is shown.
  const [made, setMade] = useState<Made>()
  const { name, expires_in: expiry, scope: limits } = form.values
  const create = async () => {
    if (!body) return
    const done = await form.submit(async () => setMade(await client.createAccessKey({ body })))
    if (done) await cache.invalidateQueries({ queryKey: accessKeysQuery.queryKey })
  }
  return (
    <Page title={text.create} hint={text.hint} call={{ operation: 'createAccessKey', body: { name } }}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <section className="card stack" aria-label={text.who}>
          <TextInput
            {...form.field('name')}
            label={tokens.name}
            description={text.nameHint}
            maxLength={100}
            autoComplete="off"
          />
          <CredentialExpiry
            value={expiry}
            onChange={(next) => form.set('expires_in', next)}
            error={form.faults.expires_in}
          />
        </section>
        <section className="card stack" aria-label={text.limits}>
          <h2>{text.limits}</h2>
          <LimitFields value={limits} onChange={(next) => form.set('scope', next)} faults={form.faults} />
        </section>
        <div className="dialog-actions">
          <Button variant="default" component={Link} to="/access-keys">
            {text.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!body}>
            {text.make}
          </Button>
        </div>
      </form>
      {made ? (
        <RevealAccessKey accessKey={made} title={text.revealTitle} onClose={() => void go('/access-keys')} />
      ) : null}
    </Page>
  )
}
