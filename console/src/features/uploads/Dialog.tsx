import { Alert, Button, Checkbox, Loader, Modal, Select } from '@mantine/core'
import { IconFile, IconFolder, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type DragEvent, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { bucketQuery, roomIn } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { noteDeed } from '../../ui/undo.ts'
import { closeDialog, type Wanted } from './dialog.ts'
import { type Chosen, choose, type Found, isHidden, readDrop, readPicked, type Taken, takeDrop } from './engine/drop.ts'
import type { IfTaken } from './engine/item.ts'
import { engine, useUploads } from './instance.ts'
import { text } from './messages.ts'
import { PickButton } from './PickButton.tsx'

const SHOWN = 5
const choices: readonly { value: IfTaken; label: string }[] = [
  { value: 'ask', label: text.ask },
  { value: 'replace', label: text.replace },
  { value: 'skip', label: text.skip },
  { value: 'both', label: text.both },
]

/** Nothing is chosen yet. */
const NONE: Chosen = { found: [], replaced: [] }

/** What to upload, where to, and how to handle existing files. Nothing is sent before it is confirmed. */
export function Dialog({ wanted: { bucket, prefix, taken }, onStart }: { wanted: Wanted; onStart: () => void }) {
  const me = useMe()
  const [{ found, replaced }, setChosen] = useState<Chosen>(NONE)
  const [handles, setHandles] = useState<readonly FileSystemHandle[]>([])
  const [emptyFolders, setEmptyFolders] = useState(0)
  const [unreadable, setUnreadable] = useState<readonly string[]>([])
  const [reading, setReading] = useState(taken ? 0 : undefined)
  const [ifTaken, setIfTaken] = useState<IfTaken>('ask')
  const [leaveOut, setLeaveOut] = useState(true)
  const [over, setOver] = useState(false)
  const [starting, setStarting] = useState(false)

  const take = (more: readonly Found[]) => setChosen((old) => choose(old, more))
  const readTaken = useEffectEvent(async (drop: Taken) => {
    setReading(0)
    try {
      const read = await readDrop(drop, setReading)
      take(read.found)
      setEmptyFolders((n) => n + read.emptyFolders)
      setUnreadable((old) => [...old, ...read.unreadable])
      const more = await drop.handles
      setHandles((old) => [...old, ...more.filter((one) => one !== null)])
    } finally {
      setReading(undefined)
    }
  })
  useEffect(() => {
    if (taken) void readTaken(taken)
  }, [taken])

  const shown = useMemo(() => (leaveOut ? found.filter(({ path }) => !isHidden(path)) : found), [found, leaveOut])
  const denied = useMemo(
    () => shown.filter(({ path }) => !me.can('write', bucket, prefix + path)).length,
    [shown, me, bucket, prefix],
  )
  const size = shown.reduce((sum, { file }) => sum + file.size, 0)
  const hidden = found.length - shown.length
  const firstHidden = hidden > 0 ? found.find(({ path }) => isHidden(path))?.path : undefined

  const { version } = useUploads()
  // biome-ignore lint/correctness/useExhaustiveDependencies: how much of them has arrived is known by the version only
  const resumed = useMemo(() => {
    const items = engine.interrupted({ bucket, prefix }, shown).filter(({ sent }) => sent > 0)
    const total = (of: 'sent' | 'size') => formatBytes(items.reduce((sum, item) => sum + item[of], 0))
    return items.length > 0 ? text.willResume(items.length, total('sent'), total('size')) : null
  }, [bucket, prefix, shown, version])

  const upload = async () => {
    setStarting(true)
    const mine = denied === 0 ? shown : shown.filter(({ path }) => me.can('write', bucket, prefix + path))
    const count = await engine.add({ bucket, prefix, ifTaken, handles }, mine)
    if (count === 0) notify.note(text.alreadyUploading)
    else noteDeed()
    onStart()
    closeDialog()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void readTaken(takeDrop(event.dataTransfer))
  }

  return (
    <Modal opened onClose={closeDialog} title={text.title} size="lg">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (shown.length > denied && reading === undefined) void upload()
        }}
      >
        <p className="uploads-target">
          <span className="dim">{text.target}</span> <b>{bucket}</b>
          {prefix === '' ? '' : ` / ${legible(prefix).replace(/\/$/, '').split('/').join(' / ')}`}
        </p>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same */}
        <div
          className="uploads-zone"
          data-over={over || undefined}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          {reading === undefined ? (
            <>
              <IconUpload size={24} stroke={1.4} aria-hidden />
              <p>{text.dropHere}</p>
            </>
          ) : (
            <p className="row" role="status">
              <Loader size={16} /> {text.reading(reading)}
            </p>
          )}
          <div className="row">
            <PickButton
              label={text.chooseFiles}
              icon={<IconFile size={15} />}
              onPick={(f) => take(readPicked(f))}
              data-autofocus={taken ? undefined : true}
            />
            <PickButton
              label={text.chooseFolder}
              icon={<IconFolder size={15} />}
              folder
              onPick={(f) => take(readPicked(f))}
            />
          </div>
        </div>
        {found.length > 0 || emptyFolders > 0 || unreadable.length > 0 ? (
          <div className="stack-tight" role="status">
            <p className="row">
              <b>{shown.length === 0 ? text.nothing : text.chosen(shown.length, formatBytes(size))}</b>
              <span className="grow" />
              <Button
                variant="subtle"
                onClick={() => {
                  setChosen(NONE)
                  setEmptyFolders(0)
                  setUnreadable([])
                  setHandles([])
                }}
              >
                {text.startOver}
              </Button>
            </p>
            <ul className="uploads-chosen">
              {shown.slice(0, SHOWN).map(({ path, file }) => (
                <li key={path}>
                  <span className="clip" title={legible(path)}>
                    {legible(path)}
                  </span>
                  <span className="dim number">{formatBytes(file.size)}</span>
                </li>
              ))}
              {shown.length > SHOWN ? <li className="dim">{text.more(shown.length - SHOWN)}</li> : null}
            </ul>
            {resumed === null ? null : <p>{resumed}</p>}
            {hidden > 0 ? (
              <p className="dim small">
                {text.leftOut(hidden)} ({legible(firstHidden ?? '')}
                {hidden > 1 ? ', …' : ''})
              </p>
            ) : null}
            {emptyFolders > 0 ? <p className="dim small">{text.emptyFolders(emptyFolders)}</p> : null}
            {unreadable.length > 0 ? <LeftOut says={text.notRead(unreadable.length)} paths={unreadable} /> : null}
            {replaced.length > 0 ? <LeftOut says={text.sameName(replaced.length)} paths={replaced} /> : null}
          </div>
        ) : null}
        <Quota bucket={bucket} size={size} />
        {denied > 0 ? (
          <Alert role="alert" color="danger" className="alert-bad">
            {text.denied(denied)}
          </Alert>
        ) : null}
        <div className="uploads-options">
          <Select
            label={text.ifTaken}
            data={choices}
            value={ifTaken}
            onChange={(value) => setIfTaken((value ?? 'ask') as IfTaken)}
            w={180}
          />
          <Checkbox
            label={text.hidden}
            description={text.hiddenHint}
            checked={leaveOut}
            onChange={(event) => setLeaveOut(event.currentTarget.checked)}
          />
        </div>
        <div className="dialog-actions">
          <Button variant="default" onClick={closeDialog}>
            {common.cancel}
          </Button>
          <Button
            type="submit"
            loading={starting}
            // While it is read, it keeps the focus for Enter.
            disabled={shown.length === denied && reading === undefined}
            data-autofocus={taken ? true : undefined}
          >
            {text.upload(shown.length - denied)}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** Names what was chosen and is not uploaded, and says why. */
const LeftOut = ({ says, paths }: { says: string; paths: readonly string[] }) => (
  <Alert role="alert" color="danger" className="alert-bad">
    {says}
    <ul className="uploads-chosen">
      {paths.slice(0, SHOWN).map((path) => (
        <li key={path}>
          <span className="clip" title={legible(path)}>
            {legible(path)}
          </span>
        </li>
      ))}
      {paths.length > SHOWN ? <li>{text.more(paths.length - SHOWN)}</li> : null}
    </ul>
  </Alert>
)

/** Warns before the upload if the bucket has no room for it. */
function Quota({ bucket, size }: { bucket: string; size: number }) {
  const { data } = useQuery(bucketQuery(bucket))
  const free = data ? roomIn(data) : null
  if (free === null || size <= free) return null
  return (
    <Alert role="alert" className="uploads-warn">
      {text.noRoom(formatBytes(free), formatBytes(size))}
    </Alert>
  )
}
