import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { Status } from '../../ui/values.tsx'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { refreshPeople } from '../groups/queries.ts'
import { importResult, text } from './messages.ts'

export interface Imported {
  external_id: string
  name: string
  result: keyof typeof importResult
  user_id: string | null
}

/** After an import: the result for each user, and the groups for the new ones. */
export function ImportGroups({ people, onDone }: { people: readonly Imported[]; onDone: () => void }) {
  const cache = useQueryClient()
  const [groups, setGroups] = useState<string[]>([])
  const [fault, setFault] = useState<string>()
  const [sending, setSending] = useState(false)
  const user_ids = people.flatMap(({ user_id }) => user_id ?? [])
  const add = async () => {
    setSending(true)
    try {
      for (const id of groups) await client.addMembers({ params: { id }, body: { user_ids } })
      notify.ok(text.joined(groups.length))
      await refreshPeople(cache)
      onDone()
    } catch (error) {
      setFault(describeProblem(error).detail)
      setSending(false)
    }
  }
  return (
    <div className="stack">
      <section className="card users-card" aria-label={text.imported}>
        <h2>{text.imported}</h2>
        <ul className="users-results">
          {people.map(({ external_id, name, result, user_id }) => (
            <li key={external_id} className="row">
              <strong>{name}</strong>
              <Status tone={user_id === null ? 'bad' : 'ok'}>{importResult[result]}</Status>
            </li>
          ))}
        </ul>
      </section>
      {user_ids.length === 0 ? (
        <div>
          <Button onClick={onDone}>{text.done}</Button>
        </div>
      ) : (
        <form
          className="card users-card"
          aria-label={text.chooseTitle(user_ids.length)}
          onSubmit={(event) => {
            event.preventDefault()
            if (groups.length > 0) void add()
          }}
        >
          <h2>{text.chooseTitle(user_ids.length)}</h2>
          <p className="dim">{text.chooseHint}</p>
          <GroupPicker
            label={text.groups}
            description={text.groupsHint}
            value={groups}
            onChange={setGroups}
            error={fault}
          />
          <div className="dialog-actions">
            <Button variant="default" onClick={onDone}>
              {text.skip}
            </Button>
            <Button type="submit" loading={sending} disabled={groups.length === 0}>
              {text.putIn}
            </Button>
          </div>
        </form>
      )}
    </div>
  )
}
