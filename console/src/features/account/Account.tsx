import './account.css'
import { Badge, Input, SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMe } from '../../api/queries.ts'
import { type Preferences, setPreferences, usePreferences } from '../../preferences.ts'
import { Page } from '../../ui/Page.tsx'
import { text as secondFactor } from '../second-factor/messages.ts'
import { TwoStep } from '../second-factor/TwoStep.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { LanguageChoice } from './LanguageChoice.tsx'
import { text } from './messages.ts'
import { Sessions } from './Sessions.tsx'

/** The user's profile, password, sessions and appearance settings. */
export default function Account() {
  const me = useMe()
  const role = me.isAdmin ? text.admin : me.managesUsers ? text.userManager : text.member
  return (
    <Page title={text.title} hint={me.email} call={{ operation: 'me' }}>
      <div className="account">
        <Section title={text.profile}>
          <dl className="facts">
            <dt>{text.name}</dt>
            <dd>{me.display_name}</dd>
            <dt>{text.email}</dt>
            <dd>{me.email}</dd>
            <dt>{text.rights}</dt>
            <dd>{role}</dd>
            <dt>{text.groups}</dt>
            <dd>
              {me.groups.length === 0 ? (
                text.noGroups
              ) : (
                <span className="row">
                  {me.groups.map(({ id, name }) => (
                    <Badge key={id} variant="default" tt="none" fw={500}>
                      {name}
                    </Badge>
                  ))}
                </span>
              )}
            </dd>
          </dl>
          <LanguageChoice />
        </Section>
        <Section title={text.appearance} hint={text.onThisDevice}>
          <Appearance />
        </Section>
        <Section title={text.password} hint={text.passwordHint}>
          <ChangePassword />
        </Section>
        <Section title={secondFactor.title} hint={secondFactor.hint} wide>
          <TwoStep />
        </Section>
        <Section title={text.sessions} hint={text.sessionsHint} wide>
          <Sessions />
        </Section>
      </div>
    </Page>
  )
}

function Section({
  title,
  hint,
  wide = false,
  children,
}: {
  title: string
  hint?: string
  wide?: boolean
  children: ReactNode
}) {
  return (
    <section className={wide ? 'card stack account-wide' : 'card stack'} aria-label={title}>
      <div>
        <h2>{title}</h2>
        {hint ? <p className="dim small">{hint}</p> : null}
      </div>
      {children}
    </section>
  )
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { density, shortcuts } = usePreferences()
  return (
    <div className="stack">
      <Input.Wrapper label={text.theme} labelElement="div">
        <SegmentedControl
          aria-label={text.theme}
          fullWidth
          mt={4}
          data={[
            { value: 'light', label: text.light },
            { value: 'dark', label: text.dark },
            { value: 'auto', label: text.system },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as 'light' | 'dark' | 'auto')}
        />
      </Input.Wrapper>
      <Input.Wrapper label={text.density} labelElement="div">
        <SegmentedControl
          aria-label={text.density}
          fullWidth
          mt={4}
          data={[
            { value: 'compact', label: text.compact },
            { value: 'normal', label: text.normal },
            { value: 'comfortable', label: text.comfortable },
          ]}
          value={density}
          onChange={(value) => setPreferences({ density: value as Preferences['density'] })}
        />
      </Input.Wrapper>
      <Switch
        label={text.shortcuts}
        description={text.shortcutsHint}
        checked={shortcuts}
        onChange={(event) => setPreferences({ shortcuts: event.currentTarget.checked })}
      />
    </div>
  )
}
