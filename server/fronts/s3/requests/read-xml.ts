import { SaxesParser } from 'saxes'
import { takingTurns } from '../../../base/turns.ts'
import { S3Error } from '../errors.ts'
import { verified } from './body-digests.ts'
import type { Exchange } from './exchange.ts'

/** An element of a request's document. */
export interface XmlNode {
  /** Without its namespace's prefix. */
  name: string
  text: string
  children: XmlNode[]
  /** The attribute of XML Schema for its kind (`xsi:type`), if it has one. */
  type?: string
}

/** The elements that an element may have, by name. */
export interface Elements {
  readonly [name: string]: Allowed
}
/**
 * What an element may be: of text only, with these elements, or either of which there may be `many`. Of all others there is
 * one: of two, one would be dropped without a word. `refused` by name is one that S3 has and nothing here does.
 */
type Allowed = 'text' | 'refused' | Elements | Many
type Many = { readonly many: number; readonly of: 'text' | Elements }

/** Up to a number of elements of one name, where most have one. */
export const many = (most: number, of: 'text' | Elements = 'text'): Many => ({ many: most, of })

/** A document that an operation reads. */
export interface DocumentShape {
  /** The name of its root, in any namespace or none. */
  root: string
  /** In bytes. */
  most: number
  elements: Elements
}

const MOST_ATTRIBUTES = 8
const MOST_TEXT = 8192

const malformed = () =>
  new S3Error(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )

/** An element that is not closed yet. */
interface Open {
  node: XmlNode
  elements: Elements
  /** How many of each name it has. */
  counts: Map<string, number>
}

const isMany = (allowed: Allowed): allowed is Many => typeof allowed !== 'string' && typeof allowed.many === 'number'

/**
 * The place of a new element in the one that is open. Throws MalformedXML for one that it cannot have, or one too many, and
 * NotImplemented for one that is refused.
 */
function openIn({ node: parent, elements, counts }: Open, name: string): Open {
  const allowed = Object.hasOwn(elements, name) ? elements[name] : undefined
  if (allowed === undefined) throw malformed()
  if (allowed === 'refused') throw new S3Error('NotImplemented', `The element ${name} is not implemented.`)
  const { many: most, of } = isMany(allowed) ? allowed : many(1, allowed)
  const count = (counts.get(name) ?? 0) + 1
  if (count > most) throw malformed()
  counts.set(name, count)
  const node: XmlNode = { name, text: '', children: [] }
  parent.children.push(node)
  return { node, elements: of === 'text' ? {} : of, counts: new Map() }
}

/**
 * Reads a document while it arrives. Nothing is kept that it cannot have: elements that its shape does not name or that
 * are too many, attributes of which there are many, document types and processing instructions are refused where they
 * begin. Throws MalformedXML, also for an empty body, NotImplemented or MaxMessageLengthExceeded.
 */
export async function readXml(
  body: AsyncIterable<Uint8Array>,
  { root, most, elements }: DocumentShape,
): Promise<XmlNode> {
  const parser = new SaxesParser()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const document: XmlNode = { name: '', text: '', children: [] }
  const open: Open[] = [{ node: document, elements: { [root]: many(1, elements) }, counts: new Map() }]
  const refuse = () => {
    throw malformed()
  }
  let attributes = 0
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('processinginstruction', refuse)
  parser.on('opentagstart', ({ name }) => {
    attributes = 0
    open.push(openIn(open.at(-1) as Open, name.slice(name.indexOf(':') + 1)))
  })
  parser.on('attribute', ({ name, value }) => {
    if (++attributes > MOST_ATTRIBUTES) throw malformed()
    // `xsi:type`, whatever the prefix is.
    const { node } = open.at(-1) as Open
    if (name.endsWith(':type')) node.type = value
  })
  const addText = (text: string) => {
    const { node } = open.at(-1) as Open
    node.text += text
    if (node.text.length > MOST_TEXT) throw malformed()
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  let received = 0
  const write = (bytes?: Uint8Array) => {
    try {
      parser.write(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode())
      if (!bytes) parser.close()
    } catch (error) {
      throw error instanceof S3Error ? error : malformed()
    }
  }
  const turn = takingTurns()
  for await (const chunk of body) {
    // What has arrived by now could all be parsed without a break.
    await turn()
    received += chunk.length
    if (received > most)
      throw new S3Error('MaxMessageLengthExceeded', 'Your request was too large.', {
        fields: { MaxMessageLengthBytes: String(most) },
      })
    write(chunk)
  }
  write()
  const [found] = document.children
  if (!found) throw malformed()
  return found
}

/** Reads a request's document, by default with its digests; then the next of the caller's large ones may be sent. */
export async function readDocument(
  exchange: Exchange,
  shape: DocumentShape,
  body: AsyncIterable<Uint8Array> = verified(exchange),
): Promise<XmlNode> {
  try {
    return await readXml(body, shape)
  } finally {
    exchange.endTurn?.()
  }
}

/** The first child of a name; undefined without one. */
export const child = ({ children }: XmlNode, name: string): XmlNode | undefined =>
  children.find((one) => one.name === name)

/** The text of a child; undefined without one. */
export const childText = (node: XmlNode, name: string): string | undefined => child(node, name)?.text

/** Whether a child says `true`; false without one. Throws MalformedXML for any other text than that and `false`. */
export function childFlag(node: XmlNode, name: string): boolean {
  const text = childText(node, name)?.trim().toLowerCase() ?? 'false'
  if (text !== 'true' && text !== 'false') throw malformed()
  return text === 'true'
}

/** The texts of all children of a name. */
export const childTexts = ({ children }: XmlNode, name: string): string[] =>
  children.filter((one) => one.name === name).map(({ text }) => text)

export { malformed as malformedXml }
