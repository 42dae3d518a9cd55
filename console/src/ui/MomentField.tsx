import { TextInput, type TextInputProps } from '@mantine/core'
import { formatBoth } from '../i18n.ts'

/**
 * A field for a local time. Browsers show it in their own language's form, so what was entered is said below it in the
 * page's, with UTC.
 */
export function MomentField({ value, description, ...props }: TextInputProps & { value: string }) {
  const time = new Date(value)
  return (
    <TextInput
      {...props}
      type="datetime-local"
      value={value}
      description={Number.isFinite(time.getTime()) ? formatBoth(time) : description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  )
}
