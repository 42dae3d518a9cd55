import '@mantine/core/styles/Kbd.css'
import './shortcuts.css'
import { Kbd, Modal, Switch } from '@mantine/core'
import { setPreferences, usePreferences } from '../preferences.ts'
import { text } from './messages.ts'
import { useSheets } from './shortcuts.ts'

/** All shortcuts of the current page. */
export default function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const sheets = useSheets()
  const { shortcuts: areOn } = usePreferences()
  return (
    <Modal opened onClose={onClose} title={text.shortcuts} size="lg">
      <div className="stack">
        <Switch
          label={text.singleKeys}
          description={text.singleKeysHint}
          checked={areOn}
          onChange={(event) => setPreferences({ shortcuts: event.currentTarget.checked })}
        />
        {sheets
          .filter(({ shortcuts }) => shortcuts.length > 0)
          .map(({ title, shortcuts }) => (
            <section key={title} className="stack-tight">
              <h2>{title}</h2>
              <dl className="key-list">
                {shortcuts.map(({ keys, label }) => (
                  <div key={keys}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.split(' ').map((combination) => (
                        <span key={combination}>
                          {(combination === '+' ? ['+'] : combination.split('+')).map((key) => (
                            <Kbd key={key}>{key}</Kbd>
                          ))}
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </Modal>
  )
}
