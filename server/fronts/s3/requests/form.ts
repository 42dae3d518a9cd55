import type http from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { expectBody } from '../../../http/body.ts'
import { invalidArgument, S3Error } from '../errors.ts'

/** An upload by an HTML form, up to where its file begins. */
export interface PostForm {
  /** The fields before the file, by lower-case name; `${filename}` stands in none of them any more. */
  fields: ReadonlyMap<string, string>
  /** The file's bytes; throws MalformedPOSTRequest or IncompleteBody where they end too early. */
  file: AsyncIterable<Uint8Array>
}

const MOST_FIELD_BYTES = 8192
const MOST_BYTES = 20_480
const MOST_FIELDS = 100

const typeOf = ({ headers }: http.IncomingMessage): string => headers['content-type'] ?? ''
const isMultipart = (request: http.IncomingMessage): boolean => /^multipart\/form-data *(;|$)/i.test(typeOf(request))

/** Whether a request is a form whose fields carry its credential. */
export const isForm = (request: http.IncomingMessage): boolean =>
  request.method === 'POST' && request.headers.authorization === undefined && isMultipart(request)

/** Throws PreconditionFailed for a request that would be an upload by a form, if it were a form. */
export function assertForm(request: http.IncomingMessage): void {
  if (!isMultipart(request))
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      fields: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
    })
}

const malformed = (message = 'The body of your POST request is not well-formed multipart/form-data.') =>
  new S3Error('MalformedPOSTRequest', message)
/** Whether a parser put U+FFFD in place of what it could not decode: nothing is stored that was not sent. */
const isBroken = (text: string): boolean => text.includes('\ufffd')
const tooLong = () =>
  new S3Error('MaxPostPreDataLengthExceeded', 'Your POST request fields preceding the upload file were too large.', {
    fields: { MaxPostPreDataLengthBytes: String(MOST_BYTES) },
  })

/**
 * Reads a form's fields; resolves where its file begins. What comes after the file is ignored. Throws
 * MalformedPOSTRequest, MaxPostPreDataLengthExceeded, or InvalidArgument for a form without a file.
 */
export function readForm(request: http.IncomingMessage, response: http.ServerResponse): Promise<PostForm> {
  const { promise, resolve, reject } = Promise.withResolvers<PostForm>()
  const fields = new Map<string, string>()
  let file: Readable | undefined
  let bytes = 0
  const fail = (error: Error) => {
    request.unpipe()
    reject(error)
    file?.destroy(error)
  }
  const parser = openParser(request)
  // A part without a name comes with undefined, whatever the types say.
  parser.on('field', (name: string | undefined, value, nameTruncated, valueTruncated) => {
    if (file) return
    bytes += (name?.length ?? 0) + value.length
    if (nameTruncated || valueTruncated || bytes > MOST_BYTES) return fail(tooLong())
    if (name === undefined) return fail(malformed())
    if (isBroken(name) || isBroken(value)) return fail(malformed(`The field ${name} is not UTF-8.`))
    const lower = name.toLowerCase()
    const before = fields.get(lower)
    if (before === undefined) fields.set(lower, value)
    // https://docs.aws.amazon.com/AmazonS3/latest/developerguide/HTTPPOSTForms.html: joined by commas.
    else if (lower.startsWith('x-amz-meta-')) fields.set(lower, `${before},${value}`)
    else fail(malformed(`The field ${name} is given more than once.`))
  })
  parser.on('file', (_name, stream, filename: string | undefined) => {
    file = stream
    // Who refuses the form does not read the file, and hears nothing of how it ends.
    stream.on('error', () => undefined)
    try {
      resolve({ fields: withFilename(fields, filename ?? ''), file: contentsOf(stream) })
    } catch (error) {
      fail(error as Error)
    }
  })
  parser.on('fieldsLimit', () => {
    if (!file) fail(malformed('The form has too many fields.'))
  })
  parser.on('error', () => fail(malformed()))
  parser.on('finish', () => {
    if (!file) fail(invalidArgument('file', '0', 'POST requires exactly one file upload per request.'))
  })
  // The client may leave before the form's end.
  request.once('close', () => {
    if (!request.complete) fail(new S3Error('IncompleteBody', 'The request body terminated unexpectedly'))
  })
  expectBody(request, response)
  request.pipe(parser)
  return promise
}

/** Parts of a body that ends before its last boundary end with an error of the parser's. */
async function* contentsOf(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file as AsyncIterable<Uint8Array>
  } catch (error) {
    throw error instanceof S3Error ? error : malformed()
  }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: that is how forms write it.
const FILENAME = '${filename}'

/**
 * The fields with the name of the file in place of `${filename}`: of a path, what follows its last slash or backslash.
 * Throws MaxPostPreDataLengthExceeded, or MalformedPOSTRequest where a name that is no UTF-8 is asked for.
 */
function withFilename(fields: ReadonlyMap<string, string>, path: string): Map<string, string> {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  let bytes = 0
  for (const [field, value] of fields) {
    const times = value.split(FILENAME).length - 1
    bytes += field.length + value.length + times * (name.length - FILENAME.length)
    if (times > 0 && isBroken(name)) throw malformed('The name of the file is not UTF-8.')
  }
  if (bytes > MOST_BYTES) throw tooLong()
  return new Map([...fields].map(([field, value]) => [field, value.replaceAll(FILENAME, () => name)]))
}

function openParser(request: http.IncomingMessage) {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': typeOf(request) },
      // Any field may come with a file name; only this one is the file.
      isPartAFile: (name) => name?.toLowerCase() === 'file',
      preservePath: true,
      limits: { fieldNameSize: 256, fieldSize: MOST_FIELD_BYTES, fields: MOST_FIELDS, files: 1, headerSize: 8192 },
    })
  } catch {
    throw malformed()
  }
}
