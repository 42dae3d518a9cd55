import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { refreshBucket } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'
import { PolicyEditor, useDescription } from './PolicyEditor.tsx'
import { warningText } from './sentences.ts'

/** The policy of a bucket, and what it says. */
export default function BucketPolicy() {
  const me = useMe()
  const { bucket = '' } = useView().params
  const mayEdit = me.can('manage', bucket)
  const policy = useQuery({
    queryKey: ['bucket-policy', bucket],
    queryFn: () => client.getBucketPolicy({ params: { bucket } }),
    enabled: mayEdit,
  })
  return (
    <Page
      inBuckets
      title={bucket}
      windowTitle={`${text.title} – ${bucket}`}
      call={{ operation: 'getBucketPolicy', params: { bucket } }}
    >
      <BucketTabs bucket={bucket} active="policy" />
      {mayEdit ? (
        <section className="stack" aria-labelledby="policy-title">
          <header className="stack-tight">
            <h2 id="policy-title">{text.edit}</h2>
            <p className="dim">{text.hint}</p>
          </header>
          <StateView query={policy}>
            {({ document }) => <Editor key={document ?? ''} bucket={bucket} before={document ?? ''} />}
          </StateView>
        </section>
      ) : (
        <ForbiddenView right="manage" />
      )}
    </Page>
  )
}

/** Policies that many begin with. */
const templates = (bucket: string) => {
  const both = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`]
  const of = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [statement] }, null, 2)
  const read = { Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }
  return [
    { name: text.templateRead, document: of({ Effect: 'Allow', Principal: '*', ...read }) },
    {
      name: text.templateUser,
      document: of({
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:iam::000000000000:user/kim@example.com' },
        ...read,
      }),
    },
    {
      name: text.templateDeny,
      document: of({
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:*',
        Resource: both,
        Condition: { NotIpAddress: { 'aws:SourceIp': ['192.0.2.0/24'] } },
      }),
    },
  ]
}

function Editor({ bucket, before }: { bucket: string; before: string }) {
  const form = useForm({ document: before })
  const { document } = form.values
  const description = useDescription({ kind: 'bucket', bucket }, document)
  const { current } = description
  const refresh = () =>
    Promise.all([queries.invalidateQueries({ queryKey: ['bucket-policy', bucket] }), refreshBucket(bucket)])
  const save = async () => {
    const opens = (current?.warnings ?? []).filter(({ code }) => code === 'opens_to_anyone')
    const yes =
      opens.length === 0 ||
      (await confirm({
        title: text.openTitle,
        children: (
          <div className="stack-tight">
            <p>{text.openText}</p>
            <ul className="policy-warnings">
              {opens.map((one) => (
                <li key={one.statement}>{warningText(one)}</li>
              ))}
            </ul>
          </div>
        ),
        action: text.openDo,
      }))
    if (!yes) return
    if (!(await form.submit((body) => client.putBucketPolicy({ params: { bucket }, body })))) return
    notify.ok(text.saved)
    await refresh()
  }
  const remove = async () => {
    const yes = await confirm({
      title: text.deleteTitle(bucket),
      children: text.deleteText,
      action: text.delete,
    })
    if (!yes) return
    try {
      await client.deleteBucketPolicy({ params: { bucket } })
      notify.ok(text.deleted)
    } catch (error) {
      notify.problem(error)
    }
    await refresh()
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {document === '' ? (
        <p className="row">
          <span className="dim">{text.template}</span>
          {templates(bucket).map(({ name, document: start }) => (
            <Button key={name} size="compact-sm" variant="default" onClick={() => form.set('document', start)}>
              {name}
            </Button>
          ))}
        </p>
      ) : null}
      <PolicyEditor
        document={document}
        onChange={(next) => form.set('document', next)}
        description={description}
        error={form.faults.document}
      />
      <div className="dialog-actions">
        {before === '' ? null : (
          <Button variant="default" className="bad" onClick={() => void remove()}>
            {text.delete}
          </Button>
        )}
        <Button
          type="submit"
          loading={form.sending}
          disabled={document === before || current === undefined || current.fault !== null}
        >
          {text.save}
        </Button>
      </div>
    </form>
  )
}
