import type { ObjectChange } from '../../../../contract/changes.ts'
import type { ChangedBy } from '../../../../contract/jobs.ts'
import { Link } from '../../navigation/Link.tsx'
import { Person } from '../../ui/Person.tsx'
import { text } from './messages.ts'

type By = ObjectChange['by']

/** How somebody was signed in, in words; empty for a session of their own. */
export function meansOf({ method, share }: By): string {
  if (share !== null) return text.viaLink
  if (method === 'access_key') return text.viaKey
  return method === 'pat' ? text.viaToken : ''
}

/** Who made a change, with what. */
export function Author({ by }: { by: By }) {
  const means = meansOf(by)
  return (
    <span className="history-by">
      {by.user !== null ? <Person id={by.user} /> : by.share !== null ? text.visitor : text.service}
      {means === '' ? null : <span className="dim small">{means}</span>}
      {by.job === null ? null : (
        <Link to={`/jobs/${by.job}`} className="job-link small">
          {text.viaJob}
        </Link>
      )}
    </span>
  )
}

/** One whose changes can be taken back alone. */
export interface Suspect {
  id: string
  by: ChangedBy
  user: string | null
  means: string
  /** What they are called, if that is not their account's. */
  name?: string
}

/** Those who made these changes, each once: by their account, and by each key, token and link of theirs. */
export function suspectsOf(changes: readonly ObjectChange[]): Suspect[] {
  const found = new Map<string, Suspect>()
  const put = (by: ChangedBy, user: string | null, means: string) => {
    const id = JSON.stringify(by)
    if (!found.has(id)) found.set(id, { id, by, user, means })
  }
  for (const { by } of changes) {
    if (by.user !== null) put({ user: by.user }, by.user, '')
    if (by.share !== null) put({ share: by.share }, by.user, meansOf(by))
    else if (by.credential !== null && by.method === 'access_key')
      put({ access_key: by.credential }, by.user, meansOf(by))
    else if (by.credential !== null && by.method === 'pat') put({ token: by.credential }, by.user, meansOf(by))
  }
  return [...found.values()]
}
