import { ActionIcon, Button } from '@mantine/core'
import { IconDownload, IconHistory, IconRestore } from '@tabler/icons-react'
import type { TrashItem } from '../../../../contract/trash.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { Person } from '../../ui/Person.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Bytes, Status, TimeAgo } from '../../ui/values.tsx'
import { justBefore } from '../past/at.ts'
import { text as past } from '../past/messages.ts'
import { refreshObjects } from './background.tsx'
import { downloadPast } from './bulk.tsx'
import { objectText } from './object-messages.ts'

const PAGE = 50

/** What a key was before, in a bucket that keeps no versions: each content that the trash still has. */
export default function FormerStates({ bucket, objectKey: key }: { bucket: string; objectKey: string }) {
  const me = useMe()
  const { open } = useView()
  const list = useCursorList<TrashItem>(['trash', bucket, key, 'one'], (cursor) =>
    client.listTrash({ params: { bucket }, query: { prefix: key, limit: PAGE, ...cursor } }),
  )
  const restore = async ({ id }: TrashItem) => {
    try {
      await client.restoreTrash({ params: { bucket }, body: { ids: [id], on_conflict: 'replace' } })
      notify.ok(objectText.versionRestored)
    } catch (error) {
      notify.problem(error)
    }
    await refreshObjects()
  }
  return (
    <StateView query={list}>
      {(items) => {
        const own = items.filter((one) => one.key === key)
        return (
          <>
            {own.length === 0 && !list.more.available ? <p className="dim">{past.noFormer}</p> : null}
            <ol className="versions">
              {own.map((item) => (
                <li key={item.id}>
                  <div className="versions-what">
                    <span className="row">
                      <TimeAgo time={item.deleted_at} />
                      <Status tone={item.reason === 'deleted' ? 'warn' : 'idle'}>
                        {item.reason === 'deleted' ? objectText.deleteMarker : past.replaced}
                      </Status>
                    </span>
                    <span className="dim small">
                      <Bytes bytes={item.size} /> · <Person id={item.deleted_by} />
                    </span>
                  </div>
                  <ActionIcon
                    aria-label={objectText.openMoment}
                    title={objectText.openMoment}
                    onClick={() => void open({ at: justBefore(item.deleted_at) })}
                  >
                    <IconHistory size={16} />
                  </ActionIcon>
                  {me.can('read', bucket, key) ? (
                    <ActionIcon
                      aria-label={objectText.downloadVersion}
                      title={objectText.downloadVersion}
                      onClick={() => void downloadPast(bucket, { key, at: justBefore(item.deleted_at) })}
                    >
                      <IconDownload size={16} />
                    </ActionIcon>
                  ) : null}
                  {me.can('write', bucket, key) ? (
                    <ActionIcon
                      aria-label={objectText.restoreVersion}
                      title={objectText.restoreVersion}
                      onClick={() => void restore(item)}
                    >
                      <IconRestore size={16} />
                    </ActionIcon>
                  ) : null}
                </li>
              ))}
            </ol>
            {list.more.available ? (
              <Button variant="default" loading={list.more.loading} onClick={() => list.more.load()}>
                {objectText.moreVersions}
              </Button>
            ) : null}
          </>
        )
      }}
    </StateView>
  )
}
