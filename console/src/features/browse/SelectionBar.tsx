import { ActionIcon, Button } from '@mantine/core'
import { IconArrowRight, IconCopy, IconDownload, IconShare3, IconTag, IconTrash, IconX } from '@tabler/icons-react'
import { type Deed, useKeyOf } from './deed.ts'
import { text } from './messages.ts'

const icons = {
  download: IconDownload,
  share: IconShare3,
  copy: IconCopy,
  move: IconArrowRight,
  tag: IconTag,
  delete: IconTrash,
}

/** Replaces the filter bar while something is selected: shows the selection and its actions. */
export function SelectionBar({
  words,
  more,
  isReading,
  deeds,
  onClear,
}: {
  words: string
  /** How much of the selection is not loaded. */
  more: number
  isReading: boolean
  deeds: readonly Deed[]
  onClear: () => void
}) {
  const keyOf = useKeyOf()
  return (
    <div className="browse-bar browse-selected">
      <ActionIcon aria-label={text.clearSelection} onClick={onClear}>
        <IconX size={16} />
      </ActionIcon>
      <strong role="status">{isReading ? text.selecting : words}</strong>
      {more > 0 && !isReading ? <span className="dim optional">{text.notLoaded(more)}</span> : null}
      <span className="grow" />
      {deeds.map(({ id, label, run }) => {
        const Icon = icons[id as keyof typeof icons]
        return Icon ? (
          <Button
            key={id}
            variant="subtle"
            color={id === 'delete' ? 'danger' : 'teal'}
            leftSection={<Icon size={15} />}
            aria-keyshortcuts={keyOf(id)}
            onClick={run}
            disabled={isReading}
          >
            {label}
          </Button>
        ) : null
      })}
    </div>
  )
}
