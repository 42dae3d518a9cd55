import './preview.css'
import '@mantine/core/styles/Checkbox.css'
import { Button, Checkbox, Modal, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { TagChange } from '../../../../contract/jobs.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import type { beginJob } from '../jobs/begin.ts'
import { isOver } from '../jobs/describe.ts'
import { useDryRun } from '../jobs/useDryRun.ts'
import { begin, isAny, isFolder, jobsFor, type Picked } from './bulk.tsx'
import { Entries, entriesOf, pairsOf } from './Edit.tsx'
import { objectText } from './object-messages.ts'

type JobBody = Parameters<typeof beginJob>[0]

/** What was entered as a change; undefined for none. */
function changeOf(add: { [name: string]: string }, remove: readonly string[], only: boolean): TagChange | undefined {
  if (only) return { replace: add }
  const names = remove.filter((name) => !Object.hasOwn(add, name))
  const isAdding = Object.keys(add).length > 0
  if (!isAdding && names.length === 0) return undefined
  return { ...(isAdding && { add }), ...(names.length > 0 && { remove: names }) }
}

/** Changes the tags of what is selected: jobs do, which can be undone. */
export default function TagDialog({ picked, onClose }: { picked: Picked; onClose: () => void }) {
  const [entries, setEntries] = useState(() => entriesOf({ '': '' }))
  const [names, setNames] = useState('')
  const [only, setOnly] = useState(false)
  const [sending, setSending] = useState(false)
  const removed = [...new Set(names.split('\n').map((name) => name.trim()))].filter((name) => name !== '')
  const change = changeOf(pairsOf(entries), removed, only)
  const [jobs] = useState(() => jobsFor(picked, 'tag'))
  const [job] = jobs
  const isNamed = !picked.all && !picked.rows.some(isFolder)
  const save = async () => {
    if (!change) return
    setSending(true)
    try {
      const bodies = jobs.map((body) => ({ ...body, tags: change }))
      if (isAny(bodies)) await begin(bodies)
      onClose()
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={isNamed ? objectText.tagTitle(picked.count) : objectText.tagAllTitle}
      size="lg"
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Entries label={objectText.tagsToAdd} add={objectText.addTag} entries={entries} onChange={setEntries} />
        <Checkbox
          label={objectText.tagsOnly}
          checked={only}
          onChange={({ currentTarget: { checked } }) => setOnly(checked)}
        />
        {only ? null : (
          <Textarea
            label={objectText.tagsToRemove}
            description={objectText.tagNamesHint}
            value={names}
            autosize
            minRows={1}
            maxRows={6}
            onChange={({ currentTarget: { value } }) => setNames(value)}
          />
        )}
        {/* Once the jobs begin, nothing is counted any more. */}
        {isNamed || sending ? null : job && jobs.length === 1 ? (
          <Count body={job} />
        ) : (
          <p className="dim">{objectText.tagFolders}</p>
        )}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={sending} disabled={!change}>
            {objectText.changeTags}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** How many objects a job is about. */
function Count({ body }: { body: JobBody }) {
  const { job } = useDryRun({ ...body, tags: { replace: {} } })
  const count = job && isOver(job) ? job.total : null
  return (
    <p className="dim" role="status">
      {count === null ? objectText.tagCounting : objectText.tagCount(count)}
    </p>
  )
}
