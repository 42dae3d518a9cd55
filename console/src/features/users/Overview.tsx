import { Anchor, Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isEmail } from '../../../../contract/names.ts'
import type { User } from '../../../../contract/users.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { TimeAgo } from '../../ui/values.tsx'
import { groupsQuery, refreshPeople } from '../groups/queries.ts'
import { Invitation } from './Invitation.tsx'
import { text } from './messages.ts'
import { NewPassword } from './NewPassword.tsx'
import { Source, State } from './parts.tsx'
import { mayWith } from './queries.ts'

/** A user's profile and sign-in methods. */
export function Overview({ user }: { user: User }) {
  const me = useMe()
  const { data: groups = [] } = useQuery(groupsQuery)
  const may = mayWith(me, user, groups)
  return (
    <div className="users-columns">
      <section className="card users-card" aria-label={text.facts}>
        <h2>{text.facts}</h2>
        <dl className="facts">
          <dt>{text.state}</dt>
          <dd>
            <State user={user} />
          </dd>
          <dt>{text.source}</dt>
          <dd>
            <Source user={user} />
          </dd>
          <dt>{text.created}</dt>
          <dd>
            <TimeAgo time={user.created_at} />
          </dd>
          <dt>{text.lastLogin}</dt>
          <dd>
            <TimeAgo time={user.last_login_at} />
          </dd>
        </dl>
      </section>
      {may.touch ? (
        <>
          <Profile key={`${user.email} ${user.display_name}`} user={user} mayRename={may.takeOver} />
          <section className="card users-card" aria-label={text.signingIn}>
            <h2>{text.signingIn}</h2>
            <Password user={user} own={may.own} mayChange={may.takeOver} />
            {user.has_password || user.has_second_factor ? (
              <TwoStep user={user} own={may.own} mayReset={may.takeOver} />
            ) : null}
            {may.tie ? <Identity user={user} /> : null}
          </section>
        </>
      ) : null}
    </div>
  )
}

function Profile({ user, mayRename }: { user: User; mayRename: boolean }) {
  const cache = useQueryClient()
  const form = useForm({ email: user.email, display_name: user.display_name })
  const { email, display_name } = form.values
  const dirty = email !== user.email || display_name !== user.display_name
  useLeaveGuard(dirty && !form.sending, { tabs: true })
  const save = async () => {
    const body = {
      ...(email === user.email ? {} : { email: email.trim() }),
      ...(display_name === user.display_name ? {} : { display_name }),
    }
    if (!(await form.submit(() => client.updateUser({ params: { id: user.id }, body }), { already_exists: 'email' })))
      return
    notify.ok(text.saved(email))
    await refreshPeople(cache)
  }
  return (
    <form
      className="card users-card"
      aria-label={text.profile}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!dirty) return
        const isComplete = form.check({
          display_name: display_name.trim() === '' && common.required,
          email: email.trim() === '' ? common.required : !isEmail(email.trim()) && common.badEmail,
        })
        if (isComplete) void save()
      }}
    >
      <h2>{text.profile}</h2>
      <TextInput {...form.field('display_name')} label={text.name} maxLength={200} autoComplete="off" />
      <TextInput
        {...form.field('email')}
        type="email"
        label={text.email}
        description={mayRename ? undefined : text.cannotTakeOver}
        readOnly={!mayRename}
        maxLength={320}
        autoComplete="off"
      />
      <div className="dialog-actions">
        <Button variant="default" disabled={!dirty} onClick={form.reset}>
          {common.discard}
        </Button>
        <Button type="submit" loading={form.sending} disabled={!dirty}>
          {common.save}
        </Button>
      </div>
    </form>
  )
}

