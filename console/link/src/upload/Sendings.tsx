import { legible } from '../../../../contract/legible.ts'
import { Icon } from '../icons.tsx'
import { text } from '../language.ts'
import { formatBytes } from '../numbers.ts'
import { isInParts, isUnderWay, type Queue, type Sending } from './queue.ts'

/** Once nothing is under way: whether everything was sent. */
export function Outcome({ list }: { list: readonly Sending[] }) {
  const count = (state: Sending['state']) => list.filter((one) => one.state === state).length
  const [sent, failed] = [count('sent'), count('failed')]
  const isOver = list.length > 0 && !list.some((one) => isUnderWay(one) || one.state === 'paused') && sent + failed > 0
  return (
    <div role="status">
      {!isOver ? null : failed > 0 ? (
        <p class="note bad">{text.someSent(sent, failed)}</p>
      ) : (
        <p class="note ok row">
          <Icon name="check" class="ok" />
          {text.allSent(sent)}
        </p>
      )}
    </div>
  )
}

/** The files, each with how far it is. */
export const Sendings = ({ queue }: { queue: Queue }) =>
  queue.list().length === 0 ? null : (
    <ul class="sendings" aria-label={text.uploads}>
      {queue.list().map((one) => (
        <Row key={one.id} one={one} queue={queue} />
      ))}
    </ul>
  )

const tones = { waiting: 'dim', sending: 'dim', paused: 'dim', sent: 'ok', failed: 'bad', cancelled: 'dim' } as const

function Row({ one, queue }: { one: Sending; queue: Queue }) {
  const { id, file, state, sent, note, again } = one
  const percent = file.size === 0 ? 0 : Math.floor((sent / file.size) * 100)
  const running = isUnderWay(one)
  const name = legible(file.name)
  return (
    <li>
      <div class="row">
        <span class="grow name">
          <bdi>{name}</bdi> <span class="dim small">{formatBytes(file.size)}</span>
        </span>
        <span class={tones[state]}>{state === 'sending' ? text.sending(percent) : text[state]}</span>
        {isInParts(file) && state === 'sending' ? (
          <button type="button" class="button plain slim" onClick={() => queue.pause(id)}>
            {text.pause}
          </button>
        ) : null}
        {again && !running ? (
          <button type="button" class="button plain slim" onClick={() => queue.retry(id)}>
            {state === 'paused' ? text.resume : text.again}
          </button>
        ) : null}
        {state === 'sent' ? null : (
          <button
            type="button"
            class="icon"
            aria-label={running ? text.cancel(name) : text.remove(name)}
            onClick={() => (running ? queue.cancel(id) : queue.remove(one))}
          >
            <Icon name="close" size={16} />
          </button>
        )}
      </div>
      {state === 'sending' || state === 'paused' ? (
        <>
          <progress value={percent} max={100} aria-label={text.progress(name)} />
          {isInParts(file) ? <p class="dim small">{text.bytesOf(formatBytes(sent), formatBytes(file.size))}</p> : null}
        </>
      ) : null}
      {note ? <p class={state === 'failed' ? 'bad small' : 'dim small'}>{note}</p> : null}
    </li>
  )
}

/** Uploads that a reload interrupted. A browser lets no page read a file again that was not chosen again. */
export const UnfinishedUploads = ({ queue }: { queue: Queue }) => {
  const all = queue.unfinished()
  return all.length === 0 ? null : (
    <section class="note" aria-label={text.unfinished}>
      <p>{text.unfinishedHint}</p>
      <ul class="sendings">
        {all.map((one) => (
          <li key={one.upload} class="row">
            <span class="grow name">
              <bdi>{legible(one.name)}</bdi> <span class="dim small">{formatBytes(one.size)}</span>
            </span>
            <button
              type="button"
              class="icon"
              aria-label={text.discard(legible(one.name))}
              onClick={() => queue.discard(one)}
            >
              <Icon name="close" size={16} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
