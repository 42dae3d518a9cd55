import { useEffect, useRef, useState } from 'preact/hooks'
import { legible } from '../../../../contract/legible.ts'
import type { ShareInfo } from '../api.ts'
import { By, Facts, Message } from '../Facts.tsx'
import { Icon } from '../icons.tsx'
import { acceptedWords } from '../kinds.ts'
import { text } from '../language.ts'
import { formatBytes } from '../numbers.ts'
import { createQueue } from './queue.ts'
import { SenderFields } from './SenderFields.tsx'
import { Outcome, Sendings, UnfinishedUploads } from './Sendings.tsx'
import './upload.css'

/** A link's limits in words. */
function limitsOf({ max_file_bytes, max_total_bytes, max_files, content_types }: ShareInfo): string[] {
  const limits = [
    ...(max_files === null ? [] : [text.upTo(max_files)]),
    ...(max_file_bytes === null ? [] : [text.eachUpTo(formatBytes(max_file_bytes))]),
    ...(max_total_bytes === null ? [] : [text.allUpTo(formatBytes(max_total_bytes))]),
    ...(content_types === null ? [] : [text.ofTypes(acceptedWords(content_types))]),
  ]
  return limits.length === 0 ? [text.anything] : limits
}

/** An upload link: visitors add files and see nothing of what is there. */
export function UploadPage({ info }: { info: ShareInfo }) {
  const [queue] = useState(() => createQueue(info))
  const [, redraw] = useState(0)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => queue.subscribe(() => redraw((n) => n + 1)), [queue])
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent) => {
      if (queue.busy()) event.preventDefault()
    }
    addEventListener('beforeunload', stay)
    return () => removeEventListener('beforeunload', stay)
  }, [queue])
  return (
    <div class="stack">
      <div class="head">
        <Icon name="upload" size={30} class="dim" />
        <div class="grow">
          <By info={info} />
          <h1>{text.uploadTo(legible(info.name ?? ''))}</h1>
          <Facts info={info} facts={limitsOf(info)} />
        </div>
      </div>
      <Message info={info} />
      <SenderFields onChange={queue.introduce} />
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
          queue.add([...(event.dataTransfer?.files ?? [])])
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
            queue.add([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
        <button type="button" class="button" onClick={() => picker.current?.click()}>
          {text.choose}
        </button>
      </section>
      <UnfinishedUploads queue={queue} />
      <Outcome list={queue.list()} />
      <Sendings queue={queue} />
      <p class="dim small">{text.private}</p>
    </div>
  )
}
