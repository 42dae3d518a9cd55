import './storages.css'
import { Anchor, Button } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DEFAULT_STORAGE, type Storage } from '../../../../contract/storages.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Bytes, Count, TimeAgo } from '../../ui/values.tsx'
import { Connection } from './Connection.tsx'
import { Danger } from './Danger.tsx'
import { Events } from './Events.tsx'
import { Health } from './Health.tsx'
import { formText, testText, text } from './messages.ts'
import { storageQuery } from './queries.ts'
import { TestCard } from './TestCard.tsx'

/** The settings in the form; others reset it. */
const settingsOf = ({ endpoint, region, path_style, access_key_id }: Storage) =>
  JSON.stringify([endpoint, region, path_style, access_key_id])

/** One storage: its health, its test, and how it is reached. */
export default function StoragePage() {
  const me = useMe()
  const { name = '' } = useView().params
  const storage = useQuery({ ...storageQuery(name), enabled: me.isAdmin })
  // Another secret is no visible change.
  const [saves, setSaves] = useState(0)
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  const isDefault = name === DEFAULT_STORAGE
  return (
    <Page
      title={<span data-data>{name}</span>}
      windowTitle={`${name} – ${text.title}`}
      hint={isDefault ? text.defaultHint : undefined}
      call={{ operation: 'getStorage', params: { storage: name } }}
      actions={
        !isDefault && storage.data?.kind === 's3' && storage.data.enabled ? (
          <Button
            variant="default"
            component={Link}
            to={`/buckets/attach?storage=${name}`}
            leftSection={<IconPlugConnected size={15} />}
          >
            {text.attach}
          </Button>
        ) : null
      }
    >
      <StateView query={storage}>
        {(data) => {
          const version = `${saves}/${settingsOf(data)}`
          return (
            <div className="storages-columns">
              <div className="stack storages-fields">
                <Facts storage={data} />
                {isDefault || data.kind === 'file' ? null : (
                  <Connection key={version} storage={data} onSaved={() => setSaves((n) => n + 1)} />
                )}
                {isDefault || data.kind === 'file' ? null : <Events storage={data} />}
              </div>
              <TestCard
                hint={isDefault || data.kind === 'file' ? testText.hint : testText.hintSaved}
                subject={version}
                ask={() => client.testStorage({ params: { storage: name }, body: {} })}
              />
              {isDefault ? null : <Danger storage={data} />}
            </div>
          )
        }}
      </StateView>
    </Page>
  )
}

/** The buckets that are attached to a storage, by name. */
function Attached({ storage }: { storage: string }) {
  const { data } = useQuery(bucketsQuery)
  const attached = data?.filter((bucket) => bucket.source?.storage === storage)
  if (!attached) return <span className="dim">…</span>
  if (attached.length === 0) return <span className="dim">{text.attachedNone}</span>
  return (
    <ul className="storages-attached">
      {attached.map(({ name }) => (
        <li key={name}>
          <Anchor component={Link} to={`/b/${name}/overview`} data-data>
            {name}
          </Anchor>
        </li>
      ))}
    </ul>
  )
}

function Facts({ storage }: { storage: Storage }) {
  const { name, kind, endpoint, region, folder, bucket, prefix, bucket_count, used_bytes, created_at, health } = storage
  // Of others, they are in the form below.
  const isFixed = name === DEFAULT_STORAGE && kind === 's3'
  const rows = [
    [text.health, <Health key="health" storage={storage} />],
    [text.kind, text.kindName(kind)],
    [formText.endpoint, isFixed ? (endpoint ?? text.aws) : null],
    [formText.region, isFixed ? region : null],
    [
      text.where,
      <bdi key="where" dir="ltr" className="mono">
        {kind === 'file' ? folder : `${bucket}/${prefix}`}
      </bdi>,
    ],
    [text.buckets, <Count key="buckets" n={bucket_count} />],
    [text.attached, kind === 's3' && name !== DEFAULT_STORAGE ? <Attached key="attached" storage={name} /> : null],
    [text.used, <Bytes key="used" bytes={used_bytes} />],
    [text.free, health?.free_bytes == null ? null : <Bytes key="free" bytes={health.free_bytes} />],
    [text.created, created_at === null ? null : <TimeAgo key="created" time={created_at} />],
  ] as const
  return (
    <section className="card stack-tight" aria-labelledby="storage-facts">
      <h2 id="storage-facts">{text.about}</h2>
      <dl className="facts">
        {rows.map(([label, value]) =>
          value === null ? null : (
            <div key={label} className="storages-fact">
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}
