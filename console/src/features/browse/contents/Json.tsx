import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { objectText } from '../object-messages.ts'

/** How many members are shown at first, and how many more each time. */
const SHOWN = 200
/** Members up to this number are open at first, down to this depth. */
const OPEN_MEMBERS = 50
const OPEN_DEPTH = 2

/** A number as it was written: a double holds only some 16 digits. */
class Digits {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** A JSON text as a tree whose objects and arrays open and close. */
export default function Json({ words }: { words: string }) {
  const value = useMemo(() => read(words), [words])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className="contents-json" tabIndex={0} aria-label={objectText.form('json')}>
      <Value value={value} depth={0} />
    </section>
  )
}

const read = (words: string): unknown =>
  JSON.parse(words, function revive(_key: string, value: unknown, context?: { source?: string }) {
    const exact = typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
    return exact ? new Digits(context.source ?? '') : value
  } as (key: string, value: unknown) => unknown)

function Value({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const isParent = typeof value === 'object' && value !== null && !(value instanceof Digits)
  if (isParent) return <Parent {...(name === undefined ? {} : { name })} value={value} depth={depth} />
  return (
    <div className="json-leaf">
      {name === undefined ? null : <Name name={name} />}
      <Leaf value={value} />
    </div>
  )
}

const Name = ({ name }: { name: string }) => <span className="tone-name">{name}: </span>

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="tone-text">{JSON.stringify(value)}</span>
  if (value instanceof Digits) return <span className="tone-number">{value.source}</span>
  return <span className={typeof value === 'number' ? 'tone-number' : 'tone-word'}>{String(value)}</span>
}

function Parent({ name, value, depth }: { name?: string; value: object; depth: number }) {
  const members = Object.entries(value)
  const [isOpen, setOpen] = useState(depth === 0 || (depth <= OPEN_DEPTH && members.length <= OPEN_MEMBERS))
  const [shown, setShown] = useState(SHOWN)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name === undefined ? null : <Name name={name} />}
        <span className="dim">{objectText.members(members.length, Array.isArray(value))}</span>
      </summary>
      {isOpen ? (
        <div className="json-members">
          {members.slice(0, shown).map(([member, one]) => (
            <Value key={member} name={member} value={one} depth={depth + 1} />
          ))}
          {members.length > shown ? (
            <Button variant="subtle" onClick={() => setShown(shown + SHOWN)}>
              {objectText.moreMembers(Math.min(SHOWN, members.length - shown))}
            </Button>
          ) : null}
        </div>
      ) : null}
    </details>
  )
}
