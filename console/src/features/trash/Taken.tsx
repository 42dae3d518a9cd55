import { Button, Modal } from '@mantine/core'
import type { TrashItem } from '../../../../contract/trash.ts'
import { text as common } from '../../ui/messages.ts'
import { text } from './messages.ts'

const SHOWN = 50

/** Names that stand in the way of a restore, and a way to restore what has none. */
export const Taken = ({
  taken,
  others,
  restore,
  onClose,
}: {
  taken: readonly TrashItem[]
  others: readonly TrashItem[]
  restore: () => void
  onClose: () => void
}) => (
  <Modal opened onClose={onClose} title={text.takenTitle(taken.length)}>
    <div className="stack">
      <p>{text.takenText}</p>
      <ul className="trash-named">
        {taken.slice(0, SHOWN).map(({ id, key }) => (
          <li key={id}>{key}</li>
        ))}
        {taken.length > SHOWN ? <li className="dim">{text.more(taken.length - SHOWN)}</li> : null}
      </ul>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {common.close}
        </Button>
        {others.length > 0 ? <Button onClick={restore}>{text.restoreOthers(others.length)}</Button> : null}
      </div>
    </div>
  </Modal>
)
