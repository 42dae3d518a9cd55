import './preview.css'
import { ActionIcon, Button } from '@mantine/core'
import { IconArrowLeft, IconFile, IconFolder, IconRestore } from '@tabler/icons-react'
import { useState } from 'react'
import type { DeletedEntry } from '../../../../contract/versions.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { legible, nameOf } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { Person } from '../../ui/Person.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useSelection } from '../../ui/useSelection.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { Steps } from '../folders/Trail.tsx'
import { refreshObjects } from './background.tsx'
import { text } from './messages.ts'
import { restoreMarked } from './restoreMarked.ts'
import { type Marker, markersBelow } from './undelete.ts'

const PAGE = 200

/** What is deleted in a folder of a bucket that keeps versions: to look at, and to bring back. */
export default function Deleted() {
  const me = useMe()
  const { params, search, go } = useView()
  const bucket = params.bucket ?? ''
  const prefix = search.prefix ?? ''
  const list = useCursorList<DeletedEntry>(['versions', 'deleted', bucket, prefix], (cursor) =>
    client.listDeleted({ params: { bucket }, query: { prefix, limit: PAGE, ...cursor } }),
  )
  const queryOf = (folder: string) => (folder ? { prefix: folder } : {})
  const [busy, setBusy] = useState(false)
  const chosen = useSelection<DeletedEntry>(
    ({ name }) => name,
    ({ name }) => legible(nameOf(name, prefix)),
  )
  /** Whether the user may restore it; of a folder, something in it. */
  const may = ({ name, folder }: DeletedEntry) => (folder ? me.canIn('delete', bucket) : me.can('delete', bucket, name))
  const restore = async (markersOf: () => Promise<readonly Marker[] | undefined>) => {
    setBusy(true)
    try {
      const markers = await markersOf()
      if (markers === undefined) notify.failure(text.deletedTitle, text.tooMuchDeleted)
      else await restoreMarked(bucket, markers)
      chosen.clear()
    } catch (error) {
      notify.problem(error)
    }
    setBusy(false)
  }
  const restorePicked = () =>
    restore(async () => {
      const markers: Marker[] = []
      for (const { name, folder, version_id } of chosen.picked) {
        const found = folder ? await markersBelow(bucket, name) : version_id === null ? [] : [{ key: name, version_id }]
        if (found === undefined) return undefined
        markers.push(...found)
      }
      return markers
    })
  const undelete = async ({ name, version_id }: DeletedEntry) => {
    try {
      await client.deleteObjectByQuery({ params: { bucket }, query: { key: name, version_id: version_id ?? '' } })
      notify.ok(text.undeletedOne(legible(nameOf(name, prefix))))
    } catch (error) {
      notify.problem(error)
    }
    await refreshObjects()
  }
  const columns: readonly Column<DeletedEntry>[] = [
    chosen.column(list.data ?? [], may),
    {
      key: 'name',
      breaks: true,
      title: text.name,
      cell: ({ name, folder, gone }) => {
        const Sign = folder ? IconFolder : IconFile
        return (
          <span className="row">
            <Sign size={16} aria-hidden />
            {folder ? (
              <Link to={`/b/${bucket}/deleted`} search={{ prefix: name }} className="deleted-link">
                <bdi>{legible(nameOf(name, prefix))}</bdi>
              </Link>
            ) : (
              <Link to={`/b/${bucket}`} search={{ ...queryOf(prefix), sel: name }} className="deleted-link">
                <bdi>{legible(nameOf(name, prefix))}</bdi>
              </Link>
            )}
            {folder && gone ? <Status tone="warn">{text.allDeleted}</Status> : null}
          </span>
        )
      },
    },
    {
      key: 'deleted',
      title: text.deletedAt,
      cell: ({ deleted_at, folder }) => (folder ? <span className="dim">–</span> : <TimeAgo time={deleted_at} />),
    },
    {
      key: 'by',
      breaks: true,
      title: text.deletedBy,
      optional: true,
      cell: ({ deleted_by, folder }) => (folder ? null : <Person id={deleted_by} />),
    },
    {
      key: 'undo',
      ...actionsShape,
      width: 48,
      cell: (entry) =>
        !entry.folder && me.can('delete', bucket, entry.name) ? (
          <ActionIcon
            aria-label={text.undeleteOf(legible(nameOf(entry.name, prefix)))}
            title={text.undelete}
            onClick={() => void undelete(entry)}
          >
            <IconRestore size={16} />
          </ActionIcon>
        ) : null,
    },
  ]
  return (
    <Page
      inBuckets
      title={bucket}
      windowTitle={`${text.deletedTitle} – ${bucket}`}
      call={{ operation: 'listDeleted', params: { bucket }, query: { prefix } }}
      actions={
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={15} />}
          onClick={() => void go(`/b/${bucket}`, queryOf(prefix))}
        >
          {text.backToFolder}
        </Button>
      }
    >
      <BucketTabs bucket={bucket} active="deleted" />
      <section className="stack-tight" aria-labelledby="deleted-title">
        <h2 id="deleted-title">{text.deletedTitle}</h2>
        <Steps bucket={bucket} prefix={prefix} go={(folder) => void go(`/b/${bucket}/deleted`, queryOf(folder))} />
        {list.data?.some(may) ? (
          <div className="row">
            {chosen.picked.length > 0 ? (
              <Button leftSection={<IconRestore size={15} />} loading={busy} onClick={() => void restorePicked()}>
                {text.restorePicked(chosen.picked.length)}
              </Button>
            ) : (
              <Button
                variant="default"
                leftSection={<IconRestore size={15} />}
                title={text.restoreAllHint}
                loading={busy}
                onClick={() => void restore(() => markersBelow(bucket, prefix))}
              >
                {text.restoreAll}
              </Button>
            )}
          </div>
        ) : null}
        <StateView query={list}>
          {(rows) =>
            rows.length === 0 && !list.more.available ? (
              <p className="dim">{text.nothingDeleted}</p>
            ) : (
              <ListTable
                label={text.deletedTitle}
                columns={columns}
                rows={rows}
                rowKey={({ name }) => name}
                more={list.more}
              />
            )
          }
        </StateView>
      </section>
    </Page>
  )
}
