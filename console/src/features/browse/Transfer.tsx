import '@mantine/core/styles/Radio.css'
import { Button, Modal, Radio, Select, TextInput } from '@mantine/core'
import { IconFolder, IconFolderPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bucketsQuery, isReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { PublicBadge } from '../../ui/PublicBadge.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { bytesOf, isFolder, type Picked, type Target, transfer, whyNot } from './bulk.tsx'
import { Steps } from './Crumbs.tsx'
import { text } from './messages.ts'
import { legible, nameOf } from './names.ts'

const MOST = 1000

/** Asks for the destination of a copy or move (a bucket and a new or existing folder) and how to handle conflicts. */
export function Transfer({
  picked,
  kind,
  onClose,
  onDone,
}: {
  picked: Picked
  kind: 'copy' | 'move'
  onClose: () => void
  onDone: () => void
}) {
  const me = useMe()
  const buckets = useQuery(bucketsQuery)
  // Nothing can be copied into a read-only bucket.
  const targets = buckets.data?.filter((bucket) => !isReadOnly(bucket)).map(({ name }) => name)
  const isTarget = targets?.includes(picked.bucket) ?? true
  const first = targets?.find((name) => me.can('write', name)) ?? targets?.[0] ?? ''
  const [chosen, setTo] = useState<Target>()
  const to = chosen ?? (isTarget ? { bucket: picked.bucket, prefix: picked.prefix } : { bucket: first, prefix: '' })
  const [replace, setReplace] = useState(false)
  const [sending, setSending] = useState(false)
  const refusal =
    to.bucket === ''
      ? text.noTarget
      : (whyNot(picked, kind, to) ?? (me.can('write', to.bucket, to.prefix) ? undefined : text.mayNotWrite))
  // Where the objects are is where the dialog starts: no mistake of the user's.
  const isUntouched = chosen === undefined && refusal === text.samePlace
  const nFolders = picked.all ? 0 : picked.rows.filter(isFolder).length
  const what = picked.isExact
    ? text.status(nFolders, picked.count - nFolders)
    : text.selectedMatches(legible(picked.search))
  const bytes = picked.all || nFolders > 0 ? '' : formatBytes(bytesOf(picked.rows))
  const go = async () => {
    setSending(true)
    try {
      await transfer(picked, kind, to, { replace })
      onDone()
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={picked.isExact ? text.transferTitle(kind, picked.count - nFolders, nFolders) : text.transferAll(kind)}
      size="lg"
    >
      <div className="stack">
        <Select
          label={text.bucket}
          value={to.bucket}
          data={targets ?? []}
          searchable
          onChange={(bucket) => bucket && setTo({ bucket, prefix: '' })}
        />
        <PublicBadge access={buckets.data?.find(({ name }) => name === to.bucket)?.public_access} />
        {to.bucket === '' ? null : (
          <Folders
            to={to}
            go={(prefix) => setTo({ ...to, prefix })}
            mayCreate={me.can('write', to.bucket, to.prefix)}
          />
        )}
        <Radio.Group
          label={text.conflict}
          value={replace ? 'replace' : 'skip'}
          onChange={(value) => setReplace(value === 'replace')}
        >
          <div className="stack-tight">
            <Radio value="skip" label={text.conflictSkip} />
            <Radio value="replace" label={text.conflictReplace} />
          </div>
        </Radio.Group>
        <p className={refusal && !isUntouched ? 'bad' : 'dim'} role="status">
          {isUntouched
            ? text.pickFolder
            : (refusal ?? text.transferSummary(what, bytes, legible(`${to.bucket}/${to.prefix}`)))}
        </p>
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button disabled={refusal !== undefined} loading={sending} onClick={() => void go()}>
            {text.transferDo(kind)}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

/** A folder picker. A new folder exists once something is put into it. */
function Folders({ to, go, mayCreate }: { to: Target; go: (prefix: string) => void; mayCreate: boolean }) {
  const [name, setName] = useState<string>()
  const listed = useQuery({
    queryKey: ['browse', to.bucket, to.prefix, 'folders'],
    queryFn: ({ signal }) =>
      client.browse({
        params: { bucket: to.bucket },
        query: { prefix: to.prefix, folders: 'first', offset: 0, limit: MOST },
        signal,
      }),
  })
  const enter = () => {
    if (name?.trim()) go(`${to.prefix}${name.replace(/\/+$/, '')}/`)
    setName(undefined)
  }
  return (
    <section className="browse-folders" aria-label={text.target} tabIndex={-1} data-autofocus>
      <div className="browse-folders-head">
        <Steps bucket={to.bucket} prefix={to.prefix} go={go} />
        {mayCreate ? (
          <Button
            variant="subtle"
            leftSection={<IconFolderPlus size={15} />}
            onClick={() => setName(name === undefined ? '' : undefined)}
          >
            {text.newFolder}
          </Button>
        ) : null}
      </div>
      {name === undefined ? null : (
        <form
          className="browse-folders-new"
          onSubmit={(event) => {
            event.preventDefault()
            enter()
          }}
        >
          <TextInput
            aria-label={text.folderName}
            placeholder={text.folderName}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" variant="default" disabled={!name.trim()}>
            {text.create}
          </Button>
        </form>
      )}
      <div className="browse-folders-list">
        <StateView query={listed}>
          {({ common_prefixes, total_folders }) =>
            common_prefixes.length === 0 ? (
              <p className="dim browse-folders-none">{text.noFolders}</p>
            ) : (
              <>
                <ul>
                  {common_prefixes.map((prefix) => (
                    <li key={prefix}>
                      <button type="button" onClick={() => go(prefix)}>
                        <IconFolder size={16} className="browse-folder-icon" aria-hidden />
                        <bdi>{legible(nameOf(prefix, to.prefix)) || text.noName}</bdi>
                      </button>
                    </li>
                  ))}
                </ul>
                {(total_folders ?? 0) > MOST ? <p className="dim">{text.moreFolders(MOST)}</p> : null}
              </>
            )
          }
        </StateView>
      </div>
    </section>
  )
}
