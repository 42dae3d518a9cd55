import '@mantine/core/styles/Radio.css'
import { Checkbox, Radio } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { StateView } from '../../ui/StateView.tsx'
import { inFamilies } from './events.ts'
import { text } from './messages.ts'
import { eventsQuery } from './queries.ts'

/** All events (`*`), or selected ones by subject. */
export function EventPicker({
  value,
  onChange,
  error,
}: {
  value: readonly string[]
  onChange: (events: string[]) => void
  error?: string | undefined
}) {
  const events = useQuery(eventsQuery)
  const all = value.includes('*')
  const put = (names: readonly string[], on: boolean) =>
    onChange(on ? [...new Set([...value, ...names])] : value.filter((name) => !names.includes(name)))
  return (
    <section className="card stack" aria-label={text.which}>
      <Radio.Group
        label={<h2>{text.which}</h2>}
        value={all ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? ['*'] : [])}
        error={error}
      >
        <div className="stack-tight webhooks-choice">
          <Radio value="all" label={text.whichAll} />
          <Radio value="some" label={text.whichSome} />
        </div>
      </Radio.Group>
      {all ? null : (
        <StateView query={events}>
          {(found) => (
            <div className="webhooks-families">
              {inFamilies(found).map(({ name: family, events }) => {
                const names = events.map(({ name }) => name)
                const picked = names.filter((name) => value.includes(name)).length
                return (
                  <fieldset key={family} className="webhooks-family">
                    <legend className="visually-hidden">{family}</legend>
                    <Checkbox
                      label={family}
                      aria-label={text.allOf(family)}
                      className="webhooks-family-name"
                      checked={picked === names.length}
                      indeterminate={picked > 0 && picked < names.length}
                      onChange={(event) => put(names, event.currentTarget.checked)}
                    />
                    {events.map(({ name, summary }) => (
                      <Checkbox
                        key={name}
                        label={name}
                        title={summary}
                        checked={value.includes(name)}
                        onChange={(event) => put([name], event.currentTarget.checked)}
                      />
                    ))}
                  </fieldset>
                )
              })}
            </div>
          )}
        </StateView>
      )}
    </section>
  )
}
