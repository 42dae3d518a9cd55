import type { Job } from '../../../../contract/jobs.ts'
import { legible } from '../../keys.ts'
import { text } from './messages.ts'

const tagWords = (tags: { [name: string]: string }): string =>
  Object.entries(tags)
    .map(([name, value]) => legible(`${name}=${value}`))
    .join(', ') || text.noTags

/** What becomes of the tags of a job's objects. */
export function JobTags({ add, remove, replace }: NonNullable<Job['tags']>) {
  return (
    <>
      {add ? (
        <>
          <dt>{text.addedTags}</dt>
          <dd>{tagWords(add)}</dd>
        </>
      ) : null}
      {remove ? (
        <>
          <dt>{text.removedTags}</dt>
          <dd>{remove.map(legible).join(', ')}</dd>
        </>
      ) : null}
      {replace ? (
        <>
          <dt>{text.onlyTags}</dt>
          <dd>{tagWords(replace)}</dd>
        </>
      ) : null}
    </>
  )
}
