import { Button, Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent } from '../../../../contract/agents.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { localValue } from '../../ui/ExpiryField.tsx'
import { MomentField } from '../../ui/MomentField.tsx'
import { text as common } from '../../ui/messages.ts'
import { GoBack } from '../history/GoBack.tsx'
import { text } from './messages.ts'

/** Whether an entry of a scope is about a bucket. */
const isAbout = (pattern: string, bucket: string): boolean =>
  pattern.endsWith('*') ? bucket.startsWith(pattern.slice(0, -1)) : pattern === bucket

/** Takes back what an agent did in a bucket: since when is asked, then what would happen is shown. */
export function UndoAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const all = useQuery(bucketsQuery)
  const buckets = (all.data ?? [])
    .map(({ name }) => name)
    .filter((name) => agent.scope.some((entry) => isAbout(entry.bucket, name)))
  const [chosen, setChosen] = useState<string>()
  const [since, setSince] = useState(localValue(new Date(agent.created_at)))
  const [asked, setAsked] = useState(false)
  const bucket = chosen ?? buckets[0]
  const time = new Date(since)
  const isWhole = bucket !== undefined && Number.isFinite(time.getTime()) && time.getTime() <= Date.now()
  if (asked && isWhole) {
    const suspect = { id: agent.id, by: { agent: agent.id }, user: null, means: '', name: text.means(agent.name) }
    return (
      <GoBack
        bucket={bucket}
        prefix=""
        to={time.toISOString()}
        suspects={[suspect]}
        only={agent.id}
        onClose={onClose}
      />
    )
  }
  return (
    <Modal opened onClose={onClose} title={text.undoTitle}>
      <div className="stack">
        <p>{text.undoText}</p>
        <Select
          label={text.bucket}
          data={buckets}
          value={bucket ?? null}
          onChange={(value) => setChosen(value ?? undefined)}
          allowDeselect={false}
        />
        <MomentField
          label={text.since}
          value={since}
          max={localValue(new Date())}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button disabled={!isWhole} onClick={() => setAsked(true)}>
            {text.next}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
