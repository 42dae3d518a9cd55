import { STATUS_CODES } from 'node:http'
import type { S3Error } from '../errors.ts'

const NAMED: { [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => NAMED[one] ?? one)

const list = (fields: Readonly<Record<string, string>>): string =>
  `<ul>\n${Object.entries(fields)
    .map(([name, value]) => `<li>${escapeHtml(`${name}: ${value}`)}</li>\n`)
    .join('')}</ul>\n`

const told = ({ code, message, fields }: S3Error) => ({ Code: code, Message: message, ...fields })

/**
 * How a website shows an error, and the one that kept its own page for errors from being shown
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/CustomErrorDocSupport.html).
 */
export function errorPage(id: string, error: S3Error, instead?: S3Error): string {
  const title = `${error.status} ${STATUS_CODES[error.status] ?? ''}`
  const second = instead
    ? `<h3>An Error Occurred While Attempting to Retrieve a Custom Error Document</h3>\n${list(told(instead))}`
    : ''
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n${list({
    ...told(error),
    RequestId: id,
    HostId: id,
  })}${second}<hr/>\n</body>\n</html>\n`
}
