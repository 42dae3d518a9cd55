import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BucketEncryption } from '../../../../contract/encryption.ts'
import { useMe } from '../../api/queries.ts'
import { choiceOf, encryptionOf } from './choice.ts'
import { text } from './messages.ts'
import { kmsKeysQuery } from './queries.ts'

interface Props extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  value: BucketEncryption | null
  onChange: (encryption: BucketEncryption | null) => void
}

/** A list of how new objects can be encrypted. Only administrators know which keys of key services there are. */
export function EncryptionSelect({ value, onChange, ...props }: Props) {
  const me = useMe()
  const keys = useQuery({ ...kmsKeysQuery, enabled: me.isAdmin })
  const names = (keys.data ?? []).filter(({ enabled }) => enabled).map(({ name }) => name)
  // What is set stays in the list, whether it can be chosen again or not.
  if (value?.key !== undefined && !names.includes(value.key)) names.push(value.key)
  return (
    <Select
      {...props}
      data={[
        { value: 'none', label: text.none },
        { value: 'AES256', label: text.byService },
        ...names.map((name) => ({ value: `aws:kms ${name}`, label: text.byKey(name) })),
      ]}
      value={choiceOf(value)}
      onChange={(choice) => onChange(encryptionOf(choice ?? 'none'))}
      allowDeselect={false}
    />
  )
}
