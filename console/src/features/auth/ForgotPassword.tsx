import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { authConfigQuery } from '../../api/queries.ts'
import { publicClient } from '../../api/session.ts'
import { titled } from '../../branding.ts'
import { wantedLanguage } from '../../language.ts'
import { Link } from '../../navigation/Link.tsx'
import { text as common } from '../../ui/messages.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { Card } from './Card.tsx'
import { text } from './messages.ts'

/** Has a link sent with which a forgotten password is replaced, or says who can help where no mail is sent. */
export default function ForgotPassword() {
  const config = useQuery(authConfigQuery)
  const [sentTo, setSentTo] = useState<string>()
  useEffect(() => {
    document.title = titled(text.forgotTitle)
  }, [])
  const { data, error } = config
  return (
    <Card title={sentTo === undefined ? text.forgotTitle : text.linkSentTitle}>
      {error ? <ProblemView error={error} retry={config.refetch} /> : null}
      {data && sentTo === undefined ? (
        data.password_reset ? (
          <Ask onSent={setSentTo} />
        ) : data.local ? (
          <>
            <p>{text.noMail}</p>
            <p className="dim small">{text.noMailAdmin}</p>
          </>
        ) : (
          <p>{text.noPasswords}</p>
        )
      ) : null}
      {sentTo === undefined ? null : (
        <>
          <p role="status" className="login-address">
            {text.linkSent(sentTo)}
          </p>
          <p className="dim small">{text.linkSentHint}</p>
        </>
      )}
      <Button component={Link} to="/login" variant={sentTo === undefined ? 'subtle' : 'default'} size="md" fullWidth>
        {text.again}
      </Button>
    </Card>
  )
}

function Ask({ onSent }: { onSent: (email: string) => void }) {
  const form = useForm({ email: '' })
  const email = form.values.email.trim()
  const ask = async () => {
    const body = { email, language: wantedLanguage() }
    if (await form.submit(() => publicClient.requestPasswordReset({ body }))) onSent(email)
  }
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (form.check({ email: email === '' && common.required })) void ask()
      }}
    >
      <p className="dim">{text.forgotHint}</p>
      <TextInput
        {...form.field('email')}
        type="email"
        label={text.email}
        autoComplete="username"
        required
        withAsterisk={false}
        maxLength={320}
        size="md"
        autoFocus
      />
      <Button type="submit" size="md" fullWidth loading={form.sending}>
        {text.sendLink}
      </Button>
    </form>
  )
}
