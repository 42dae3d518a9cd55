import { useEffect, useState } from 'preact/hooks'
import { text } from '../language.ts'
import { keepName, knownName, type Sender } from './sender.ts'

/** Who sends the files, and what they say about them; both may stay empty. */
export function SenderFields({ onChange }: { onChange: (sender: Sender) => void }) {
  const [sender, setSender] = useState<Sender>(() => ({ name: knownName(), message: '' }))
  useEffect(() => onChange(sender), [sender, onChange])
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
            setSender({ ...sender, name })
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
          onInput={({ currentTarget: { value: message } }) => setSender({ ...sender, message })}
        />
      </div>
    </div>
  )
}
