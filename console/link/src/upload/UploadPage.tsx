import './upload.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ShareInfo } from '../api.ts'
import { By, Facts, Message } from '../Facts.tsx'
import { Icon } from '../icons.tsx'
import { text } from '../language.ts'
import { formatBytes } from '../numbers.ts'
import { createSender, type Sender, type Sending } from './sender.ts'

/** The link's limits in words. */
function limitsOf({ max_file_bytes, max_total_bytes, max_files, content_types }: ShareInfo): string[] {
  const limits = [
    ...(max_files === null ? [] : [text.upTo(max_files)]),
    ...(max_file_bytes === null ? [] : [text.eachUpTo(formatBytes(max_file_bytes))]),
    ...(max_total_bytes === null ? [] : [text.allUpTo(formatBytes(max_total_bytes))]),
    ...(content_types === null ? [] : [text.ofTypes(content_types.join(', '))]),
  ]
  return limits.length === 0 ? [text.anything] : limits
}

/** An upload link: visitors add files and see nothing of what is there. */
export function UploadPage({ info }: { info: ShareInfo }) {
  const [sender] = useState(() => createSender(info))
  const [list, setList] = useState(sender.list)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => sender.subscribe(() => setList(sender.list())), [sender])
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent) => {
      if (sender.busy()) event.preventDefault()
    }
    addEventListener('beforeunload', stay)
    return () => removeEventListener('beforeunload', stay)
  }, [sender])
  const done = list.some(({ state }) => state === 'sent') && list.every(({ state }) => state === 'sent')
  return (
    <div class="stack">
      <div class="head">
        <Icon name="upload" size={30} class="dim" />
        <div class="grow">
          <By info={info} />
          <h1>{text.uploadTo(info.name ?? '')}</h1>
          <Facts info={info} facts={limitsOf(info)} />
        </div>
      </div>
      <Message info={info} />
      <section
        class="drop"
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
          sender.add([...(event.dataTransfer?.files ?? [])])
        }}
      >
        <Icon name="upload" size={30} class="dim" />
        <p class="drop-words">{text.drop}</p>
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
        <button type="button" class="button" onClick={() => picker.current?.click()}>
          {text.choose}
        </button>
      </section>
      <div role="status">{done ? <p class="note ok">{text.allSent}</p> : null}</div>
      {list.length > 0 ? (
        <ul class="sendings" aria-label={text.uploads}>
          {list.map((one) => (
            <Row key={one.id} one={one} sender={sender} />
          ))}
        </ul>
      ) : null}
      <p class="dim small">{text.private}</p>
    </div>
  )
}

const tones = { waiting: 'dim', sending: 'dim', sent: 'ok', failed: 'bad', cancelled: 'dim' } as const

function Row({ one: { id, file, state, sent, note, again }, sender }: { one: Sending; sender: Sender }) {
  const percent = file.size === 0 ? 0 : Math.floor((sent / file.size) * 100)
  const running = state === 'waiting' || state === 'sending'
  return (
    <li>
      <div class="row">
        <span class="grow name">
          {file.name} <span class="dim small">{formatBytes(file.size)}</span>
        </span>
        <span class={tones[state]}>{state === 'sending' ? text.sending(percent) : text[state]}</span>
        {running ? (
          <button type="button" class="icon" aria-label={text.cancel(file.name)} onClick={() => sender.cancel(id)}>
            <Icon name="close" size={16} />
          </button>
        ) : null}
        {again && !running ? (
          <button type="button" class="button plain" onClick={() => sender.retry(id)}>
            {text.again}
          </button>
        ) : null}
      </div>
      {state === 'sending' ? <progress value={percent} max={100} aria-label={text.progress(file.name)} /> : null}
      {note ? <p class={state === 'failed' ? 'bad small' : 'dim small'}>{note}</p> : null}
    </li>
  )
}
