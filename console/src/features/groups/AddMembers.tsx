import { Button, Checkbox, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../contract/groups.ts'
import { useCursorList } from '../../api/pages.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { NoMatch, StateView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'
import { refreshPeople } from './queries.ts'

/** Finds users by email or name and adds the selected ones to a group. */
export function AddMembers({ group, onClose }: { group: Group; onClose: () => void }) {
  const cache = useQueryClient()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 200)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [sending, setSending] = useState(false)
  const people = useCursorList(['users', 'add', q], (at) =>
    client.listUsers({ query: { limit: 50, ...(q === '' ? {} : { q: q.slice(0, 100) }), ...at } }),
  )
  const toggle = (id: string, on: boolean) =>
    setPicked((old) => {
      const next = new Set(old)
      if (on) next.add(id)
      else next.delete(id)
      return next
    })
  const add = async () => {
    setSending(true)
    try {
      await client.addMembers({ params: { id: group.id }, body: { user_ids: [...picked] } })
      notify.ok(text.added(picked.size))
      onClose()
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
  }
  return (
    <Modal opened onClose={onClose} title={text.addTitle(group.name)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (picked.size > 0) void add()
        }}
      >
        <TextInput
          aria-label={text.findPeople}
          placeholder={text.findPeople}
          leftSection={<IconSearch size={15} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        <div className="groups-people">
          <StateView query={people}>
            {(rows) =>
              rows.length === 0 ? (
                <NoMatch query={q} clear={() => setTyped('')} />
              ) : (
                <ul>
                  {rows.map(({ id, email, display_name, groups }) => {
                    const isMember = groups.some((one) => one.id === group.id)
                    return (
                      <li key={id}>
                        <Checkbox
                          checked={isMember || picked.has(id)}
                          disabled={isMember}
                          onChange={(event) => toggle(id, event.currentTarget.checked)}
                          label={email}
                          description={isMember ? `${display_name} · ${text.isMember}` : display_name}
                        />
                      </li>
                    )
                  })}
                </ul>
              )
            }
          </StateView>
          {people.more.available ? (
            <Button variant="subtle" loading={people.more.loading} onClick={() => void people.more.load()}>
              {common.loadMore}
            </Button>
          ) : null}
        </div>
        <div className="dialog-actions">
          <span className="dim grow" role="status">
            {text.picked(picked.size)}
          </span>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={sending} disabled={picked.size === 0}>
            {text.add(picked.size)}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
