import { Button, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../../../contract/roles.ts'
import { nameLength } from '../../ui/ExpiryField.tsx'
import type { useForm } from '../../ui/useForm.ts'
import { PolicyEditor, useDescription } from '../access-policies/PolicyEditor.tsx'
import { text } from './messages.ts'
import { providersQuery } from './queries.ts'

const LENGTHS = [900, 1800, 3600, 14_400, 28_800, 43_200]

/** What of a role can be changed, as its form has it. */
export interface RoleValues extends Record<string, unknown> {
  name: string
  description: string
  trust: string
  max_session_seconds: string
  /** `team = web`, one a line. */
  tags: string
}
export const valuesOf = (role?: Role): RoleValues => ({
  name: role?.name ?? '',
  description: role?.description ?? '',
  trust: role?.trust ?? '',
  max_session_seconds: String(role?.max_session_seconds ?? 3600),
  tags: Object.entries(role?.tags ?? {})
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n'),
})

/** What is sent of the form. */
export const bodyOf = ({ description, trust, max_session_seconds, tags }: RoleValues) => ({
  description,
  trust,
  max_session_seconds: Number(max_session_seconds),
  tags: Object.fromEntries(
    tags.split('\n').flatMap((line) => {
      const at = line.indexOf('=')
      const name = line.slice(0, at < 0 ? line.length : at).trim()
      return name === '' ? [] : [[name, at < 0 ? '' : line.slice(at + 1).trim()]]
    }),
  ),
})

/** A trust policy of one statement. */
const trusting = (statement: object) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] }, null, 2)

/** Trust policies that many begin with: tokens of the first registered provider, and one user. */
function useTemplates(): { name: string; document: string }[] {
  const { data: providers = [] } = useQuery(providersQuery)
  const key = providers.find(({ own }) => !own)?.key ?? 'token.actions.githubusercontent.com'
  return [
    {
      name: text.trustProvider,
      document: trusting({
        Principal: { Federated: `arn:aws:iam:::oidc-provider/${key}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringLike: { [`${key}:sub`]: 'repo:acme/site:*' } },
      }),
    },
    {
      name: text.trustUser,
      document: trusting({
        Principal: { AWS: 'arn:aws:iam::000000000000:user/kim@example.com' },
        Action: 'sts:AssumeRole',
      }),
    },
  ]
}

/** The fields of a role; `name` may be chosen once. */
export function RoleForm({
  form,
  isNew = false,
  action,
  onSend,
}: {
  form: ReturnType<typeof useForm<RoleValues>>
  isNew?: boolean
  action: string
  onSend: () => Promise<unknown>
}) {
  const { trust, max_session_seconds: seconds } = form.values
  const description = useDescription({ kind: 'role' }, trust)
  const { current } = description
  const templates = useTemplates()
  const lengths = [...new Set([...LENGTHS, Number(seconds)])].sort((a, b) => a - b)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void onSend()
      }}
    >
      {isNew ? (
        <TextInput
          {...form.field('name')}
          label={text.name}
          description={text.nameHint}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          required
        />
      ) : null}
      <div className="policy-question">
        <TextInput {...form.field('description')} label={text.description} maxLength={1000} autoComplete="off" />
        <Select
          label={text.longest}
          description={text.longestHint}
          data={lengths.map((one) => ({ value: String(one), label: nameLength(`${one}s`) }))}
          value={seconds}
          onChange={(one) => form.set('max_session_seconds', one ?? seconds)}
          error={form.faults.max_session_seconds}
          allowDeselect={false}
        />
      </div>
      {trust === '' ? (
        <p className="row">
          <span className="dim">{text.startFrom}</span>
          {templates.map(({ name, document }) => (
            <Button key={name} size="compact-sm" variant="default" onClick={() => form.set('trust', document)}>
              {name}
            </Button>
          ))}
        </p>
      ) : null}
      <p className="dim">{text.trustHint}</p>
      <PolicyEditor
        label={text.trust}
        document={trust}
        onChange={(next) => form.set('trust', next)}
        description={description}
        error={form.faults.trust}
      />
      <Textarea
        {...form.field('tags')}
        label={text.tags}
        description={text.tagsHint}
        autosize
        minRows={2}
        spellCheck={false}
        data-data
      />
      <div className="dialog-actions">
        <Button
          type="submit"
          loading={form.sending}
          disabled={current === undefined || current.fault !== null || (isNew && form.values.name === '')}
        >
          {action}
        </Button>
      </div>
    </form>
  )
}
