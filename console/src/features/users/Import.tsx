import { ActionIcon, Anchor, Button, Checkbox, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch, IconUserSearch, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { DirectoryPerson } from '../../../../contract/users.ts'
import { useCursorList } from '../../api/pages.ts'
import { codeOf } from '../../api/problem.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Status } from '../../ui/values.tsx'
import { refreshPeople } from '../groups/queries.ts'
import { type Imported, ImportGroups } from './ImportGroups.tsx'
import { text } from './messages.ts'
import './users.css'

type Person = Static<typeof DirectoryPerson>
const PAUSE_MS = 300
const MOST = 100

const isFree = (person: Person) => !person.already_imported && person.enabled && person.email !== null
const stateOf = (person: Person) => {
  if (person.already_imported) return <Status tone="note">{text.alreadyHere}</Status>
  if (!person.enabled) return <Status tone="idle">{text.disabledThere}</Status>
  if (person.email === null) return <Status tone="warn">{text.noEmail}</Status>
  return <Status tone="ok">{text.canImport}</Status>
}

/** Finds users in the directory and creates accounts for them. */
export default function Import() {
  const me = useMe()
  return (
    <Page title={text.importTitle} hint={text.importHint}>
      {me.managesUsers ? <Steps /> : <ForbiddenView right={text.right} />}
    </Page>
  )
}

function Steps() {
  const cache = useQueryClient()
  const { go } = useView()
  const [picked, setPicked] = useState<ReadonlyMap<string, Person>>(new Map())
  const [imported, setImported] = useState<Imported[]>()
  const [sending, setSending] = useState(false)
  if (imported) return <ImportGroups people={imported} onDone={() => void go('/admin/users')} />

  const set = (person: Person, on: boolean) =>
    setPicked((old) => {
      const next = new Map(old)
      if (on) next.set(person.external_id, person)
      else next.delete(person.external_id)
      return next
    })
  const send = async () => {
    setSending(true)
    try {
      const { items } = await client.importUsers({ body: { external_ids: [...picked.keys()] } })
      setImported(
        items.map((item) => ({ ...item, name: picked.get(item.external_id)?.display_name ?? item.external_id })),
      )
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    } finally {
      setSending(false)
    }
  }
  return (
    <>
      <Search picked={picked} set={set} />
      {picked.size > 0 ? (
        <section className="card users-card" aria-label={text.picked(picked.size)}>
          <div className="users-picked">
            {[...picked.values()].map((person) => (
              <span key={person.external_id} className="users-chip">
                {person.display_name}
                <ActionIcon size={24} aria-label={text.drop(person.display_name)} onClick={() => set(person, false)}>
                  <IconX size={14} />
                </ActionIcon>
              </span>
            ))}
          </div>
          <div className="dialog-actions">
            <Button loading={sending} disabled={picked.size > MOST} onClick={() => void send()}>
              {text.importPicked(picked.size)}
            </Button>
          </div>
        </section>
      ) : null}
    </>
  )
}

function Search({ picked, set }: { picked: ReadonlyMap<string, Person>; set: (person: Person, on: boolean) => void }) {
  const me = useMe()
  const { search, change } = useView()
  const typed = search.q ?? ''
  const [settled] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const q = [...settled].slice(0, MOST).join('')
  const ready = [...q].length >= 2
  const people = useCursorList(['directory', q], (at) => client.searchDirectory({ query: { q, ...at } }), {
    enabled: ready,
    retry: false,
  })
  const columns: readonly Column<Person>[] = [
    {
      key: 'pick',
      title: common.selectColumn,
      untitled: true,
      width: 40,
      cell: (person) => (
        <Checkbox
          aria-label={person.display_name}
          checked={picked.has(person.external_id)}
          disabled={!isFree(person)}
          onChange={(event) => set(person, event.currentTarget.checked)}
        />
      ),
    },
    {
      key: 'person',
      breaks: true,
      title: text.person,
      cell: ({ display_name, email }) => (
        <>
          <strong>{display_name}</strong>
          <span className="dim small users-second">{email}</span>
        </>
      ),
    },
    { key: 'username', breaks: true, title: text.username, optional: true, cell: ({ username }) => username },
    { key: 'state', title: text.state, cell: stateOf },
  ]
  return (
    <>
      <div className="filters">
        <TextInput
          className="users-search"
          label={text.importSearch}
          placeholder={text.importPlaceholder}
          leftSection={<IconSearch size={15} />}
          value={typed}
          onChange={(event) => void change({ q: event.currentTarget.value })}
          autoFocus
          autoComplete="off"
        />
      </div>
      {!ready ? (
        <p className="dim" role="status">
          {text.importShort}
        </p>
      ) : codeOf(people.error) === 'directory_not_configured' ? (
        <EmptyView
          title={text.notConfigured}
          icon={<IconUserSearch size={28} stroke={1.4} />}
          action={
            me.isAdmin ? (
              <Anchor component={Link} to="/admin/settings" search={{ tab: 'directory' }}>
                {text.setUp}
              </Anchor>
            ) : (
              <p>{text.notConfiguredAsk}</p>
            )
          }
        >
          {text.notConfiguredHint}
        </EmptyView>
      ) : (
        <StateView query={people}>
          {(rows) =>
            rows.length === 0 ? (
              <NoMatch query={q} clear={() => void change({ q: undefined })} />
            ) : (
              <ListTable
                label={text.importPeople}
                columns={columns}
                rows={rows}
                rowKey={({ external_id }) => external_id}
                more={people.more}
              />
            )
          }
        </StateView>
      )}
    </>
  )
}
