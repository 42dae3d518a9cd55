import { Anchor } from '@mantine/core'
import { useMe } from '../api/queries.ts'
import { isFolderKey, legible, parentOf } from '../keys.ts'
import { Link } from '../navigation/Link.tsx'
import { text } from './messages.ts'

const MOST = 5

/** A prefix as it is shown: one that does not end a folder's name goes on. */
const prefixLabel = (prefix: string): string => (isFolderKey(prefix) ? legible(prefix) : `${legible(prefix)}…`)

/** Leads to the folder of a prefix, or the folder that has what starts with it. */
export const FolderLink = ({ bucket, prefix }: { bucket: string; prefix: string }) => {
  const folder = isFolderKey(prefix) ? prefix : parentOf(prefix)
  return (
    <Anchor component={Link} to={`/b/${bucket}`} search={folder ? { prefix: folder } : {}}>
      <bdi>{prefixLabel(prefix)}</bdi>
    </Anchor>
  )
}

/** Links to the folders in which a user has permissions; nothing if they have some in the whole bucket. */
export function OwnFolders({ bucket, label = true }: { bucket: string; label?: boolean }) {
  const prefixes = useMe().prefixesIn(bucket)
  if (prefixes.length === 0 || prefixes.includes('')) return null
  const more = prefixes.length - MOST
  return (
    <span className="row">
      {label ? <span className="dim">{text.ownFoldersAre}</span> : null}
      {prefixes.slice(0, MOST).map((prefix) => (
        <FolderLink key={prefix} bucket={bucket} prefix={prefix} />
      ))}
      {more > 0 ? <span className="dim">{text.moreFolders(more)}</span> : null}
    </span>
  )
}
