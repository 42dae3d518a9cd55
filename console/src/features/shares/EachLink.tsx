import { Alert, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { codeOf, describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { legible } from '../../keys.ts'
import { confirm } from '../../ui/confirm.tsx'
import { copyText } from '../../ui/copy.ts'
import { csvOf, saveText } from '../../ui/csv.ts'
import { ExpiryField, expiresIn } from '../../ui/ExpiryField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { given, LimitFields, MessageField, NotifyField, said, termsOf, useNewLinkForm } from './limits.tsx'
import { text } from './messages.ts'
import { WhoMayOpen } from './WhoMayOpen.tsx'

const FAULTS_SHOWN = 5

type Body = Parameters<typeof client.bulkShare>[0]['body']
export type MadeLinks = Awaited<ReturnType<typeof client.bulkShare>>
/** The objects: these, or all that is found under a prefix. */
export type Each = Required<Pick<Body, 'keys'>> | (Required<Pick<Body, 'prefix'>> & Pick<Body, 'query' | 'exclude'>)

/** Whether the links may be left: asks while they were neither saved nor copied. */
export const mayLeave = async (isTaken: boolean): Promise<boolean> =>
  isTaken || (await confirm({ title: text.eachLeaveTitle, children: text.eachLeaveText, action: text.eachLeaveAction }))

/** The form for a link to each of many objects. */
export function NewEach({
  bucket,
  each,
  onMade,
  onClose,
}: {
  bucket: string
  each: Each
  onMade: (made: MadeLinks) => void
  onClose: () => void
}) {
  const cache = useQueryClient()
  const { form, lengths } = useNewLinkForm({})
  const { values, faults } = form
  const plan = useQuery({
    queryKey: ['shares', 'dry', bucket, each],
    queryFn: () => client.bulkShare({ params: { bucket }, body: { ...each, dry_run: true } }),
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const create = async () => {
    const length = expiresIn(values.expires_in)
    if (length === undefined) return
    let made: MadeLinks | undefined
    const done = await form.submit(async () => {
      made = await client.bulkShare({
        params: { bucket },
        body: {
          ...each,
          expires_in: length,
          ...termsOf(values),
          ...said({ max_downloads: given(values.max_downloads) }),
        },
      })
    })
    if (!done || !made) return
    onMade(made)
    await cache.invalidateQueries({ queryKey: ['shares'] })
  }
  const total = plan.data?.total
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      {plan.error ? (
        <Alert role="alert" color="danger" className="alert-bad" title={describeProblem(plan.error).title}>
          {codeOf(plan.error) === 'limit_reached' ? text.eachTooMany : describeProblem(plan.error).detail}
        </Alert>
      ) : (
        <p className="dim" role="status">
          {total === undefined ? text.eachCounting : text.eachCount(total)}
        </p>
      )}
      <ExpiryField
        label={text.expires}
        lengths={lengths}
        value={values.expires_in}
        onChange={(next) => form.set('expires_in', next)}
        error={faults.expires_in}
      />
      <LimitFields values={values} faults={faults} set={form.set} kind="object" />
      <MessageField
        value={values.message}
        error={faults.message}
        onChange={(message) => form.set('message', message)}
      />
      <NotifyField value={values.notify} onChange={(tells) => form.set('notify', tells)} />
      <WhoMayOpen kind="object" hasPassword={values.password !== ''} />
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={form.sending} disabled={!total || expiresIn(values.expires_in) === undefined}>
          {text.createEach}
        </Button>
      </div>
    </form>
  )
}

/** The links that were created: to be saved, or revoked again. */
export function MadeEach({
  bucket,
  made,
  isTaken,
  onTaken,
  onLeave,
  onUndone,
}: {
  bucket: string
  made: MadeLinks
  /** They were saved or copied. */
  isTaken: boolean
  onTaken: () => void
  onLeave: () => void
  /** They were revoked again. */
  onUndone: () => void
}) {
  const cache = useQueryClient()
  const [undoing, setUndoing] = useState(false)
  const { items, errors } = made
  useLeaveGuard(items.length > 0 && !isTaken)
  const save = () => {
    const rows = items.map((one) => [one.key, one.page_url, one.url, one.expires_at ?? '', one.id])
    saveText('links.csv', 'text/csv', csvOf(['key', 'page_url', 'url', 'expires_at', 'id'], rows))
    onTaken()
  }
  const copy = async () => {
    if (!(await copyText(items.map(({ page_url }) => page_url).join('\n')))) return
    notify.note(text.eachCopied)
    onTaken()
  }
  const undo = async () => {
    setUndoing(true)
    try {
      const ids = items.map(({ id }) => id)
      const { revoked } = await client.bulkUnshare({ params: { bucket }, body: { ids } })
      notify.ok(text.eachUndone(revoked.length))
      onUndone()
    } catch (error) {
      notify.problem(error)
      setUndoing(false)
    }
    await cache.invalidateQueries({ queryKey: ['shares'] })
  }
  return (
    <div className="stack">
      {items.length > 0 ? (
        <Alert title={text.eachMade(items.length)} role="status">
          {text.eachHint}
        </Alert>
      ) : null}
      {errors.length > 0 ? (
        <Alert role="alert" color="danger" className="alert-bad" title={text.eachFailed(errors.length)}>
          <ul>
            {errors.slice(0, FAULTS_SHOWN).map(({ key, detail }) => (
              <li key={key}>{`${legible(key)}: ${detail}`}</li>
            ))}
            {errors.length > FAULTS_SHOWN ? <li>{text.eachMore(errors.length - FAULTS_SHOWN)}</li> : null}
          </ul>
        </Alert>
      ) : null}
      {items.length > 0 ? (
        <div className="row">
          <Button variant="default" onClick={() => void copy()}>
            {text.eachCopy}
          </Button>
          <Button variant={isTaken ? 'default' : 'filled'} onClick={save}>
            {text.eachSave}
          </Button>
        </div>
      ) : null}
      <div className="dialog-actions">
        {items.length > 0 ? (
          <Button variant="default" loading={undoing} onClick={() => void undo()}>
            {common.undo}
          </Button>
        ) : null}
        <Button variant={isTaken || items.length === 0 ? 'filled' : 'default'} onClick={onLeave}>
          {text.done}
        </Button>
      </div>
    </div>
  )
}
