import { csvLine } from '../contract/csv.ts'
import { type Given, numberOf } from './command.ts'
import { UsageError } from './config.ts'
import { bucketName, folderOf, isRemote, remotePlace, show } from './places.ts'
import { agrees, print, type Run, readSecret } from './run.ts'

type Body = Parameters<Run['client']['bulkShare']>[0]['body']

/** `share`: a link to an object or a folder, or with `--each` or `--find` one to each of many objects. */
export async function share(given: Given, open: () => Run): Promise<void> {
  const {
    words: [target = ''],
    flag,
    value,
  } = given
  if (flag('each') || value('find') !== undefined) return shareEach(given, open)
  for (const name of ['dry-run', 'yes', 'csv'])
    if (flag(name)) throw new UsageError(`--${name} is only for --each and --find.`)
  const { bucket, key } = remotePlace(target)
  const run = open()
  const link = await run.client.createShare({
    body: {
      bucket,
      ...(key === '' || key.endsWith('/') ? { kind: 'folder', prefix: key } : { kind: 'object', key }),
      ...(await limitsOf(given)),
      ...(value('filename') !== undefined && { filename: value('filename') as string }),
    },
  })
  await print(run.json ? `${JSON.stringify(link)}\n` : `${link.url}\n`)
}

async function limitsOf({ flag, value }: Given) {
  const downloads = value('max-downloads')
  return {
    ...(value('expires') !== undefined && { expires_in: value('expires') as string }),
    ...(flag('password') && { password: await readSecret('Link password: ') }),
    ...(downloads !== undefined && { max_downloads: numberOf('--max-downloads', downloads) }),
    ...(flag('attachment') && { disposition: 'attachment' as const }),
  }
}

/** Says how many links that would be, asks, creates them and prints each. */
async function shareEach(given: Given, open: () => Run): Promise<void> {
  const {
    words: [target = ''],
    flag,
    value,
  } = given
  if (value('filename') !== undefined) throw new UsageError('--filename is the name of one file: leave it out.')
  if (flag('csv') && flag('json')) throw new UsageError('Give --csv or --json.')
  const place = isRemote(target) ? remotePlace(target) : { bucket: bucketName(target), key: '' }
  const { bucket } = place
  const query = value('find')
  const run = open()
  const body: Body = { prefix: folderOf(place), ...(query !== undefined && { query }), ...(await limitsOf(given)) }
  const params = { bucket }
  const plan = await run.client.bulkShare({ params, body: { ...body, dry_run: true } })
  if (flag('dry-run') || plan.total === 0) {
    tell(run, bucket, plan.errors)
    return print(run.json ? `${JSON.stringify(plan)}\n` : `${linksText(plan.total)}\n`)
  }
  if (!(await agrees(`Create ${linksText(plan.total)} that anyone can open?`, flag('yes'))))
    throw new Error('No link was created.')
  const { items, errors } = await run.client.bulkShare({ params, body })
  if (flag('csv')) await print(csvLine(['key', 'url', 'page_url', 'expires_at', 'id']))
  for (const one of items) {
    const cells = [one.key, one.url, one.page_url, one.expires_at, one.id]
    const line = `${one.url}  ${show(bucket, one.key)}\n`
    await print(run.json ? `${JSON.stringify(one)}\n` : flag('csv') ? csvLine(cells) : line)
  }
  tell(run, bucket, errors)
}

const linksText = (count: number): string => `${count} link${count === 1 ? '' : 's'}`

/** Reports the objects to which there is no link. */
function tell({ progress }: Run, bucket: string, errors: readonly { key: string; detail: string }[]): void {
  for (const { key, detail } of errors) progress.fail(show(bucket, key), new Error(detail))
}
