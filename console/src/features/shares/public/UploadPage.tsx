import { ActionIcon, Button, Progress } from '@mantine/core'
import { IconInbox, IconUpload, IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ShareInfo } from '../../../../../contract/shares.ts'
import { formatBytes, formatTime } from '../../../i18n.ts'
import { Status, type Tone } from '../../../ui/values.tsx'
import type { Opened } from './api.ts'
import { text } from './messages.ts'
import { createSender, type Sender, type Sending } from './sender.ts'

/** The link's limits in words. */
function limitsOf({ max_file_bytes, max_total_bytes, max_files, content_types }: ShareInfo): string {
  const limits = [
    ...(max_files === null ? [] : [text.upTo(max_files)]),
    ...(max_file_bytes === null ? [] : [text.eachUpTo(formatBytes(max_file_bytes))]),
    ...(max_total_bytes === null ? [] : [text.allUpTo(formatBytes(max_total_bytes))]),
    ...(content_types === null ? [] : [text.ofTypes(content_types.join(', '))]),
  ]
  return limits.length === 0 ? text.anything : limits.join(' · ')
}

/** An upload link: visitors add files and see nothing of what is there. */
export function UploadPage({ opened, info }: { opened: Opened; info: ShareInfo }) {
  const latest = useRef(opened)
  latest.current = opened
  const [sender] = useState(() => createSender(() => latest.current, info))
  const list = useSyncExternalStore(sender.subscribe, sender.list)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent) => {
      if (sender.busy()) event.preventDefault()
    }
    addEventListener('beforeunload', stay)
    return () => removeEventListener('beforeunload', stay)
  }, [sender])
  return (
    <div className="stack">
      <div className="link-head">
        <IconInbox size={28} stroke={1.3} className="dim" aria-hidden />
        <div>
          <p className="dim small">{text.uploadHere}</p>
          <h1>{info.name}</h1>
          <p className="dim">
            {limitsOf(info)}
            {info.expires_at ? ` · ${text.untilTime(formatTime(info.expires_at))}` : ''}
          </p>
        </div>
      </div>
      <section
        className="link-drop"
        aria-label={text.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          sender.add([...event.dataTransfer.files])
        }}
      >
        <IconUpload size={26} stroke={1.4} className="dim" aria-hidden />
        <p className="link-drop-words">{text.drop}</p>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          {...(info.content_types ? { accept: info.content_types.join(',') } : {})}
          onChange={(event) => {
            sender.add([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
        <Button size="md" onClick={() => picker.current?.click()}>
          {text.choose}
        </Button>
      </section>
      {list.length > 0 ? (
        <ul className="link-sendings" aria-label={text.uploads}>
          {list.map((one) => (
            <Row key={one.id} one={one} sender={sender} />
          ))}
        </ul>
      ) : null}
      <p className="dim small">{text.private}</p>
    </div>
  )
}

const tones: Record<Sending['state'], Tone> = {
  waiting: 'idle',
  sending: 'note',
  sent: 'ok',
  failed: 'bad',
  cancelled: 'idle',
}

function Row({ one: { id, file, state, sent, note, again }, sender }: { one: Sending; sender: Sender }) {
  const percent = file.size === 0 ? 0 : Math.floor((sent / file.size) * 100)
  const running = state === 'waiting' || state === 'sending'
  return (
    <li>
      <div className="row">
        <span className="grow link-name">
          {file.name} <span className="dim small">{formatBytes(file.size)}</span>
        </span>
        <Status tone={tones[state]}>{state === 'sending' ? text.sending(percent) : text[state]}</Status>
        {running ? (
          <ActionIcon aria-label={text.cancel(file.name)} onClick={() => sender.cancel(id)}>
            <IconX size={16} />
          </ActionIcon>
        ) : null}
        {again && !running ? (
          <Button variant="default" onClick={() => sender.retry(id)}>
            {text.retry}
          </Button>
        ) : null}
      </div>
      {state === 'sending' ? <Progress value={percent} size={5} aria-label={text.progress(file.name)} /> : null}
      {note ? <p className={state === 'failed' ? 'bad small' : 'dim small'}>{note}</p> : null}
    </li>
  )
}
