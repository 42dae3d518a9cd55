import { ActionIcon, Button } from '@mantine/core'
import { IconArrowRight, IconCopy, IconDownload, IconShare3, IconTrash, IconX } from '@tabler/icons-react'
import { text } from './messages.ts'

export interface Deed {
  id: 'open' | 'preview' | 'download' | 'share' | 'copy' | 'move' | 'rename' | 'copyKey' | 'delete'
  label: string
  run: () => void
}
const icons = { download: IconDownload, share: IconShare3, copy: IconCopy, move: IconArrowRight, delete: IconTrash }

/** Takes the place of the filters while something is selected: what it is, and what can be done with it. */
export function SelectionBar({
  words,
  more,
  isReading,
  deeds,
  onClear,
}: {
  words: string
  /** Of what is selected, what the page has not read. */
  more: number
  isReading: boolean
  deeds: readonly Deed[]
  onClear: () => void
}) {
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
