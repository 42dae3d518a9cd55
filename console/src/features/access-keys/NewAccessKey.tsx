import { Button, Switch, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { NewAccessKey as Made } from '../../../../contract/access-keys.ts'
import { bucketActions, presets } from '../../../../contract/permissions.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation.ts'
import { expiresIn } from '../../ui/ExpiryField.tsx'
import { Page } from '../../ui/Page.tsx'
import { useForm } from '../../ui/useForm.ts'
import { faultsOfRows, grantsOf, newRow, type Row } from '../groups/changes.ts'
import { GrantRows } from '../groups/GrantRows.tsx'
import { CredentialExpiry } from '../tokens/CredentialExpiry.tsx'
import { lifetimeOf, useLifetimes } from '../tokens/lifetimes.ts'
import { text as tokens } from '../tokens/messages.ts'
import { text } from './messages.ts'
import { accessKeysQuery } from './queries.ts'
import { RevealAccessKey } from './RevealAccessKey.tsx'

/** Creates an access key, limited to a bucket if the address names one. */
export default function NewAccessKey() {
  const cache = useQueryClient()
  const { search, go } = useView()
  const { bucket } = search
  const buckets = useQuery(bucketsQuery)
  const { usual } = useLifetimes()
  const [first] = useState(() => newRow({ bucket_pattern: bucket ?? '', actions: [...presets.editor] }))
  const form = useForm({ name: '', expires_in: usual, scope: [first] })
  const [limited, setLimited] = useState(bucket !== undefined)
  // A secret exists only here, and only while it is shown.
  const [made, setMade] = useState<Made>()
  const { name, expires_in: expiry, scope: rows } = form.values
  const setRows = (next: Row[]) => form.set('scope', next)
  const length = expiresIn(expiry)
  const faults = limited ? faultsOfRows({ rows }) : new Map()
  const scopeFault = Object.entries(form.faults).find(([path]) => path.startsWith('scope'))?.[1]
  const ready = name.trim() !== '' && length !== undefined && faults.size === 0 && !(limited && rows.length === 0)
  const create = async () => {
    if (!ready) return
    const scope = limited
      ? grantsOf({ rows }).map(({ bucket_pattern, ...part }) => ({ ...part, bucket: bucket_pattern }))
      : null
    const body = { name: name.trim(), expires_in: lifetimeOf(length), scope }
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
          <div>
            <h2>{text.limits}</h2>
            <p className="dim small">{text.limitsHint}</p>
          </div>
          <Switch
            label={text.limited}
            checked={limited}
            onChange={(event) => setLimited(event.currentTarget.checked)}
          />
          {limited ? (
            <>
              <GrantRows
                rows={rows}
                faults={faults}
                buckets={(buckets.data ?? []).map((one) => one.name)}
                actions={bucketActions}
                readOnly={false}
                onChange={setRows}
              />
              {scopeFault === undefined ? null : <p className="bad small">{scopeFault}</p>}
              <div>
                <Button
                  variant="default"
                  leftSection={<IconPlus size={15} />}
                  onClick={() => setRows([...rows, newRow()])}
                >
                  {text.addPart}
                </Button>
              </div>
            </>
          ) : null}
        </section>
        <div className="dialog-actions">
          <Button variant="default" component={Link} to="/access-keys">
            {text.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!ready}>
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
