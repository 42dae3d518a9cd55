import './browse.css'
import { ActionIcon } from '@mantine/core'
import {
  IconAdjustments,
  IconFolderPlus,
  IconHistory,
  IconLayoutGrid,
  IconList,
  IconRefresh,
  IconRestore,
  IconShare3,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type DragEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { bucketQuery, fateIn, useReadOnly } from '../../api/buckets.ts'
import { codeOf, statusOf } from '../../api/problem.ts'
import { useMe } from '../../api/queries.ts'
import { wholeLanguage } from '../../i18n.ts'
import { legible, nameOf, parentOf } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { setPreferences, usePreferences } from '../../preferences.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { notify } from '../../ui/notify.tsx'
import { OwnFolders } from '../../ui/OwnFolders.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { type GridHandle, MOST_ROWS } from '../../ui/VirtualGrid.tsx'
import { At, atOf, useAt } from '../past/at.ts'
import { SearchField } from '../search/SearchField.tsx'
import { openUpload } from '../uploads/open.ts'
import { refreshObjects } from './background.tsx'
import { type Picked, settle, transfer, whyNot } from './bulk.tsx'
import { Crumbs } from './Crumbs.tsx'
import { Dialogs, type Open } from './Dialogs.tsx'
import { allowDrop, folderAt, hasFiles, takeDrop } from './drag.ts'
import { EmptyPlace, NothingFound } from './Empty.tsx'
import { FolderActions } from './FolderActions.tsx'
import { filtersOf, isFiltered, noFilters, termsOf } from './filters.ts'
import type { FolderAction } from './folder-action.ts'
import { List } from './List.tsx'
import { type Place, type Row, type Sort, sortsOf, useFolder, useMatches } from './listing.ts'
import { text } from './messages.ts'
import type { MenuPlace } from './RowMenu.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { useDeeds } from './useDeeds.ts'
import { useFocus } from './useFocus.ts'
import { useGrowing } from './useGrowing.ts'
import { useKeys } from './useKeys.ts'
import { useMarks } from './useMarks.ts'
import { useSelection } from './useSelection.ts'

const PastBand = lazy(() => wholeLanguage().then(() => import('../past/PastBand.tsx')))
const MomentDialog = lazy(() => wholeLanguage().then(() => import('../past/MomentDialog.tsx')))
const WasEmpty = lazy(() => wholeLanguage().then(() => import('../past/WasEmpty.tsx')))
const UnknownMoment = lazy(() => wholeLanguage().then(() => import('../past/UnknownMoment.tsx')))
const RowMenu = lazy(() => import('./RowMenu.tsx'))
const Preview = lazy(() => wholeLanguage().then(() => import('./Preview.tsx')))
const Tiles = lazy(() => import('./Tiles.tsx'))
const FilterRow = lazy(() => wholeLanguage().then(() => import('./FilterRow.tsx')))
const VIEWS = [
  { id: 'list', label: text.asList, Icon: IconList },
  { id: 'grid', label: text.asTiles, Icon: IconLayoutGrid },
] as const

/** The object browser: a bucket's folder or search results, with one object's details beside them; now or at a moment. */
export default function Browse() {
  const { at } = useView().search
  return (
    <At value={at || undefined}>
      <Browser />
    </At>
  )
}

function Browser() {
  const me = useMe()
  const view = useView()
  const { search: query, params, go, open, change } = view
  const { bucket = '' } = params
  const { prefix = '', q: typed = '', sel = '' } = query
  const at = useAt()
  const filters = filtersOf(query)
  const search = at === undefined ? [typed, termsOf(filters)].filter(Boolean).join(' ') : typed
  const sort = sortsOf(search, at).find((one) => one === query.sort) ?? 'name'
  const place: Place = { bucket, prefix, at, sort, dir: query.dir === 'desc' ? 'desc' : 'asc' }
  const about = useQuery(bucketQuery(bucket))
  const folder = useFolder(place, search === '')
  const matches = useMatches(place, search)
  const listing = search === '' ? folder : matches
  const mark = useMarks(search)
  const id = JSON.stringify([place, search])
  const chosen = useSelection(id, place, listing)
  const grid = useRef<GridHandle>(null)
  const pane = useRef<HTMLElement>(null)
  useFocus(JSON.stringify([bucket, prefix, search]), { grid, pane, isBare: !listing.isPending && listing.count === 0 })
  const preferred = usePreferences().view
  const shape = VIEWS.find((one) => one.id === query.view)?.id ?? preferred
  const Shape = shape === 'grid' ? Tiles : List
  const [dialog, setDialog] = useState<Open>()
  const [menu, setMenu] = useState<MenuPlace>()
  /** The folder that files dragged over the view would go to. */
  const [over, setOver] = useState<string>()
  const [choosing, setChoosing] = useState(false)
  const searchField = useRef<HTMLInputElement>(null)
  const [isFiltering, setFiltering] = useState(false)
  const hasFilters = isFiltering || search !== ''

  const readOnly = useReadOnly(bucket)
  const mayChange = readOnly === false && at === undefined
  const mayWriteTo = (to: string) => mayChange && me.can('write', bucket, to)
  const mayWrite = mayWriteTo(prefix)
  const isGrowing = about.data?.source?.as_of === null
  useGrowing(isGrowing)
  const denial =
    at !== undefined
      ? text.dropPast
      : readOnly
        ? text.dropReadOnly(about.data?.source?.release_job != null)
        : text.dropDenied(bucket, legible(prefix))
  /** Of this moment nothing is known. */
  const isUnknown = at !== undefined && codeOf(listing.error) === 'invalid_request'
  const hasNothing = listing.error !== null && (listing.count === 0 || statusOf(listing.error) === 403)
  /** Folders that this view has shown with something in them. */
  const filled = useRef(new Set<string>())
  useEffect(() => {
    if (search === '' && listing.count > 0) filled.current.add(`${bucket}/${prefix}`)
  }, [bucket, prefix, search, listing.count])
  const { selected } = chosen
  const isWhole = chosen.selection.all && listing.open
  const picked = (rows?: readonly Row[]): Picked => ({
    bucket,
    prefix,
    at,
    search,
    all: rows ? false : chosen.selection.all,
    rows: rows ?? [...chosen.selection.rows.values()],
    count: rows ? rows.length : selected,
    isExact: rows !== undefined || !isWhole,
    isPart: listing.isPart,
  })
  /** What keys act on: the selection, otherwise the visible cursor. */
  const pickedByKeys = (): Picked => {
    if (chosen.isReading) return picked([])
    if (selected > 0) return picked()
    const row = listing.row(chosen.cursor)
    if (!row || !grid.current?.hasFocus()) return picked([])
    if (grid.current.sees(chosen.cursor)) return picked([row])
    grid.current.reveal(chosen.cursor)
    return picked([])
  }
  const pickedAt = (row: Row) => (chosen.isSelected(row.key) ? picked() : picked([row]))
  const after = ({ all, rows }: Picked) => chosen.after(all, rows)
  const deeds = useDeeds({
    me,
    listing,
    fate: about.data ? fateIn(about.data) : 'trash',
    mayChange,
    show: setDialog,
    openRow: (row) => openRow(row),
    openFull: ({ key }) => void open({ sel: key, full: '1' }),
    reveal: ({ key, object }) => {
      if (!object) chosen.seekNext(key)
      void go(`/b/${bucket}`, { prefix: parentOf(key), ...kept(query), ...(object ? { sel: key } : {}) })
    },
    openAccess: ({ key, object }) => void go(`/b/${bucket}/access`, object ? { key } : { prefix: key }),
    after,
    leave: (picked) => chosen.moveTo(after(picked)),
    done: chosen.clear,
  })

  const goTo = (to: string) => void go(`/b/${bucket}`, to ? { prefix: to, ...kept(query) } : kept(query))
  const openRow = (row: Row) => (row.object ? void open({ sel: row.key }) : goTo(row.key))
  const up = () => prefix !== '' && goTo(parentOf(prefix))
  const closeDetails = () => {
    void change({ sel: undefined, full: undefined })
    grid.current?.focus()
  }
  const showAt = (next: string | undefined) => {
    setChoosing(false)
    chosen.clear()
    void open({ at: next, sort: undefined, dir: undefined, full: undefined })
  }
  const upload = () => void openUpload({ bucket, prefix })
  const newFolder = () => setDialog({ kind: 'folder' })
  const sortBy = (next: Sort, dir = next === sort && place.dir === 'asc' ? 'desc' : 'asc') =>
    void open({ sort: next, dir, sel: undefined })
  const dropOn = (event: DragEvent, to: string) => {
    const taken = takeDrop(event)
    if (!taken) return
    const target = { bucket, prefix: to }
    const refusal = whyNot(taken.picked, taken.kind, target)
    if (refusal) return notify.failure(text.transferAll(taken.kind), refusal)
    chosen.clear()
    settle(taken.picked, listing)
      .then((picked) => transfer(picked, taken.kind, target, 'skip'))
      .catch((error: unknown) => notify.problem(error))
  }
  const showAs = (view: 'list' | 'grid') => {
    setPreferences({ view })
    if (view !== shape) void open({ view })
  }
  const searchFor = (q: string) => void change({ q: q || undefined, sel: undefined, ...(q === '' ? noFilters : {}) })
  const stepBack = () => {
    if (selected > 0) chosen.clear()
    else if (sel) closeDetails()
    else if (search) searchFor('')
  }
  useShortcuts(
    text.keysBrowser,
    useKeys({
      deeds: () => deeds(pickedByKeys()),
      mayWrite,
      upload,
      newFolder,
      stepBack,
      search: () => searchField.current?.focus(),
      refresh: () => void refreshObjects(),
    }),
  )

  const keepsPast = about.data !== undefined && about.data.mode !== 'read_only'
  const words = isWhole ? text.selectedMatches(legible(search)) : text.selected(selected)
  const loadedLess = chosen.selection.all && !isWhole ? Math.max(0, listing.count - listing.loaded()) : 0
  const here = legible(nameOf(prefix, parentOf(prefix)) || bucket)
  return (
    <Page
      inBuckets
      full
      title={
        <Crumbs bucket={bucket} prefix={prefix} kept={kept(query)} go={goTo} onDragOver={allowDrop} onDrop={dropOn} />
      }
      windowTitle={[
        sel ? legible(nameOf(sel, parentOf(sel))) : here,
        ...(sel || prefix ? [bucket] : []),
        ...(at === undefined ? [] : [text.thePast]),
      ].join(' – ')}
      call={
        search && at === undefined
          ? {
              operation: 'searchObjects',
              params: { bucket },
              query: { prefix, q: search, sort, order: place.dir },
            }
          : { operation: 'browse', params: { bucket }, query: { prefix, folders: 'first', ...atOf(at) } }
      }
      actions={
        <FolderActions
          actions={[
            { label: text.refresh, Icon: IconRefresh, run: () => void refreshObjects(), bare: true },
            ...when(keepsPast && at === undefined, {
              label: text.timeline,
              Icon: IconHistory,
              run: () => setChoosing(true),
            }),
            ...when((about.data?.versioning ?? 'off') !== 'off' && at === undefined, {
              label: text.deletedTitle,
              Icon: IconRestore,
              run: () => void go(`/b/${bucket}/deleted`, prefix ? { prefix } : {}),
            }),
            ...when(me.can('share', bucket, prefix) && search === '' && at === undefined, {
              label: prefix ? text.shareFolder : text.shareBucket,
              Icon: IconShare3,
              run: () => setDialog({ kind: 'share', rows: [{ key: prefix, object: null }] }),
              bare: true,
            }),
            ...when(mayWrite, { label: text.newFolder, Icon: IconFolderPlus, run: newFolder }),
          ]}
          upload={mayWrite ? upload : undefined}
        />
      }
    >
      <BucketTabs bucket={bucket} active="objects" />
      {at === undefined ? null : (
        <Suspense fallback={<div className="browse-band" />}>
          <PastBand
            bucket={bucket}
            prefix={prefix}
            at={at}
            onChoose={() => setChoosing(true)}
            onLeave={() => showAt(undefined)}
          />
        </Suspense>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files are dropped anywhere; the button does the same */}
      <div
        className={sel ? 'browse with-details' : 'browse'}
        onDragOver={(event) => {
          if (!hasFiles(event)) return
          event.preventDefault()
          event.dataTransfer.dropEffect = 'copy'
          setOver(folderAt(event) ?? prefix)
        }}
        onDragLeave={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(undefined)
        }}
        onDrop={(event) => {
          setOver(undefined)
          if (!hasFiles(event)) return
          event.preventDefault()
          const to = folderAt(event) ?? prefix
          if (mayWriteTo(to)) void openUpload({ bucket, prefix: to, drop: event.dataTransfer })
          else notify.failure(text.upload, denial)
        }}
      >
        <section
          className={at === undefined ? 'browse-pane' : 'browse-pane past'}
          aria-label={text.grid(legible(prefix || bucket))}
          ref={pane}
          {...(listing.count > 0 ? {} : { tabIndex: -1 })}
          onKeyDown={(event) => {
            if (event.target !== pane.current || (event.key !== 'Backspace' && event.key !== 'ArrowLeft')) return
            event.preventDefault()
            up()
          }}
        >
          <p className="browse-place visually-hidden" role="status">
            {text.grid(legible(prefix || bucket))}
          </p>
          {selected > 0 || chosen.isReading ? (
            <SelectionBar
              words={words}
              more={loadedLess}
              isReading={chosen.isReading}
              deeds={deeds(picked())}
              onClear={chosen.clear}
            />
          ) : (
            <div className="browse-bar">
              <SearchField
                ref={searchField}
                label={text.search}
                clearLabel={text.clearSearch}
                bucket={bucket}
                value={typed}
                onSearch={searchFor}
                onLeave={() => (grid.current ?? pane.current)?.focus()}
              />
              <span className="dim" role="status">
                {listing.isPending || hasNothing
                  ? ''
                  : search
                    ? text.matches(listing.folders, listing.count - listing.folders, {
                        folders: listing.moreFolders,
                        objects: listing.open,
                      })
                    : text.status(listing.folders, listing.count - listing.folders)}
              </span>
              {listing.count > MOST_ROWS ? <span className="warn">{text.capped(MOST_ROWS)}</span> : null}
              <span className="grow" />
              {at === undefined ? (
                <ActionIcon
                  aria-label={text.filters}
                  title={text.filters}
                  aria-pressed={hasFilters}
                  variant={hasFilters ? 'light' : 'subtle'}
                  onClick={() => {
                    if (isFiltered(filters)) void open({ ...noFilters, sel: undefined })
                    setFiltering(!hasFilters)
                  }}
                >
                  <IconAdjustments size={17} stroke={1.6} />
                </ActionIcon>
              ) : null}
              <fieldset className="browse-views" aria-label={text.viewAs}>
                {VIEWS.map(({ id: view, label, Icon }) => (
                  <ActionIcon
                    key={view}
                    aria-label={label}
                    title={label}
                    aria-pressed={view === shape}
                    variant={view === shape ? 'light' : 'subtle'}
                    onClick={() => showAs(view)}
                  >
                    <Icon size={17} stroke={1.6} />
                  </ActionIcon>
                ))}
              </fieldset>
            </div>
          )}
          {hasFilters && at === undefined ? (
            <Suspense fallback={<div className="browse-filters" />}>
              <FilterRow
                place={place}
                search={search}
                filters={filters}
                onSort={sortBy}
                sortedFirst={listing.isPending ? null : listing.sortedFirst}
                unread={listing.isPending ? null : listing.unread}
                onChange={(next) => void open({ ...next, sel: undefined })}
              />
            </Suspense>
          ) : null}
          {prefix === '' &&
          search === '' &&
          at === undefined &&
          !me.can('list', bucket) &&
          !me.prefixesIn(bucket).includes('') ? (
            <div className="browse-bar">
              <OwnFolders bucket={bucket} />
            </div>
          ) : null}
          <StateView
            query={{
              data: !isUnknown && (listing.isPending || (listing.error && listing.count === 0)) ? undefined : listing,
              error: isUnknown ? null : listing.error,
              isPending: listing.isPending && !listing.error,
              refetch: listing.refetch,
            }}
          >
            {() =>
              isUnknown ? (
                <Suspense fallback={null}>
                  <UnknownMoment
                    error={listing.error}
                    onChoose={() => setChoosing(true)}
                    onLeave={() => showAt(undefined)}
                  />
                </Suspense>
              ) : listing.count > 0 ? (
                <Suspense fallback={null}>
                  <Shape
                    id={`${shape} ${id}`}
                    place={place}
                    search={search}
                    mark={search === '' ? undefined : mark}
                    listing={listing}
                    chosen={chosen}
                    open={sel}
                    grid={grid}
                    mayDrag={mayWrite}
                    mayRead={(key) => at === undefined && me.can('read', bucket, key)}
                    onOpen={openRow}
                    onFollow={(row) => void change({ sel: row.key })}
                    onUp={up}
                    onType={(letter) => {
                      searchField.current?.focus()
                      searchFor(letter)
                    }}
                    onSort={(sort) => sortBy(sort)}
                    onMenu={setMenu}
                    pick={pickedAt}
                    onDrop={dropOn}
                  />
                </Suspense>
              ) : search ? (
                <NothingFound
                  search={search}
                  isNow={at === undefined}
                  isFiltered={isFiltered(filters)}
                  clearFilters={() => void open(noFilters)}
                  clearSearch={() => searchFor('')}
                  widen={
                    prefix === '' ? undefined : () => void open({ prefix: undefined, sel: undefined, ...noFilters })
                  }
                />
              ) : at !== undefined ? (
                <Suspense fallback={null}>
                  <WasEmpty onLeave={() => showAt(undefined)} />
                </Suspense>
              ) : (
                <EmptyPlace
                  bucket={bucket}
                  prefix={prefix}
                  mayWrite={mayWrite}
                  isWhole={me.can('list', bucket, prefix)}
                  isGrowing={isGrowing}
                  wasFilled={filled.current.has(`${bucket}/${prefix}`)}
                  upload={upload}
                  goTo={goTo}
                />
              )
            }
          </StateView>
        </section>
        {sel ? (
          <Suspense fallback={<aside className="details" />}>
            <Preview
              key={bucket}
              bucket={bucket}
              objectKey={sel}
              listing={listing}
              cursor={chosen.cursor}
              deeds={(row) => deeds(picked([row]))}
              onMove={(index) => {
                chosen.moveTo(index)
                grid.current?.reveal(index)
                const show = (row: Row | undefined) => row?.object && void change({ sel: row.key })
                const row = listing.row(index)
                if (row) show(row)
                else
                  listing
                    .read(index, index)
                    .then(([read]) => show(read))
                    .catch((error: unknown) => notify.problem(error))
              }}
              isFull={query.full !== undefined}
              onFull={(isFull) => void (isFull ? open({ full: '1' }) : change({ full: undefined }))}
              onFound={chosen.moveTo}
              onClose={closeDetails}
            />
          </Suspense>
        ) : null}
        {over === undefined ? null : (
          <div className="browse-drop" data-denied={mayWriteTo(over) ? undefined : true}>
            <p>{mayWriteTo(over) ? text.dropHere(legible(`${bucket}/${over}`)) : denial}</p>
          </div>
        )}
      </div>
      {menu ? (
        <Suspense fallback={null}>
          <RowMenu
            at={menu}
            deeds={deeds(pickedAt(menu.row))}
            hasKeys={selected === 0 || chosen.isSelected(menu.row.key)}
            onClose={() => setMenu(undefined)}
          />
        </Suspense>
      ) : null}
      {choosing ? (
        <Suspense fallback={null}>
          <MomentDialog bucket={bucket} prefix={prefix} at={at} onChoose={showAt} onClose={() => setChoosing(false)} />
        </Suspense>
      ) : null}
      <Dialogs
        open={dialog}
        bucket={bucket}
        prefix={prefix}
        onClose={() => setDialog(undefined)}
        onDone={() => {
          setDialog(undefined)
          chosen.clear()
          if (dialog?.kind === 'move') chosen.moveTo(dialog.after)
        }}
        onFolder={goTo}
        onRenamed={chosen.seek}
      />
    </Page>
  )
}

const when = (yes: boolean, action: FolderAction) => (yes ? [action] : [])

/** Query parameters kept from folder to folder. */
const kept = ({ sort, dir, view, at }: { [name: string]: string | undefined }) => ({
  ...(sort === 'type' ? {} : { sort, dir }),
  view,
  at,
})
