import { Anchor, Badge } from '@mantine/core'
import type { AuditRecord } from '../../../../contract/audit.ts'
import type { Part } from '../../../../contract/details.ts'
import { formatBoth, formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { Status, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { Pick } from './Only.tsx'

/** How the actor was authenticated. */
function credentialOf({ auth_method, actor }: AuditRecord): [word: string, title: string] | undefined {
  if (auth_method === 'pat') return [text.pat, text.aToken]
  if (auth_method === 'local' || auth_method === 'idp' || auth_method === 'sts') return [text.session, text.aSession]
  if (auth_method === 'share_link' || auth_method === 'presigned') return [text.link, text.aLink]
  if (actor.type === 'system') return [text.system, text.system]
  if (actor.type === 'engine') return [text.engine, text.anEngine]
  return actor.type === 'cli' ? [text.cli, text.cli] : undefined
}

/** The role and the session of temporary credentials that are nobody's account. */
function sessionOf({ details }: AuditRecord): string | undefined {
  const { role, session_name } = details as { role?: string; session_name?: string }
  return session_name === undefined ? undefined : [role, session_name].filter(Boolean).join('/')
}

export function Actor({ record }: { record: AuditRecord }) {
  const credential = credentialOf(record)
  const { email, user_id } = record.actor
  return (
    <span className="audit-actor">
      <Pick name="actor" value={email ?? user_id}>
        <span>{email ?? user_id ?? sessionOf(record) ?? (credential ? '' : text.nobody)}</span>
      </Pick>
      {credential ? (
        <Badge className="audit-badge" title={credential[1]}>
          {credential[0]}
        </Badge>
      ) : null}
    </span>
  )
}

/** Which part of a long change this is; undefined if it is the whole change. */
export const partOf = ({ details }: AuditRecord): Part | undefined => (details as { part?: Part }).part

/** The action, and for a long change which part this is. */
export function Action({ record }: { record: AuditRecord }) {
  const part = partOf(record)
  return (
    <span>
      <Pick name="action" value={record.action}>
        <code className="mono">{record.action}</code>
      </Pick>
      {part ? <span className="dim small"> {text.part(part.number, part.of)}</span> : null}
    </span>
  )
}

/** The bucket and key as a link, otherwise the other target. */
export function Place({ record: { bucket, object_key, resource_type, details } }: { record: AuditRecord }) {
  if (bucket === null) {
    const { name, email, detail } = details as { name?: unknown; email?: unknown; detail?: unknown }
    // Of what was denied, only the reason names what it was.
    const named = [name, email, detail].find((one) => typeof one === 'string')
    return <span>{legible([resource_type, named].filter(Boolean).join(' '))}</span>
  }
  const key = object_key ?? ''
  const search = { prefix: key.slice(0, key.lastIndexOf('/') + 1), sel: key }
  return (
    <Anchor component={Link} search={search} to={`/b/${bucket}`} className="audit-place">
      {bucket}
      {key ? <bdi>{legible(`/${key}`)}</bdi> : ''}
    </Anchor>
  )
}

const tones: Record<AuditRecord['result'], Tone> = { success: 'ok', denied: 'warn', failure: 'bad' }
export const Result = ({ result }: { result: AuditRecord['result'] }) => (
  <Status tone={tones[result]}>{text[result]}</Status>
)

export const Moment = ({ time }: { time: string }) => (
  <time dateTime={time} title={formatBoth(time)} className="audit-time">
    {formatTime(time)}
  </time>
)
