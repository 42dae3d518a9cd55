import { Alert, Button, Checkbox } from '@mantine/core'
import { IconMinus, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../contract/groups.ts'
import { bucketActions, type GlobalRight } from '../../../../contract/permissions.ts'
import { publicActions } from '../../../../contract/public-access.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { placeWords } from '../../keys.ts'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { undoSave } from '../../ui/undoSave.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { type Change, changesOf, type Draft, draftOf, faultsOfRows, grantsOf, lossOf, newRow } from './changes.ts'
import { GrantRows } from './GrantRows.tsx'
import { text } from './messages.ts'
import { groupsQuery, refreshPeople } from './queries.ts'

const words = ({ right, at }: Change): string =>
  at === null ? text.gainsGlobal(right) : text.gains(right, placeWords(at.bucket_pattern, at.prefix))
const same = (a: Group, b: Group) =>
  JSON.stringify([a.global, a.grants.map(({ id: _, ...grant }) => grant)]) ===
  JSON.stringify([b.global, b.grants.map(({ id: _, ...grant }) => grant)])

/** A group's permissions, and the effect of a change before it is saved. */
export function Permissions({ group }: { group: Group }) {
  const me = useMe()
  const cache = useQueryClient()
  /** The version the draft started from. */
  const [base, setBase] = useState(group)
  const [draft, setDraft] = useState<Draft>(() => draftOf(group))
  const [sending, setSending] = useState(false)
  const [outdated, setOutdated] = useState(false)
  const groups = useQuery({ ...groupsQuery, enabled: me.isAdmin })
  const buckets = useQuery({ ...bucketsQuery, enabled: me.isAdmin })
  const changes = changesOf(base, draft)
  const faults = faultsOfRows(draft)
  const touched = changes.length > 0 || draft.rows.length !== base.grants.length
  useLeaveGuard(touched && !sending, { tabs: true })

  const begin = (from: Group) => {
    setBase(from)
    setDraft(draftOf(from))
    setOutdated(false)
  }
  // Takes over another user's change as long as nothing of ours is lost.
  if (!touched && !same(base, group)) begin(group)

  const mine = (groups.data ?? []).filter(({ id }) => me.groups.some((one) => one.id === id))
  const after = mine.map((one) =>
    one.id === group.id ? { ...one, global: draft.global, grants: asGrants(draft) } : one,
  )
  const loss = mine.some(({ id }) => id === group.id) ? lossOf(mine, after) : []
  const save = async () => {
    if (loss.length > 0) {
      const yes = await confirm({ title: text.ownLoss, children: <Loss loss={loss} />, action: text.saveAnyway })
      if (!yes) return
    }
    setSending(true)
    try {
      const now = await client.getGroup({ params: { id: group.id } })
      if (!same(now, base)) return setOutdated(true)
      const saved = await client.updateGroup({
        params: { id: group.id },
        body: { global: draft.global, grants: grantsOf(draft) },
      })
      begin(saved)
      cache.setQueryData(['group', group.id], saved)
      const parts = ({ global, grants }: Group) => ({ global, grants: grantsOf(draftOf({ ...group, global, grants })) })
      const read = async () => parts(await client.getGroup({ params: { id: group.id } }))
      const write = async (body: ReturnType<typeof parts>) => {
        cache.setQueryData(['group', group.id], await client.updateGroup({ params: { id: group.id }, body }))
        await refreshPeople(cache)
      }
      notify.ok(text.savedPermissions, undoSave({ saved: parts(saved), before: parts(base), read, write }))
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    } finally {
      setSending(false)
    }
  }
  const setGlobal = (right: GlobalRight, on: boolean) =>
    setDraft({ ...draft, global: on ? [...draft.global, right] : draft.global.filter((one) => one !== right) })
  const readOnly = !me.isAdmin

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (changes.length > 0 && faults.size === 0) void save()
      }}
    >
      {readOnly ? <Alert>{text.readOnly}</Alert> : null}
      {group.public ? null : (
        <fieldset className="card groups-set">
          <legend>{text.globalTitle}</legend>
          <Checkbox
            label={text.globalAdmin}
            description={text.globalAdminHint}
            checked={draft.global.includes('admin')}
            disabled={readOnly || group.builtin}
            onChange={(event) => setGlobal('admin', event.currentTarget.checked)}
          />
          <Checkbox
            label={text.globalUsers}
            description={text.globalUsersHint}
            checked={draft.global.includes('users.manage')}
            disabled={readOnly}
            onChange={(event) => setGlobal('users.manage', event.currentTarget.checked)}
          />
        </fieldset>
      )}
      <fieldset className="card groups-set">
        <legend>{text.grantsTitle}</legend>
        <p className="dim">{text.grantsHint}</p>
        {draft.rows.length === 0 ? <p className="dim">{text.noGrants}</p> : null}
        <GrantRows
          rows={draft.rows}
          faults={faults}
          buckets={(buckets.data ?? []).map(({ name }) => name)}
          actions={group.public ? publicActions : bucketActions}
          readOnly={readOnly}
          onChange={(rows) => setDraft({ ...draft, rows })}
        />
        {readOnly ? null : (
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={15} />}
              onClick={() => setDraft({ ...draft, rows: [...draft.rows, newRow()] })}
            >
              {text.addGrant}
            </Button>
          </div>
        )}
      </fieldset>
      {readOnly ? null : (
        <section className="card groups-changes" aria-label={text.changes}>
          <h2>{text.changes}</h2>
          <div aria-live="polite" className="stack-tight">
            {changes.length === 0 ? (
              <p className="dim">{text.noChanges}</p>
            ) : (
              <>
                <Changes changes={changes} />
                <p className="dim">{group.public ? text.reachesEveryone : text.reaches(group.member_count)}</p>
              </>
            )}
            {loss.length > 0 ? (
              <Alert title={text.ownLoss} className="alert-warn" role="alert">
                <Loss loss={loss} />
              </Alert>
            ) : null}
            {outdated ? (
              <Alert title={text.changedMeanwhile} className="alert-warn" role="alert">
                {text.changedMeanwhileHint}
              </Alert>
            ) : null}
          </div>
          <div className="dialog-actions">
            <Button variant="default" disabled={!touched} onClick={() => begin(group)}>
              {common.discard}
            </Button>
            <Button type="submit" loading={sending} disabled={changes.length === 0 || faults.size > 0}>
              {common.save}
            </Button>
          </div>
        </section>
      )}
    </form>
  )
}

const asGrants = (draft: Draft): Group['grants'] =>
  grantsOf(draft).map((grant, i) => ({ ...grant, id: String(i), preset: null }))

const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <ul className="groups-diff">
    {changes.map((change) => (
      <li key={`${change.kind} ${words(change)}`} className={change.kind === 'adds' ? 'ok' : 'bad'}>
        {change.kind === 'adds' ? <IconPlus size={14} aria-hidden /> : <IconMinus size={14} aria-hidden />}
        <span className="visually-hidden">{change.kind === 'adds' ? text.adds : text.takes} </span>
        {words(change)}
      </li>
    ))}
  </ul>
)

function Loss({ loss }: { loss: readonly Change[] }) {
  if (loss.some(({ right }) => right === 'admin')) return <p>{text.ownLossAll}</p>
  return (
    <div className="stack-tight">
      {loss.some(({ right }) => right === 'users.manage') ? <p>{text.ownLossUsers}</p> : null}
      <Changes changes={loss.filter(({ at }) => at !== null)} />
    </div>
  )
}
