import { Alert, Button, Loader, Modal, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { grantReaches } from '../../../../contract/permissions.ts'
import type { Policy, PolicyRun } from '../../../../contract/policies.ts'
import { bucketsQuery, type Fate, fateIn } from '../../api/buckets.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { text } from './messages.ts'
import { isOver, runQuery } from './queries.ts'

const TYPED_ABOVE = 1000
const NAMED = 5

/** What becomes of what a policy deletes, by its buckets as far as the user sees them. */
function Fates({ policy: { bucket_patterns, ...rule } }: { policy: Policy }) {
  const { data = [] } = useQuery(bucketsQuery)
  const reached = data.filter(({ name }) =>
    bucket_patterns.some((bucket_pattern) => grantReaches({ id: '', bucket_pattern, prefix: '', actions: [] }, name)),
  )
  const of = (fate: Fate) => reached.filter((bucket) => fateIn(bucket) === fate)
  const days = of('trash').map(({ trash_days }) => trash_days)
  const gone = of('gone').map(({ name }) => name)
  const deletesVersions = rule.noncurrent_days !== null || rule.keep_versions !== null || rule.expired_markers === true
  return (
    <>
      {days.length > 0 ? <p>{text.runToTrash(Math.min(...days), Math.max(...days))}</p> : null}
      {of('versions').length > 0 ? <p>{text.runToVersions(deletesVersions)}</p> : null}
      {gone.length > 0 ? <p className="bad">{text.runGone(gone.slice(0, NAMED), gone.length - NAMED)}</p> : null}
    </>
  )
}

/** Does a dry run, shows what would be deleted, and then deletes exactly that. */
export function RunNow({ policy, onClose, onBegun }: { policy: Policy; onClose: () => void; onBegun: () => void }) {
  const cache = useQueryClient()
  const { id, name } = policy
  const [dry, setDry] = useState<PolicyRun>()
  const [failure, setFailure] = useState<unknown>()
  const [word, setWord] = useState('')
  const [sending, setSending] = useState(false)
  const asked = useRef(false)
  useEffect(() => {
    if (asked.current) return
    asked.current = true
    client.runPolicy({ params: { id }, query: { dry_run: true } }).then(setDry, setFailure)
  }, [id])
  const latest = useQuery({ ...runQuery(id, dry?.id), enabled: dry !== undefined && !isOver(dry) })
  const run = latest.data ?? dry
  const done = run !== undefined && isOver(run) ? run : undefined
  const begin = async ({ id: of }: PolicyRun) => {
    setSending(true)
    try {
      await client.runPolicy({ params: { id }, query: { of } })
      notify.ok(text.begun)
      onBegun()
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
    await cache.invalidateQueries({ queryKey: ['policies'] })
  }
  const good = done?.status === 'succeeded' && done.matched > 0
  const needed = done !== undefined && done.matched > TYPED_ABOVE ? String(done.matched) : undefined
  return (
    <Modal opened onClose={onClose} title={text.runTitle(name)} size="lg">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (good && done && (needed === undefined || word === needed)) void begin(done)
        }}
      >
        {failure ? <ProblemView error={failure} /> : null}
        {!failure && !done ? (
          <p className="row" role="status">
            <Loader size="sm" /> {text.trying}
          </p>
        ) : null}
        {done && done.status !== 'succeeded' ? (
          <Alert className="alert-warn" role="status">
            {text.runStopped(done.reason ?? text[done.status])}
          </Alert>
        ) : null}
        {done?.status === 'succeeded' && done.matched === 0 ? <p>{text.runNothing}</p> : null}
        {good && done ? (
          <>
            <p>
              <strong>{text.runText(text.objects(done.matched), formatBytes(done.matched_bytes))}</strong>
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
            <ul className="policies-keys" tabIndex={0} aria-label={text.sample(done.sample.length)}>
              {done.sample.map((key) => (
                <li key={key}>{legible(key)}</li>
              ))}
            </ul>
            <Fates policy={policy} />
            <p className="dim small">{text.runExactly}</p>
            {needed === undefined ? null : (
              <TextInput
                label={text.typeCount(needed)}
                value={word}
                onChange={(event) => setWord(event.currentTarget.value)}
                inputMode="numeric"
                autoComplete="off"
              />
            )}
          </>
        ) : null}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {good ? common.cancel : common.close}
          </Button>
          {good && done ? (
            <Button type="submit" color="danger" loading={sending} disabled={needed !== undefined && word !== needed}>
              {text.runAction(text.objects(done.matched))}
            </Button>
          ) : null}
        </div>
      </form>
    </Modal>
  )
}
