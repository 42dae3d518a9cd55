import './agents.css'
import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Authorization } from '../../../../contract/oauth.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { AgentFields } from './AgentFields.tsx'
import { bodyOf, type Draft, draftFor } from './draft.ts'
import { text } from './messages.ts'
import { authorizationQuery } from './queries.ts'

/** What is wrong with a request, by its code of OAuth. */
const problems: { readonly [code: string]: string } = {
  invalid_client: text.unknownClient,
  invalid_redirect_uri: text.wrongRedirect,
  invalid_target: text.wrongTarget,
  rate_limited: text.tooMany,
}

/** A client of the MCP server asks for access: the user makes an agent for it, or does not. */
export default function Connect() {
  const { search } = useView()
  const { request, problem } = search
  return (
    <Page title={text.connectTitle}>
      {problem !== undefined || !request ? (
        <EmptyView title={text.notConnected}>{problems[problem ?? ''] ?? text.wrongRequest}</EmptyView>
      ) : (
        <Asked request={request} />
      )}
    </Page>
  )
}

function Asked({ request }: { request: string }) {
  const asked = useQuery(authorizationQuery(request))
  return <StateView query={asked}>{(data) => <Consent request={request} asked={data} />}</StateView>
}

function Consent({ request, asked }: { request: string; asked: Authorization }) {
  const form = useForm<Draft>(draftFor(asked.client_name))
  const [isAnswered, setAnswered] = useState(false)
  const agent = bodyOf(form.values)
  /** Applications are opened beside the page, which stays. */
  const leaveFor = (url: string) => {
    setAnswered(true)
    location.assign(url)
  }
  const connect = async () => {
    if (!agent) return
    let to: string | undefined
    const done = await form.submit(async () => {
      to = (await client.approveAuthorization({ body: { request, ...agent } })).redirect_to
    })
    if (done && to !== undefined) leaveFor(to)
  }
  if (isAnswered) return <p role="status">{text.answered}</p>
  return (
    <div className="stack agents-connect">
      <section className="card stack" aria-label={asked.client_name}>
        <p>{text.wants(asked.client_name)}</p>
        <dl className="facts">
          {asked.client_host === null ? null : (
            <>
              <dt>{text.describedAt}</dt>
              <dd>{asked.client_host}</dd>
            </>
          )}
          <dt>{text.answerTo}</dt>
          <dd>{asked.on_this_machine ? text.thisMachine(asked.redirect_host) : asked.redirect_host}</dd>
        </dl>
        {asked.client_host === null ? <Alert className="alert-warn">{text.unconfirmed}</Alert> : null}
      </section>
      <p className="dim">{text.connectHint}</p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void connect()
        }}
      >
        <AgentFields form={form} />
        <div className="dialog-actions">
          <Button variant="default" onClick={() => leaveFor(asked.refuse_url)}>
            {text.refuse}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!agent}>
            {text.connectAction}
          </Button>
        </div>
      </form>
    </div>
  )
}
