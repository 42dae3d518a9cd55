import { SaxesParser } from 'saxes'
import { S3Error } from './errors.ts'

/** An element of a request's document. */
export interface XmlNode {
  /** Without its namespace's prefix. */
  name: string
  text: string
  children: XmlNode[]
}

const MOST_DEPTH = 8
const MOST_TEXT = 8192

const malformed = () =>
  new S3Error(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )

/**
 * Reads a document while it arrives, at most `most` bytes of it; its root must have the given name, in any namespace or
 * none. Document types, processing instructions and depths that no operation has are refused. Throws MalformedXML, also
 * for an empty body, or MaxMessageLengthExceeded.
 */
export async function readXml(body: AsyncIterable<Uint8Array>, root: string, most: number): Promise<XmlNode> {
  const parser = new SaxesParser()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const document: XmlNode = { name: '', text: '', children: [] }
  const open: XmlNode[] = [document]
  const refuse = () => {
    throw malformed()
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('processinginstruction', refuse)
  parser.on('opentag', ({ name }) => {
    const node: XmlNode = { name: name.slice(name.indexOf(':') + 1), text: '', children: [] }
    open.at(-1)?.children.push(node)
    if (open.push(node) > MOST_DEPTH) throw malformed()
  })
  const addText = (text: string) => {
    const node = open.at(-1) as XmlNode
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
  for await (const chunk of body) {
    received += chunk.length
    if (received > most)
      throw new S3Error('MaxMessageLengthExceeded', 'Your request was too large.', {
        fields: { MaxMessageLengthBytes: String(most) },
      })
    write(chunk)
  }
  write()
  const [found] = document.children
  if (found?.name !== root) throw malformed()
  return found
}

/** The first child of a name; undefined without one. */
export const child = ({ children }: XmlNode, name: string): XmlNode | undefined =>
  children.find((one) => one.name === name)

/** The text of a child; undefined without one. */
export const childText = (node: XmlNode, name: string): string | undefined => child(node, name)?.text

/** The texts of all children of a name. */
export const childTexts = ({ children }: XmlNode, name: string): string[] =>
  children.filter((one) => one.name === name).map(({ text }) => text)

export { malformed as malformedXml }
