import { Button, Modal, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { isKeyText } from '../../../../contract/names.ts'
import { codeOf } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { hasEmptyName, legible, nameOf, parentOf } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { offerUndo } from '../../ui/undo.ts'
import { refreshObjects } from './background.tsx'
import { rename, type Target } from './bulk.tsx'
import type { Row } from './listing.ts'
import { text } from './messages.ts'

interface AskProps {
  title: string
  label: string
  hint?: string
  initial: string
  action: string
  isName: (name: string) => boolean
  /** Returns the error, or undefined on success. */
  send: (name: string) => Promise<string | undefined>
  onClose: () => void
}

/** How long a name is without its ending: `.gitignore` has none. */
const stemOf = (name: string): number => {
  const dot = name.lastIndexOf('.')
  return dot > name.lastIndexOf('/') + 1 ? dot : name.length
}

function AskName({ title, label, hint, initial, action, isName, send, onClose }: AskProps) {
  const [name, setName] = useState(initial)
  const [fault, setFault] = useState<string>()
  const [sending, setSending] = useState(false)
  const isSelected = useRef(false)
  const submit = async () => {
    if (name === '') return setFault(common.required)
    if (name === initial) return onClose()
    if (!isName(name)) return setFault(text.badName)
    // What others have named so keeps its name.
    if (hasEmptyName(name) && !hasEmptyName(initial)) return setFault(text.emptyName)
    setSending(true)
    try {
      const found = await send(name)
      if (found === undefined) return onClose()
      setFault(found)
    } catch (error) {
      notify.problem(error)
    }
    setSending(false)
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextInput
          label={label}
          description={hint}
          value={name}
          error={fault}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setFault(undefined)
          }}
          data-autofocus
          onFocus={({ currentTarget }) => {
            if (!isSelected.current) currentTarget.setSelectionRange(0, stemOf(initial))
            isSelected.current = true
          }}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={sending}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** Whether a prefix has objects. */
async function isTaken(bucket: string, prefix: string): Promise<boolean> {
  const { items } = await client.listObjects({ params: { bucket }, query: { prefix, limit: 1 } })
  return items.length > 0
}

/** Removes a new folder again, if nothing is in it. */
async function removeFolder(bucket: string, key: string): Promise<void> {
  const { items } = await client.listObjects({ params: { bucket }, query: { prefix: key, limit: 2 } })
  if (items.length !== 1 || items[0]?.key !== key) return notify.failure(common.notUndone, common.changedSince)
  await client.deleteObjectByQuery({ params: { bucket }, query: { key } })
  notify.note(text.folderRemoved(legible(nameOf(key, parentOf(key)))))
  await refreshObjects()
}

/**
 * A folder is only a prefix of keys. An empty object with the prefix as its key keeps an empty folder visible to
 * everyone; the folder's own listing leaves it out.
 */
export const NewFolder = ({
  bucket,
  prefix,
  onClose,
  onMade,
}: Target & { onClose: () => void; onMade: (prefix: string) => void }) => (
  <AskName
    title={text.newFolder}
    label={text.folderName}
    initial=""
    action={text.create}
    isName={(name) => isKeyText(`${prefix}${name}/`, 1)}
    send={async (name) => {
      const key = `${prefix}${name.replace(/\/+$/, '')}/`
      if (await isTaken(bucket, key)) return text.taken
      try {
        await client.putObjectByQuery({
          params: { bucket },
          query: { key },
          body: new Uint8Array(),
          headers: { 'if-none-match': '*', 'content-type': 'application/octet-stream' },
        })
      } catch (error) {
        if (codeOf(error) === 'precondition_failed') return text.taken
        throw error
      }
      offerUndo(
        () => void removeFolder(bucket, key).catch((error) => notify.problem(error)),
        () => undefined,
      )
      await refreshObjects()
      onMade(key)
      return undefined
    }}
    onClose={onClose}
  />
)

export function Rename({
  row,
  bucket,
  prefix,
  onClose,
  onRenamed,
}: Target & { row: Row; onClose: () => void; onRenamed: (key: string) => void }) {
  const old = row.object ? row.key.slice(prefix.length) : nameOf(row.key, prefix)
  return (
    <AskName
      title={text.renameTitle(legible(old))}
      label={text.newName}
      hint={row.object ? text.renameHint : text.renameFolderHint}
      initial={old}
      action={text.renameDo}
      isName={(name) => isKeyText(prefix + name, 1)}
      send={async (name) => {
        const clean = row.object ? name : name.replace(/\/+$/, '')
        if (!row.object && (await isTaken(bucket, `${prefix}${clean}/`))) return text.taken
        try {
          await rename({ bucket, prefix }, row, clean)
        } catch (error) {
          if (codeOf(error) === 'precondition_failed') return text.taken
          throw error
        }
        onRenamed(`${prefix}${clean}${row.object ? '' : '/'}`)
        return undefined
      }}
      onClose={onClose}
    />
  )
}
