import { UsageError } from './config.ts'
import { isRemote, prefixedPlace, remotePlace } from './places.ts'
import { type Body, carryOut, type PlannedRun, planOf } from './planned-job.ts'
import { agrees, objectsText, print, type Run } from './run.ts'

type TagChange = NonNullable<Body['tags']>

interface Wanted extends PlannedRun {
  add: readonly string[]
  remove: readonly string[]
  replace: readonly string[]
  clear: boolean
  /** Only what this finds. */
  query: string | undefined
}

/** `tag`: says how many objects would get other tags, asks, has them changed, and follows that to its end. */
export async function tag(run: Run, target: string, wanted: Wanted): Promise<void> {
  const { dryRun, yes, wait, query } = wanted
  const body: Body = { kind: 'tag', ...selectionOf(target, query), tags: changeOf(wanted) }
  const { source_bucket: bucket = '' } = body
  const plan = await planOf(run, body, bucket)
  const count = plan.total ?? 0
  if (dryRun || count === 0) return print(run.json ? `${JSON.stringify(plan)}\n` : `${objectsText(count)}\n`)
  if (!(await agrees(`Change the tags of ${objectsText(count)}?`, yes))) throw new Error('Nothing was changed.')
  await carryOut(run, body, bucket, wait)
}

/** A bucket or a folder is everything in it; any other key is one object. */
function selectionOf(
  target: string,
  query: string | undefined,
): Pick<Body, 'source_bucket' | 'prefix' | 'keys' | 'query'> {
  const { bucket, prefix } = prefixedPlace(target)
  if (query !== undefined) return { source_bucket: bucket, prefix, query }
  if (!isRemote(target) || prefix === '' || prefix.endsWith('/')) return { source_bucket: bucket, prefix }
  return { source_bucket: bucket, keys: [remotePlace(target).key] }
}

function changeOf({ add, remove, replace, clear }: Wanted): TagChange {
  if (clear || replace.length > 0) {
    if (add.length + remove.length > 0 || (clear && replace.length > 0))
      throw new UsageError('--replace and --clear are instead of all other changes.')
    return { replace: pairsOf('--replace', replace) }
  }
  if (add.length + remove.length === 0)
    throw new UsageError('Give what is to change: --add name=value, or --remove name')
  return {
    ...(add.length > 0 && { add: pairsOf('--add', add) }),
    ...(remove.length > 0 && { remove: [...new Set(remove)] }),
  }
}

/** `name=value`; a value may have more of these signs. */
function pairsOf(option: string, texts: readonly string[]): { [name: string]: string } {
  const pairs = texts.map((text): [string, string] => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option} ${text}: write name=value.`)
    return [text.slice(0, at), text.slice(at + 1)]
  })
  const tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length) throw new UsageError(`${option}: a name is given twice.`)
  return tags
}
