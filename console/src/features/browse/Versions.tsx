import { ActionIcon, Button } from '@mantine/core'
import { IconColumns2, IconDownload, IconHistory, IconLock, IconRestore, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Version } from '../../../../contract/versions.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { wholeLanguage } from '../../i18n.ts'
import { nameOf, parentOf } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { Person } from '../../ui/Person.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Bytes, Status, TimeAgo } from '../../ui/values.tsx'
import { justBefore } from '../past/at.ts'
import { LockDialog } from '../protection/LockDialog.tsx'
import { LockStatus } from '../protection/LockStatus.tsx'
import { isLocked } from '../protection/period.ts'
import { refreshObjects } from './background.tsx'
import { downloadOne } from './bulk.tsx'
import { Compare, isComparable } from './Compare.tsx'
import { text } from './messages.ts'
import { objectText } from './object-messages.ts'

const FormerStates = lazy(() => wholeLanguage().then(() => import('./FormerStates.tsx')))

const PAGE = 20

const deed = (label: string, Sign: typeof IconTrash, run: () => unknown) => (
  <ActionIcon aria-label={label} title={label} onClick={run}>
    <Sign size={16} />
  </ActionIcon>
)

/** What a key has and had: to download, to make current again, or to delete. */
export function Versions({ bucket, objectKey: key }: { bucket: string; objectKey: string }) {
  const me = useMe()
  const { open } = useView()
  const settings = useQuery(bucketQuery(bucket))
  const list = useCursorList<Version>(['versions', bucket, key], (cursor) =>
    client.listVersions({ params: { bucket }, query: { key, limit: PAGE, ...cursor } }),
  )
  const run = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      notify.ok(done)
    } catch (error) {
      notify.problem(error)
    }
    await refreshObjects()
  }
  const download = ({ version_id }: Version) =>
    downloadOne(bucket, { key, version_id }).catch((error) => notify.problem(error))
  const restore = ({ version_id }: Version) =>
    run(() => client.restoreVersion({ params: { bucket }, body: { key, version_id } }), objectText.versionRestored)
  const remove = async ({ version_id, marker, lock }: Version) => {
    const days = settings.data?.trash_days ?? 0
    const bypass_lock = lock !== undefined && isLocked(lock)
    const yes = await confirm({
      title: marker ? objectText.undeleteTitle : objectText.deleteVersionTitle,
      children: marker
        ? objectText.undeleteText
        : `${bypass_lock ? `${objectText.deleteLocked} ` : ''}${objectText.deleteVersionText(days)}`,
      action: marker ? text.undelete : objectText.deleteVersion,
      // One click must not be enough for what somebody wanted to keep.
      ...(bypass_lock ? { typed: nameOf(key, parentOf(key)) } : {}),
    })
    if (!yes) return
    await run(
      () =>
        client.deleteObjectByQuery({
          params: { bucket },
          query: { key, version_id, ...(bypass_lock ? { bypass_lock } : {}) },
        }),
      marker ? objectText.undeleted : objectText.versionDeleted,
    )
  }
  const versioning = settings.data?.versioning
  const [locking, setLocking] = useState<Version>()
  const [compared, setCompared] = useState<Version>()
  const current = list.data?.find(({ latest, marker }) => latest && !marker)
  const mayDelete = ({ lock }: Version) =>
    versioning !== 'off' &&
    me.can('delete', bucket, key) &&
    !(lock?.legal_hold ?? false) &&
    (!lock || !isLocked(lock) || (lock.mode === 'governance' && me.can('bypass_lock', bucket, key)))
  return (
    <div className="stack-tight details-facts">
      {versioning === undefined || versioning === 'enabled' ? null : (
        <p className="dim">{versioning === 'off' ? objectText.versionsOff : objectText.versionsSuspended}</p>
      )}
      {versioning === 'off' ? (
        <Suspense fallback={null}>
          <FormerStates bucket={bucket} objectKey={key} />
        </Suspense>
      ) : null}
      {versioning === 'off' ? null : (
        <StateView query={list}>
          {(versions) => (
            <ol className="versions">
              {versions.map((version) => (
                <li key={version.version_id}>
                  <div className="versions-what">
                    <span className="row">
                      <TimeAgo time={version.last_modified} />
                      {version.marker ? (
                        <Status tone="warn">{objectText.deleteMarker}</Status>
                      ) : version.latest ? (
                        <Status tone="ok">{objectText.currentVersion}</Status>
                      ) : null}
                    </span>
                    {version.lock ? (
                      <span className="row">
                        <LockStatus lock={version.lock} />
                      </span>
                    ) : null}
                    <span className="dim small">
                      {version.marker ? null : (
                        <>
                          <Bytes bytes={version.size} /> ·{' '}
                        </>
                      )}
                      <Person id={version.created_by} />
                    </span>
                  </div>
                  {version.noncurrent_at
                    ? deed(objectText.openMoment, IconHistory, () =>
                        open({ at: justBefore(version.noncurrent_at ?? '') }),
                      )
                    : null}
                  {current && version !== current && isComparable(version, current)
                    ? deed(objectText.compare, IconColumns2, () => setCompared(version))
                    : null}
                  {version.marker ? null : deed(objectText.downloadVersion, IconDownload, () => download(version))}
                  {!version.marker && !version.latest && me.can('write', bucket, key)
                    ? deed(objectText.restoreVersion, IconRestore, () => restore(version))
                    : null}
                  {!version.marker && settings.data?.object_lock && me.can('write', bucket, key)
                    ? deed(objectText.lockVersion, IconLock, () => setLocking(version))
                    : null}
                  {mayDelete(version)
                    ? deed(version.marker ? text.undelete : objectText.deleteVersion, IconTrash, () => remove(version))
                    : null}
                </li>
              ))}
            </ol>
          )}
        </StateView>
      )}
      {compared && current ? (
        <Compare before={compared} after={current} onClose={() => setCompared(undefined)} />
      ) : null}
      {locking ? <LockDialog version={locking} onClose={() => setLocking(undefined)} onDone={refreshObjects} /> : null}
      {list.more.available ? (
        <Button variant="default" loading={list.more.loading} onClick={() => list.more.load()}>
          {objectText.moreVersions}
        </Button>
      ) : null}
    </div>
  )
}
