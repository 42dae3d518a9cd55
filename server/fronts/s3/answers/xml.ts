/** An element, or several, as text that needs no escapes. */
export interface Element {
  readonly xml: string
}
/** An element's contents: text, elements, or nothing. */
export type Xml = string | number | boolean | null | undefined | Element

/**
 * Anything but what stands for itself; halves of pairs count as special too. Without the classes of Unicode it is five times as
 * fast, and lists look through thousands of texts.
 */
const SPECIAL = /[^ !#-%'-;=?-~\u00a0-\ud7ff\ue000-\ufffd]/
/** What XML 1.0 cannot carry, not even as a reference (https://www.w3.org/TR/xml/#charsets), and all other control characters. */
const UNPRINTED = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu
/** The references of the control characters that XML can carry. */
const REFERENCES = new Map(
  [0x09, 0x0a, 0x0d, ...Array.from({ length: 33 }, (_, i) => 0x7f + i)].map((code) => [
    String.fromCharCode(code),
    `&#x${code.toString(16).toUpperCase()};`,
  ]),
)

/**
 * Text as XML can carry it: markup is named, and other control characters become references. In place of what no document
 * can have stands U+FFFD, for a document that no parser reads says nothing at all: whoever has such keys asks for
 * `encoding-type=url`. A list can have a million characters of them.
 */
export const escapeXml = (text: string): string =>
  SPECIAL.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replace(UNPRINTED, (one) => REFERENCES.get(one) ?? '\ufffd')
    : text

/** `<name>…</name>` around a text, where an object for each would be too much. */
export const leaf = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`

/** `<name>…</name>`; an undefined or null value is left out. */
export const element = (name: string, ...contents: readonly Xml[]): Element =>
  contents.length === 1 && (contents[0] === undefined || contents[0] === null)
    ? { xml: '' }
    : tagged(name, '', contents)

function tagged(name: string, attributes: string, contents: readonly Xml[]): Element {
  // A list has thousands of elements: no arrays in between.
  let xml = `<${name}${attributes}>`
  for (const one of contents)
    if (typeof one === 'string') xml += escapeXml(one)
    else if (typeof one === 'object' && one !== null) xml += one.xml
    else if (one !== undefined && one !== null) xml += one
  return { xml: `${xml}</${name}>` }
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** A document in a namespace. */
export const inNamespace = (name: string, namespace: string, ...contents: readonly Xml[]): string =>
  DECLARATION + tagged(name, ` xmlns="${namespace}"`, contents).xml

/** A result document of S3. */
export const result = (name: string, ...contents: readonly Xml[]): string => inNamespace(name, NAMESPACE, ...contents)

/** What long documents are written into, and the most bytes that are kept for the next one. */
let scratch = Buffer.allocUnsafeSlow(64 * 1024)
const MOST_SCRATCH = 1024 * 1024
/** Bytes of UTF-8 that one UTF-16 unit may take. */
const WIDEST = 3

/**
 * The same with many elements at its end, as bytes. Each element becomes bytes as soon as it is made: a thousand texts, each put
 * together from many, would outlive several collections of garbage.
 */
export function longResult(name: string, contents: readonly Xml[], many: Iterable<Element>): Buffer {
  let buffer = scratch
  let at = 0
  const write = (text: string) => {
    if (buffer.length - at < text.length * WIDEST) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, at + text.length * WIDEST))
      buffer.copy(larger, 0, 0, at)
      buffer = larger
    }
    at += buffer.write(text, at)
  }
  const end = `</${name}>`
  write(result(name, ...contents).slice(0, -end.length))
  for (const { xml } of many) write(xml)
  write(end)
  if (buffer.length <= MOST_SCRATCH) scratch = buffer
  return Buffer.from(buffer.subarray(0, at))
}

/** An element that says of which kind it is (`xsi:type`). */
export const typedElement = (name: string, type: string, ...contents: readonly Xml[]): Element =>
  tagged(name, ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`, contents)

/** A document without a namespace. */
export const bareDocument = (name: string, fields: Readonly<Record<string, string>>): string =>
  DECLARATION + element(name, ...Object.entries(fields).map(([field, value]) => element(field, value))).xml

export const errorDocument = (fields: Readonly<Record<string, string>>): string => bareDocument('Error', fields)

/** Times in documents: whole seconds, so that they equal those in headers. */
export const xmlTime = (time: string): string => `${time.slice(0, 19)}.000Z`
