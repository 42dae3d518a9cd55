import { Button, Modal } from '@mantine/core'
import type { OnConflict, TrashItem } from '../../../../contract/trash.ts'
import { useMe } from '../../api/queries.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { text } from './messages.ts'

const SHOWN = 50

/** Which items to restore, and how to handle existing objects. */
export type Answer = (onConflict: OnConflict, items: readonly TrashItem[]) => void

/** Asks how to handle existing objects with the same names; one answer for all. */
export function Taken({
  bucket,
  asked,
  taken,
  keepsTrash,
  answer,
  onClose,
}: {
  bucket: string
  /** All items to restore, latest first. */
  asked: readonly TrashItem[]
  /** Those whose names are in use. */
  taken: readonly TrashItem[]
  keepsTrash: boolean
  answer: Answer
  onClose: () => void
}) {
  const me = useMe()
  const names = [...new Set(taken.map(({ key }) => key))]
  const others = asked.filter(({ key }) => !names.includes(key))
  // The first item of each key, since a key holds one object.
  const latest = [...new Map(asked.toReversed().map((item) => [item.key, item])).values()].toReversed()
  const mayReplace = keepsTrash || names.every((key) => me.can('delete', bucket, key) && me.can('manage', bucket, key))
  return (
    <Modal opened onClose={onClose} title={text.takenTitle(names.length)} size="lg">
      <div className="stack">
        <p>{text.takenText}</p>
        <ul className="trash-named">
          {names.slice(0, SHOWN).map((key) => (
            <li key={key}>{legible(key)}</li>
          ))}
          {names.length > SHOWN ? <li className="dim">{text.more(names.length - SHOWN)}</li> : null}
        </ul>
        <dl className="trash-choices">
          <dt>{text.replace}</dt>
          {mayReplace ? (
            <dd className={keepsTrash ? undefined : 'bad'}>
              {keepsTrash ? text.replaceToTrash : text.replaceForGood}
              {latest.length < asked.length ? ` ${text.replaceLatest}` : ''}
            </dd>
          ) : (
            <dd>{text.replaceDenied}</dd>
          )}
          <dt>{text.keepBoth}</dt>
          <dd>{text.keepBothHint}</dd>
        </dl>
        <div className="dialog-actions trash-answers">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          {others.length > 0 ? (
            <Button variant="default" onClick={() => answer('fail', others)}>
              {text.restoreOthers(others.length)}
            </Button>
          ) : null}
          <Button variant="default" onClick={() => answer('keep_both', asked)} data-autofocus>
            {text.keepBoth}
          </Button>
          {mayReplace ? (
            <Button color={keepsTrash ? 'teal' : 'danger'} onClick={() => answer('replace', latest)}>
              {text.replace}
            </Button>
          ) : null}
        </div>
      </div>
    </Modal>
  )
}
