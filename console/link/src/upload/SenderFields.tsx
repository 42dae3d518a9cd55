import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { text } from '../language.ts'
import { keepName, knownName, type Sender } from './sender.ts'

/** Who sends the files, and what they say about them; both may stay empty. */
export function SenderFields({ onChange }: { onChange: (sender: Sender) => void }) {
  const [sender, setSender] = useState<Sender>(() => ({ name: knownName(), message: '' }))
  // Whoever chooses files right after typing has not seen this drawn again yet.
  const latest = useRef(sender)
  useLayoutEffect(() => onChange(latest.current), [onChange])
  const change = (part: Partial<Sender>) => {
    latest.current = { ...latest.current, ...part }
    setSender(latest.current)
    onChange(latest.current)
  }
  return (
    <div class="who">
      <div class="field">
        <label for="sender-name">
          {text.yourName} <span class="dim">{text.optional}</span>
        </label>
        <input
          id="sender-name"
          autocomplete="name"
          maxLength={100}
          value={sender.name}
          onInput={({ currentTarget: { value: name } }) => {
            keepName(name)
            change({ name })
          }}
        />
      </div>
      <div class="field">
        <label for="sender-message">
          {text.yourMessage} <span class="dim">{text.optional}</span>
        </label>
        <input
          id="sender-message"
          autocomplete="off"
          maxLength={500}
          value={sender.message}
          onInput={({ currentTarget: { value: message } }) => change({ message })}
        />
      </div>
    </div>
  )
}
