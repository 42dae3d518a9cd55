import type http from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { expectBody } from '../../http/body.ts'
import { S3Error } from './errors.ts'

/** An upload by an HTML form, up to where its file begins. */
export interface PostForm {
  /** The fields before the file, by lower-case name. */
  fields: Map<string, string>
  filename: string
  file: Readable
}

const MOST_FIELD_BYTES = 8192
const MOST_BYTES = 20_480
const MOST_FIELDS = 100

/** Whether a request is a form whose fields carry its credential. */
export const isForm = ({ method, headers }: http.IncomingMessage): boolean =>
  method === 'POST' &&
  headers.authorization === undefined &&
  /^multipart\/form-data\s*;/i.test(headers['content-type'] ?? '')

const malformed = (message: string) => new S3Error('MalformedPOSTRequest', message)

/**
 * Reads a form's fields; resolves where its file begins. What comes after the file is ignored. Throws
 * MalformedPOSTRequest or MaxPostPreDataLengthExceeded.
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
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (file) return
    bytes += name.length + value.length
    if (nameTruncated || valueTruncated || bytes > MOST_BYTES)
      fail(
        new S3Error(
          'MaxPostPreDataLengthExceeded',
          'Your POST request fields preceding the upload file were too large.',
        ),
      )
    else if (fields.has(name.toLowerCase())) fail(malformed(`The field ${name} is given more than once.`))
    else fields.set(name.toLowerCase(), value)
  })
  parser.on('file', (_name, stream, filename) => {
    file = stream
    resolve({ fields, filename, file: stream })
  })
  parser.on('fieldsLimit', () => fail(malformed('The form has too many fields.')))
  parser.on('error', () => fail(malformed('The body of your POST request is not well-formed multipart/form-data.')))
  parser.on('finish', () => {
    if (!file) fail(malformed('POST requires exactly one file upload per request.'))
  })
  // The client may leave before the form's end.
  request.once('close', () => {
    if (!request.complete) fail(new S3Error('IncompleteBody', 'The request body terminated unexpectedly'))
  })
  expectBody(request, response)
  request.pipe(parser)
  return promise
}

function openParser({ headers }: http.IncomingMessage) {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      // Any field may come with a file name; only this one is the file.
      isPartAFile: (name) => name?.toLowerCase() === 'file',
      preservePath: true,
      limits: { fieldNameSize: 256, fieldSize: MOST_FIELD_BYTES, fields: MOST_FIELDS, files: 1, headerSize: 8192 },
    })
  } catch {
    throw malformed('The body of your POST request is not well-formed multipart/form-data.')
  }
}
