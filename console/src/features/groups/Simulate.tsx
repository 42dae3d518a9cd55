import { Anchor, Autocomplete, Select, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { operations } from '../../../../contract/access-policies.ts'
import type { Input, Reply } from '../../../../contract/route.ts'
import { client } from '../../api/session.ts'
import { placeWords } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { StateView } from '../../ui/StateView.tsx'
import { Status } from '../../ui/values.tsx'
import { text } from '../access-policies/messages.ts'
import { sentenceText } from '../access-policies/sentences.ts'
import { PersonPicker } from './Explain.tsx'
import { text as groups } from './messages.ts'
import { PlaceFields } from './PlaceFields.tsx'
import { groupsQuery } from './queries.ts'
import '../access-policies/access-policies.css'
import './groups.css'

const PAUSE_MS = 300
/** Those that are asked for most; others can be typed. */
const ACTIONS = [
  's3:GetObject',
  's3:PutObject',
  's3:DeleteObject',
  's3:ListBucket',
  's3:GetObjectVersion',
  's3:DeleteObjectVersion',
  's3:ListBucketVersions',
  's3:PutObjectTagging',
  's3:PutObjectRetention',
  's3:PutBucketPolicy',
  's3:GetBucketPolicy',
  's3:DeleteBucket',
]
const KINDS = ['user', 'group', 'role', 'anonymous'] as const
type Kind = (typeof KINDS)[number]
type Simulation = (typeof operations)['simulatePermission']
type Question = Input<Simulation>['body']
type Answer = Reply<Simulation>

/** `aws:SourceIp = 192.0.2.7`, one a line. */
const contextIn = (lines: string): NonNullable<Question['context']> =>
  lines.split('\n').flatMap((line) => {
    const at = line.indexOf('=')
    const key = line.slice(0, Math.max(0, at)).trim()
    const values = line.slice(at + 1).split(',')
    return key === '' ? [] : [{ key, values: values.map((one) => one.trim()) }]
  })

/** Says how a request would be decided, and by what. The question is in the address. */
export function Simulate() {
  const { search, change } = useView()
  const { bucket = '', key = '', user, group, role = '', does = 's3:GetObject', says = '' } = search
  const kind = KINDS.find((one) => one === search.who) ?? 'user'
  const [asked] = useDebouncedValue({ bucket, key, role, does, says }, PAUSE_MS)
  const all = useQuery(groupsQuery)
  const who = whoIn(kind, { user, group, role: asked.role })
  const ready = who !== undefined && asked.bucket !== '' && /^\w+:[A-Za-z]+$/.test(asked.does)
  const question: Question = {
    who: who ?? { anonymous: true },
    action: asked.does,
    bucket: asked.bucket,
    key: asked.key,
    context: contextIn(asked.says),
  }
  const answer = useQuery({
    queryKey: ['simulate', question],
    queryFn: () => client.simulatePermission({ body: question }),
    enabled: ready,
    placeholderData: keepPreviousData,
  })
  return (
    <section className="card stack" aria-label={text.simulate}>
      <p className="dim">{text.simulateHint}</p>
      <div className="policy-question">
        <Select
          label={text.who}
          data={KINDS.map((one) => ({ value: one, label: text.kinds(one) }))}
          value={kind}
          onChange={(one) => void change({ who: one ?? undefined })}
          allowDeselect={false}
        />
        {kind === 'user' ? (
          <PersonPicker value={user} onChange={(id) => void change({ user: id ?? undefined })} />
        ) : null}
        {kind === 'group' ? (
          <Select
            label={text.group}
            data={(all.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={group ?? null}
            onChange={(id) => void change({ group: id ?? undefined })}
            searchable
          />
        ) : null}
        {kind === 'role' ? (
          <TextInput
            label={text.role}
            value={role}
            onChange={(event) => void change({ role: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
          />
        ) : null}
        <Autocomplete
          label={text.action}
          data={ACTIONS}
          value={does}
          onChange={(one) => void change({ does: one })}
          autoComplete="off"
          spellCheck={false}
        />
        <PlaceFields
          labels={{ bucket: text.bucket, key: text.key }}
          bucket={bucket}
          objectKey={key}
          onChange={change}
        />
      </div>
      <Textarea
        label={text.conditions}
        description={text.conditionsHint}
        className="policy-document"
        value={says}
        onChange={(event) => void change({ says: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
      />
      <div aria-live="polite">
        {ready ? (
          <StateView query={answer}>{(found) => <Decision answer={found} />}</StateView>
        ) : (
          <p className="dim">{text.unknown}</p>
        )}
      </div>
    </section>
  )
}

function whoIn(
  kind: Kind,
  { user, group, role }: { user: string | undefined; group: string | undefined; role: string },
): Question['who'] | undefined {
  switch (kind) {
    case 'user':
      return user === undefined ? undefined : { user_id: user }
    case 'group':
      return group === undefined ? undefined : { group_id: group }
    case 'role':
      return /^[\w+=,.@-]{1,64}$/.test(role) ? { role } : undefined
    case 'anonymous':
      return { anonymous: true }
  }
}

/** The decision, with the statement or the permission that it comes from. */
function Decision({ answer: { allowed, reason, statement, via } }: { answer: Answer }) {
  const state = allowed ? <Status tone="ok">{text.allowed}</Status> : <Status tone="bad">{text.denied}</Status>
  if (statement !== null)
    return (
      <div className="stack-tight">
        <p className="row">
          {state}
          <span>{text.byStatement(statement.sid || String(statement.index + 1), statement.policy_of)}</span>
        </p>
        <p>{sentenceText(statement.sentence)}</p>
      </div>
    )
  return (
    <div className="stack-tight">
      <p className="row">
        {state}
        <span>{text.reason(reason === 'statement' ? 'nothing' : reason)}</span>
      </p>
      {via === null ? null : (
        <p>
          <Anchor component={Link} to={`/admin/groups/${via.group_id}`} search={{ tab: 'permissions' }}>
            {via.group}
          </Anchor>{' '}
          <span className="dim">
            {via.grant
              ? `${placeWords(via.grant.bucket_pattern, via.grant.prefix)}: ${via.grant.actions.join(', ')}`
              : groups.viaAdmin}
          </span>
        </p>
      )}
    </div>
  )
}
