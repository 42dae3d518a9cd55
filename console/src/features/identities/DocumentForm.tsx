import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { useForm } from '../../ui/useForm.ts'
import { PolicyEditor, useDescription } from '../access-policies/PolicyEditor.tsx'
import { text } from './messages.ts'

/** Policies that many begin with. */
const templates = () => {
  const of = (Action: string | string[]) => {
    const Resource = ['arn:aws:s3:::my-bucket', 'arn:aws:s3:::my-bucket/*']
    return JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] }, null, 2)
  }
  return [
    { name: text.templateRead, document: of(['s3:GetObject', 's3:ListBucket']) },
    { name: text.templateAll, document: of('s3:*') },
  ]
}

/** The text of a policy of users, groups and roles, with what it says beside it, and further fields above. */
export function DocumentForm<V extends { document: string; [name: string]: unknown }>({
  form,
  before = '',
  action,
  ready = true,
  more,
  children,
  onSend,
}: {
  form: ReturnType<typeof useForm<V>>
  /** What is in force, which is not sent again. */
  before?: string
  action: string
  ready?: boolean
  /** Further buttons. */
  more?: ReactNode
  children?: ReactNode
  onSend: () => Promise<unknown>
}) {
  const { document } = form.values
  const description = useDescription({ kind: 'identity' }, document)
  const { current } = description
  const change = (next: string) => form.set('document', next as V['document'])
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void onSend()
      }}
    >
      {children}
      {document === '' ? (
        <p className="row">
          <span className="dim">{text.startFrom}</span>
          {templates().map(({ name, document: start }) => (
            <Button key={name} size="compact-sm" variant="default" onClick={() => change(start)}>
              {name}
            </Button>
          ))}
        </p>
      ) : null}
      <PolicyEditor document={document} onChange={change} description={description} error={form.faults.document} />
      <div className="dialog-actions">
        {more}
        <Button
          type="submit"
          loading={form.sending}
          disabled={!ready || document === before || current === undefined || current.fault !== null}
        >
          {action}
        </Button>
      </div>
    </form>
  )
}
