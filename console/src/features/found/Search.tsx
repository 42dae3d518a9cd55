import '../browse/browse.css'
import '../search/search.css'
import { Anchor } from '@mantine/core'
import { IconSearch, IconSearchOff } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { formatBytes, MB } from '../../i18n.ts'
import { legible, parentOf } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { text as common } from '../../ui/messages.ts'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import type { GridHandle } from '../../ui/VirtualGrid.tsx'
import { useFocus } from '../browse/useFocus.ts'
import { ExportList } from '../search/ExportList.tsx'
import { text } from '../search/messages.ts'
import { SearchField } from '../search/SearchField.tsx'
import { faultOf } from '../search/understood.ts'
import { type Unread, useEverywhere } from './everywhere.ts'
import { Results } from './Results.tsx'

/** Most buckets that are named as not wholly searched. */
const MOST_NAMED = 3

/** Searches all buckets that the user may list. The query is in the address. */
export default function Search() {
  const { search, go, change } = useView()
  const { q = '' } = search
  const isUnderstood = faultOf(q) === undefined
  const { found, error, isPending, isFetching, refetch, look } = useEverywhere(isUnderstood ? q : '')
  const grid = useRef<GridHandle>(null)
  const pane = useRef<HTMLElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const isAsked = q.trim() !== '' && isUnderstood
  const isBare = found?.rows.length === 0
  useFocus(q, { grid, pane, isBare: isAsked && isBare })
  // Opened without a query, the view is for typing one.
  const starts = useRef(q === '')
  useEffect(() => {
    if (starts.current) field.current?.focus()
  }, [])
  const open = ({ bucket, key }: StoredObject) => void go(`/b/${bucket}`, { prefix: parentOf(key), sel: key })
  const searchFor = (next: string) => void change({ q: next || undefined })
  useShortcuts(text.results, [
    { keys: '/', label: text.keyField, run: () => field.current?.focus() },
    { keys: 'Enter', label: text.keyOpen },
    { keys: 'ArrowDown', label: text.keyMove },
  ])
  return (
    <Page
      full
      title={text.title}
      windowTitle={q === '' ? text.title : `${legible(q)} – ${text.title}`}
      {...(isAsked ? { call: { operation: 'searchEverywhere', query: { q } } as const } : {})}
    >
      <div className="browse">
        <section className="browse-pane" aria-label={text.results} ref={pane} tabIndex={-1}>
          <div className="browse-bar search-bar">
            <SearchField
              ref={field}
              label={text.field}
              clearLabel={text.clear}
              value={q}
              onSearch={searchFor}
              onLeave={() => (grid.current ?? pane.current)?.focus()}
            />
            <span className="dim" role="status">
              {!isAsked ? '' : found ? text.found(found.total, found.isExact) : isPending ? text.searching : ''}
            </span>
            <span className="grow" />
            {isAsked && found && !isBare ? <ExportList q={q} /> : null}
          </div>
          {isAsked && found && found.unread.length > 0 ? <NotAsked unread={found.unread} /> : null}
          {q.trim() === '' ? (
            <Start onChoose={searchFor} />
          ) : !isUnderstood ? null : (
            <StateView query={{ data: found, error, isPending, refetch }}>
              {({ rows }) =>
                rows.length > 0 ? (
                  <Results
                    query={q}
                    rows={rows}
                    grid={grid}
                    busy={isFetching}
                    onSight={(_first, last) => look(last)}
                    onOpen={open}
                    onFolder={({ bucket, key }) => void go(`/b/${bucket}`, { prefix: parentOf(key) })}
                  />
                ) : (
                  <EmptyView
                    title={common.noMatch(legible(q))}
                    icon={<IconSearchOff size={28} stroke={1.4} />}
                    action={
                      <Anchor component="button" onClick={() => searchFor('')}>
                        {text.clear}
                      </Anchor>
                    }
                  >
                    {text.nothingHint}
                  </EmptyView>
                )
              }
            </StateView>
          )}
        </section>
      </div>
    </Page>
  )
}

/** What the search could not ask, by bucket. */
function NotAsked({ unread }: { unread: readonly Unread[] }) {
  const left = unread.length - MOST_NAMED
  return (
    <div className="search-unread warn" role="status">
      {text.unread}
      <ul>
        {unread.slice(0, MOST_NAMED).map(({ bucket, objects, exact }) => (
          <li key={bucket}>
            <Link to={`/b/${bucket}`}>{bucket}</Link>: {text.unreadIn(objects, exact)}
          </li>
        ))}
        {left > 0 ? <li>{text.moreBuckets(left)}</li> : null}
      </ul>
    </div>
  )
}

/** What can be searched for, by three examples. */
function Start({ onChoose }: { onChoose: (query: string) => void }) {
  const examples = [
    { query: 'tag:project=apollo', says: text.exampleTag },
    { query: 'kind:picture modified:<7d', says: text.examplePictures },
    { query: 'name:*.pdf size:>10MB', says: text.exampleLarge(formatBytes(10 * MB)) },
  ]
  return (
    <EmptyView
      title={text.startTitle}
      icon={<IconSearch size={28} stroke={1.4} />}
      action={
        <ul className="search-examples">
          {examples.map(({ query, says }) => (
            <li key={query}>
              <button type="button" onClick={() => onChoose(query)}>
                <code>{query}</code>
                <span>{says}</span>
              </button>
            </li>
          ))}
        </ul>
      }
    >
      {text.startHint}
    </EmptyView>
  )
}
