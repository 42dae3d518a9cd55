import { Checkbox, Input, NumberInput, PasswordInput, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { NewShare, Share } from '../../../../contract/shares.ts'
import { useMe } from '../../api/queries.ts'
import { legible } from '../../keys.ts'
import { lengthsUpTo } from '../../ui/ExpiryField.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

export interface Limits {
  password: string
  max_downloads: number | string
  filename: string
  disposition: string
  message: string
  notify: boolean
}
const noLimits: Limits = {
  password: '',
  max_downloads: '',
  filename: '',
  disposition: 'inline',
  message: '',
  notify: false,
}
const USUAL = ['1h', '1d', '7d', '30d']
/** The form of a new link, without limits and with the usual lifetime, and the lifetimes to choose from. */
export function useNewLinkForm<More extends object>(more: More) {
  const { share_default_expires_in: usual, share_max_expires_in: longest } = useMe().limits
  const lengths = lengthsUpTo(longest, USUAL, [usual])
  const form = useForm({
    ...noLimits,
    expires_in: { choice: lengths.includes(usual) ? usual : (lengths.at(-1) ?? usual), at: '' },
    ...more,
  })
  return { form, lengths }
}

/** A number that was typed; undefined where none was. */
export const given = (value: number | string): number | undefined => (typeof value === 'number' ? value : undefined)
/** Without undefined and empty members. */
export const said = <T extends object>(all: T) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== '')) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
/** What every new link can be given, as a request has it. */
export const termsOf = ({ password, message, notify }: Limits) => ({
  ...said({ password, message: message.trim() }),
  ...(notify ? { notify: true } : {}),
})

export const limitsOf = ({ max_downloads, filename, disposition, message, notify }: Share | NewShare): Limits => ({
  password: '',
  max_downloads: max_downloads ?? '',
  filename: filename ?? '',
  disposition: disposition ?? 'inline',
  message: message ?? '',
  notify,
})

/** What the visitors are told. */
export const MessageField = ({
  value,
  error,
  onChange,
}: {
  value: string
  error: string | undefined
  onChange: (value: string) => void
}) => (
  <Textarea
    label={text.message}
    description={text.messageHint}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error}
    maxLength={1000}
    rows={3}
  />
)

/** Whether the creator gets a mail; nothing where the service sends none. */
export function NotifyField({
  value,
  label = text.notify,
  onChange,
}: {
  value: boolean
  label?: string
  onChange: (value: boolean) => void
}) {
  const me = useMe()
  return me.mail ? (
    <Checkbox label={label} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
  ) : null
}

interface Fields {
  values: Limits
  faults: Record<string, string>
  set: (name: keyof Limits, value: never) => void
}
/** A field beside its label. */
const inRow = {
  classNames: { root: 'shares-row' },
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}

/** The password of a link, and how often it can be used, where it is for downloads. */
export function LimitFields({
  values,
  faults,
  set,
  kind,
  passwordHint,
  children,
}: Fields & {
  kind: Share['kind']
  passwordHint?: string
  /** Shown below the password. */
  children?: ReactNode
}) {
  return (
    <>
      <PasswordInput
        {...inRow}
        label={text.password}
        placeholder={passwordHint === undefined ? text.noPassword : undefined}
        description={passwordHint}
        value={values.password}
        onChange={(event) => set('password', event.currentTarget.value as never)}
        error={faults.password}
        autoComplete="new-password"
      />
      {children}
      {kind === 'upload' ? null : (
        <NumberInput
          {...inRow}
          label={text.maxDownloads}
          placeholder={text.noLimit}
          description={values.max_downloads === '' ? undefined : text.maxDownloadsHint}
          value={values.max_downloads}
          onChange={(value) => set('max_downloads', value as never)}
          error={faults.max_downloads}
          min={1}
          allowDecimal={false}
          hideControls
        />
      )}
    </>
  )
}

/** How the file of a link to one object is called and opened. `name` is the default. */
export function FileFields({ values, faults, set, name }: Fields & { name: string }) {
  return (
    <>
      <TextInput
        label={text.filename}
        description={text.filenameHint(legible(name))}
        value={values.filename}
        onChange={(event) => set('filename', event.currentTarget.value as never)}
        error={faults.filename}
        maxLength={255}
        autoComplete="off"
      />
      <Input.Wrapper label={text.disposition} labelElement="div" description={text.dispositionHint}>
        <SegmentedControl
          aria-label={text.disposition}
          fullWidth
          mt={4}
          data={[
            { value: 'inline', label: text.inline },
            { value: 'attachment', label: text.attachment },
          ]}
          value={values.disposition}
          onChange={(value) => set('disposition', value as never)}
        />
      </Input.Wrapper>
    </>
  )
}
