/** An element's contents: text, elements, or nothing. */
export type Xml = string | number | boolean | null | undefined | { readonly xml: string }

const SPECIAL = /[&<>"\p{Cc}\p{Cs}\ufffe\uffff]/u
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
