import { Button, Modal } from '@mantine/core'
import { formatBytes, formatCount } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import type { Choice, Item } from './engine/item.ts'
import { engine, useUploads } from './instance.ts'
import { text } from './messages.ts'

const SHOWN = 100
const choices: readonly { value: Choice; label: string }[] = [
  { value: 'replace', label: text.replace },
  { value: 'skip', label: text.skip },
  { value: 'both', label: text.both },
]

const columns: readonly Column<Item>[] = [
  { key: 'name', breaks: true, title: text.name, cell: ({ key }) => <bdi>{legible(key)}</bdi> },
  {
    key: 'there',
    title: text.there,
    cell: ({ clash }) =>
      clash?.size == null ? (
        <span className="dim">{text.unknown}</span>
      ) : (
        <span title={`${formatCount(clash.size)} B`}>
          {formatBytes(clash.size)}, <TimeAgo time={clash.modified} none={text.unknown} />
          {clash.identical ? <Status tone="ok">{text.identical}</Status> : null}
        </span>
      ),
  },
  {
    key: 'yours',
    title: text.yours,
    optional: true,
    cell: ({ size, modified }) => (
      <span title={`${formatCount(size)} B`}>
        {formatBytes(size)}, <TimeAgo time={new Date(modified).toISOString()} />
      </span>
    ),
  },
  {
    key: 'choice',
    title: text.choice,
    cell: (item) => (
      <span className="uploads-choices">
        {choices.map(({ value, label }) => (
          <Button
            key={value}
            variant="default"
            aria-label={`${label}: ${legible(item.key)}`}
            onClick={() => engine.decide(item, value)}
          >
            {label}
          </Button>
        ))}
      </span>
    ),
  },
]

/** Files that already exist: the existing and the new version, and what to do, one by one or for all. */
export function Conflicts({ onClose }: { onClose: () => void }) {
  const { counts } = useUploads()
  const all = counts.conflict
  const identical = [...engine.store.those('conflict')].filter(({ clash }) => clash?.identical).length
  const rows = engine.store.rows(SHOWN, engine.store.those('conflict'))
  return (
    <Modal opened onClose={onClose} title={text.conflictsTitle(all)} size="xl">
      <div className="stack">
        <p className="dim">{text.conflictsHint}</p>
        <ListTable label={text.conflictsTitle(all)} columns={columns} rows={rows} rowKey={({ id }) => id} />
        {all > SHOWN ? <p className="dim small">{text.shownFirst(SHOWN, all)}</p> : null}
        <div className="dialog-actions uploads-choices">
          <Button variant="subtle" onClick={onClose}>
            {text.later}
          </Button>
          {identical > 0 ? (
            <Button variant="default" onClick={() => engine.skipIdentical()}>
              {text.skipIdentical(identical)}
            </Button>
          ) : null}
          <span className="grow" />
          {all > 1 ? <span className="dim">{text.forAll(all)}</span> : null}
          {choices.map(({ value, label }) => (
            <Button key={value} variant="default" onClick={() => engine.decideAll(value)}>
              {label}
            </Button>
          ))}
        </div>
      </div>
    </Modal>
  )
}
