/** An element's contents: text, elements, or nothing. */
export type Xml = string | number | boolean | null | undefined | { readonly xml: string }

const NAMED: { [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML 1.0 cannot carry, not even as a reference (https://www.w3.org/TR/xml/#charsets). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about those.
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\p{Cs}\ufffe\uffff]/u

/**
 * Text as XML can carry it: markup is named, and other control characters become references. In place of what no document
 * can have stands U+FFFD, for a document that no parser reads says nothing at all: whoever has such keys asks for
 * `encoding-type=url`.
 */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"\p{Cc}\p{Cs}\ufffe\uffff]/gu, (one) => {
    if (NOT_XML.test(one)) return '\ufffd'
    return NAMED[one] ?? `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`
  })

/** `<name>…</name>`; an undefined or null value is left out. */
export const element = (name: string, ...contents: readonly Xml[]): { xml: string } =>
  contents.length === 1 && (contents[0] === undefined || contents[0] === null)
    ? { xml: '' }
    : tagged(name, '', contents)

function tagged(name: string, attributes: string, contents: readonly Xml[]): { xml: string } {
  const inner = contents.map((one) =>
    typeof one === 'object' && one !== null ? one.xml : one === undefined || one === null ? '' : escapeXml(String(one)),
  )
  return { xml: `<${name}${attributes}>${inner.join('')}</${name}>` }
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** A result document of S3. */
export const result = (name: string, ...contents: readonly Xml[]): string =>
  DECLARATION + tagged(name, ` xmlns="${NAMESPACE}"`, contents).xml

/** An element that says of which kind it is (`xsi:type`). */
export const typedElement = (name: string, type: string, ...contents: readonly Xml[]): { xml: string } =>
  tagged(name, ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`, contents)

/** A document without a namespace. */
export const bareDocument = (name: string, fields: Readonly<Record<string, string>>): string =>
  DECLARATION + element(name, ...Object.entries(fields).map(([field, value]) => element(field, value))).xml

export const errorDocument = (fields: Readonly<Record<string, string>>): string => bareDocument('Error', fields)

/** Times in documents: whole seconds, so that they equal those in headers. */
export const xmlTime = (time: string): string => `${time.slice(0, 19)}.000Z`
