import { Anchor, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type BucketAction, bucketActions } from '../../../../contract/permissions.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { StateView } from '../../ui/StateView.tsx'
import { Status } from '../../ui/values.tsx'
import { actionHints, text } from './messages.ts'
import { PlaceFields } from './PlaceFields.tsx'
import './groups.css'
import { placeWords } from '../../keys.ts'

const PAUSE_MS = 250
const isAction = (name: string | undefined): name is BucketAction => bucketActions.some((one) => one === name)

/**
 * Checks whether a user can do something to a key, and why. The question is in the address. Without `userId` the user
 * is chosen here too.
 */
export function Explain({ userId }: { userId?: string }) {
  const { search, change } = useView()
  const { bucket = '', key = '', user } = search
  const action = isAction(search.action) ? search.action : 'read'
  const who = userId ?? user
  const [asked] = useDebouncedValue({ bucket, key }, PAUSE_MS)
  const question = { user_id: who ?? '', action, bucket: asked.bucket, key: asked.key }
  const ready = who !== undefined && asked.bucket !== ''
  const answer = useQuery({
    queryKey: ['explain', question],
    queryFn: () => client.explainPermission({ query: question }),
    enabled: ready,
    placeholderData: keepPreviousData,
  })
  return (
    <section className="card groups-explain" aria-label={text.explainTab}>
      <p className="dim">{text.explainHint}</p>
      <div className="groups-question">
        {userId === undefined ? (
          <PersonPicker value={user} onChange={(id) => void change({ user: id ?? undefined })} />
        ) : null}
        <Select
          label={text.explainAction}
          data={bucketActions.map((one) => ({ value: one, label: `${one} – ${actionHints[one]}` }))}
          value={action}
          onChange={(one) => void change({ action: one ?? undefined })}
        />
        <PlaceFields
          labels={{ bucket: text.explainBucket, key: text.explainKey, keyHint: text.explainKeyHint }}
          bucket={bucket}
          objectKey={key}
          onChange={change}
        />
      </div>
      <div aria-live="polite">
        {ready ? (
          <StateView query={answer}>
            {({ allowed, reason, via }) => (
              <div className="stack-tight">
                <p className="row">
                  {allowed ? <Status tone="ok">{text.allowed}</Status> : <Status tone="bad">{text.denied}</Status>}
                  <span>{reason}</span>
                </p>
                {via.length > 0 ? (
                  <ul className="groups-via" aria-label={text.via}>
                    {via.map(({ group_id, group, grant }) => (
                      <li key={`${group_id} ${grant?.id}`}>
                        <Anchor component={Link} to={`/admin/groups/${group_id}`} search={{ tab: 'permissions' }}>
                          {group}
                        </Anchor>{' '}
                        <span className="dim">
                          {grant
                            ? `${placeWords(grant.bucket_pattern, grant.prefix)}: ${grant.actions.join(', ')}`
                            : text.viaAdmin}
                        </span>
                      </li>
                    ))}
                  </ul>
                ) : null}
              </div>
            )}
          </StateView>
        ) : (
          <p className="dim">{text.unknown}</p>
        )}
      </div>
    </section>
  )
}

/** Finds a user while their email or name is typed. */
export function PersonPicker({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (id: string | null) => void
}) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const found = useQuery({
    queryKey: ['users', 'pick', q],
    queryFn: () => client.listUsers({ query: { limit: 20, ...(q === '' ? {} : { q: q.slice(0, 100) }) } }),
    placeholderData: keepPreviousData,
  })
  const chosen = useQuery({
    queryKey: ['user', value],
    queryFn: () => client.getUser({ params: { id: value ?? '' } }),
    enabled: value !== undefined,
  })
  const people = new Map((found.data?.items ?? []).map(({ id, email }) => [id, email]))
  if (value && chosen.data) people.set(value, chosen.data.email)
  return (
    <Select
      label={text.explainWho}
      placeholder={text.explainWhoHint}
      data={[...people].map(([id, email]) => ({ value: id, label: email }))}
      // The server has already filtered, by names too.
      filter={({ options }) => options}
      searchable
      clearable={false}
      nothingFoundMessage={text.nobody}
      value={value ?? null}
      onChange={onChange}
      onSearchChange={(next) => setTyped([...people.values()].includes(next) ? '' : next)}
    />
  )
}
