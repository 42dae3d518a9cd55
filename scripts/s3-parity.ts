import * as sdk from '@aws-sdk/client-s3'
import { S3Error } from '../server/fronts/s3/errors.ts'
import { operations, route } from '../server/fronts/s3/operations/operations.ts'
import { readQuery, readTarget } from '../server/fronts/s3/requests/target.ts'

/** What any command may ask to be given. */
const INPUT = {
  Bucket: 'b',
  Key: 'k',
  Id: 'i',
  UploadId: 'u',
  PartNumber: 1,
  CopySource: 'b/k',
  RenameSource: 'b/k',
  RequestRoute: 'r',
  RequestToken: 't',
  ObjectAttributes: ['ETag'],
  Delete: { Objects: [{ Key: 'k' }] },
}
/** Ends the sending of a request, which it carries. */
class Stopped extends Error {
  readonly request: {
    method: string
    path: string
    query: Record<string, string | null>
    headers: Record<string, string>
  }
  constructor(request: Stopped['request']) {
    super('not sent')
    this.request = request
  }
}

const client = new sdk.S3Client({
  region: 'us-east-1',
  endpoint: 'http://s3',
  forcePathStyle: true,
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  maxAttempts: 1,
  // It would warn that these bodies have no length.
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  requestHandler: {
    async handle(request: unknown): Promise<never> {
      throw new Stopped(request as Stopped['request'])
    },
  },
})

/** The request that a command of the SDK sends, as the S3 endpoint would see it. */
async function requestOf(Command: new (input: object) => never) {
  const stopped = await client.send(new Command(INPUT)).catch((error: unknown) => error)
  if (!(stopped instanceof Stopped)) throw stopped
  const { method, path, query, headers } = stopped.request
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
  return { method, headers, target: readTarget(path, null), query: readQuery(search.join('&')) }
}

/** How a command is answered: whether in full, partly, or with which refusal. */
async function answerOf(name: string, Command: new (input: object) => never): Promise<string> {
  const { method, headers, target, query } = await requestOf(Command)
  try {
    const operation = route({ method, headers, form: undefined }, target, query)
    if (operation.name !== name) throw new Error(`${name} would be taken for ${operation.name}`)
    return operation.partly === undefined ? 'yes' : `partly: ${operation.partly}`
  } catch (error) {
    if (error instanceof S3Error) return `no: \`${error.code}\``
    throw error
  }
}

/**
 * docs/s3-operations.md: every command of the AWS SDK for JavaScript with how it is answered, found by routing the request
 * that the SDK makes of it. Throws if one would be taken for another.
 */
export async function parityPage(): Promise<string> {
  const commands = Object.entries(sdk)
    .filter(([name]) => /^[A-Z]\w+Command$/.test(name))
    .map(([name, Command]) => [name.slice(0, -'Command'.length), Command as never] as const)
  const rows = await Promise.all(
    commands.map(async ([name, Command]) => [name, await answerOf(name, Command)] as const),
  )
  // A form of a browser: no command sends it.
  const more = operations.filter((one) => !rows.some(([name]) => name === one.name))
  const all = [...rows, ...more.map((one) => [one.name, one.partly ? `partly: ${one.partly}` : 'yes'] as const)]
  return [
    '# S3 operations',
    '',
    'Every operation of S3, by the commands of the AWS SDK for JavaScript, and how the S3 endpoint answers it. What each needs:',
    '[s3.md](s3.md#operations). This page is generated from `server/fronts/s3/operations/operations.ts` by `npm run docs`.',
    '',
    '| operation | supported |',
    '|---|---|',
    ...all.sort(([a], [b]) => (a < b ? -1 : 1)).map((row) => `| \`${row[0]}\` | ${row[1]} |`),
    '',
  ].join('\n')
}