/** Sets, changes and removes a password. Users change their own on the account page, with the current one. */
function Password({ user, own, mayChange }: { user: User; own: boolean; mayChange: boolean }) {
  const cache = useQueryClient()
  const [editing, setEditing] = useState(false)
  const form = useForm({ password: '' })
  const [mustChange, setMustChange] = useState(!own)
  const { id, email, has_password, must_change_password } = user
  const save = async () => {
    const body = { password: form.values.password, must_change_password: mustChange }
    if (!(await form.submit(() => client.updateUser({ params: { id }, body })))) return
    form.reset()
    setEditing(false)
    notify.ok(text.passwordChanged)
    await refreshPeople(cache)
  }
  const remove = async () => {
    const question = {
      title: text.removePasswordTitle(email),
      children: text.removePasswordHint,
      action: text.removePassword,
    }
    if (!(await confirm(question))) return
    try {
      await client.updateUser({ params: { id }, body: { password: null } })
      notify.ok(text.passwordRemoved)
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <div className="stack-tight">
      <h3>{text.password}</h3>
      <p className="dim">
        {must_change_password ? text.passwordMustChange : has_password ? text.passwordSet : text.passwordNone}
      </p>
      {mayChange ? null : <p className="dim">{text.cannotTakeOver}</p>}
      {own && has_password ? (
        <p className="dim">
          {text.ownPassword}{' '}
          <Anchor component={Link} to="/account">
            {text.toAccount}
          </Anchor>
        </p>
      ) : null}
      {editing ? (
        <form
          className="stack-tight"
          onSubmit={(event) => {
            event.preventDefault()
            if (form.values.password !== '') void save()
          }}
        >
          <NewPassword
            field={form.field('password')}
            label={text.newPassword}
            description={text.newPasswordHint}
            mustChangeLabel={text.mustChangeNext}
            mustChange={mustChange}
            setPassword={(password) => form.set('password', password)}
            setMustChange={setMustChange}
            focused
          />
          <div className="dialog-actions">
            <Button
              variant="default"
              onClick={() => {
                form.reset()
                setEditing(false)
              }}
            >
              {common.cancel}
            </Button>
            <Button type="submit" loading={form.sending} disabled={form.values.password === ''}>
              {text.setPassword}
            </Button>
          </div>
        </form>
      ) : (
        <div className="row">
          {mayChange && !(own && has_password) ? (
            <Button variant="default" onClick={() => setEditing(true)}>
              {has_password ? text.changePassword : text.setPassword}
            </Button>
          ) : null}
          {mayChange && has_password ? (
            <Button variant="default" onClick={() => void remove()}>
              {text.removePassword}
            </Button>
          ) : null}
        </div>
      )}
      {mayChange && !has_password ? <Invitation user={user} /> : null}
    </div>
  )
}

/** Whether they have a second step, and its reset for those who have lost theirs. */
function TwoStep({ user, own, mayReset }: { user: User; own: boolean; mayReset: boolean }) {
  const cache = useQueryClient()
  const { id, email, has_second_factor } = user
  const reset = async () => {
    const question = {
      title: text.twoStepResetTitle(email),
      children: text.twoStepResetHint,
      action: text.twoStepReset,
    }
    if (!(await confirm(question))) return
    try {
      await client.resetSecondFactors({ params: { id } })
      notify.ok(text.twoStepWasReset(email))
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <div className="stack-tight">
      <h3>{text.twoStepTitle}</h3>
      <p className="dim">{has_second_factor ? text.twoStepSet : text.twoStepNone}</p>
      {own ? (
        <p className="dim">
          {text.twoStepOwn}{' '}
          <Anchor component={Link} to="/account">
            {text.toAccount}
          </Anchor>
        </p>
      ) : null}
      {has_second_factor && mayReset && !own ? (
        <div>
          <Button variant="default" onClick={() => void reset()}>
            {text.twoStepReset}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

/** Links an account to one at the identity provider. */
function Identity({ user }: { user: User }) {
  const cache = useQueryClient()
  const form = useForm({ idp_subject: '' })
  const { id, email, idp_subject } = user
  const tie = async () => {
    const body = { idp_subject: form.values.idp_subject.trim() }
    if (
      !(await form.submit(() => client.updateUser({ params: { id }, body }), {
        already_exists: 'idp_subject',
        conflict: 'idp_subject',
      }))
    )
      return
    form.reset()
    notify.ok(text.tied)
    await refreshPeople(cache)
  }
  const untie = async () => {
    if (!(await confirm({ title: text.untieTitle(email), children: text.untieHint, action: text.untie }))) return
    try {
      await client.updateUser({ params: { id }, body: { idp_subject: null } })
      notify.ok(text.untied)
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <div className="stack-tight">
      <h3>{text.identity}</h3>
      {idp_subject === null ? (
        <form
          className="stack-tight"
          onSubmit={(event) => {
            event.preventDefault()
            if (form.values.idp_subject.trim() !== '') void tie()
          }}
        >
          <p className="dim">{text.identityNone}</p>
          <TextInput
            {...form.field('idp_subject')}
            label={text.identitySubject}
            description={text.identityHint}
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
          />
          <div>
            <Button
              type="submit"
              variant="default"
              loading={form.sending}
              disabled={form.values.idp_subject.trim() === ''}
            >
              {text.tie}
            </Button>
          </div>
        </form>
      ) : (
        <>
          <p>
            <span className="dim">{text.identityTied}</span> <code className="mono">{idp_subject}</code>
          </p>
          <div>
            <Button variant="default" onClick={() => void untie()}>
              {text.untie}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
