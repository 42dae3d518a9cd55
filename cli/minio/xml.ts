import { SaxesParser } from 'saxes'

/** An element of a document. */
export interface XmlNode {
  /** Without its namespace's prefix. */
  name: string
  text: string
  children: XmlNode[]
}

const MOST_DEPTH = 16

/** The root of a document. Throws if it is not well-formed, or has a document type. */
export function parseXml(text: string): XmlNode {
  const parser = new SaxesParser()
  const document: XmlNode = { name: '', text: '', children: [] }
  const open: XmlNode[] = [document]
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('a document type is not allowed')
  })
  parser.on('opentag', ({ name }) => {
    const node: XmlNode = { name: name.slice(name.indexOf(':') + 1), text: '', children: [] }
    open.at(-1)?.children.push(node)
    if (open.push(node) > MOST_DEPTH) throw new Error('its elements are nested too deeply')
  })
  const addText = (more: string) => {
    const node = open.at(-1)
    if (node) node.text += more
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  parser.write(text.replace(/^\uFEFF/, '')).close()
  const [root] = document.children
  if (!root) throw new Error('it is empty')
  return root
}

export const childOf = (node: XmlNode, name: string): XmlNode | undefined =>
  node.children.find((one) => one.name === name)
export const childrenOf = (node: XmlNode, name: string): XmlNode[] => node.children.filter((one) => one.name === name)
/** The text of a child, without blanks around it; undefined without one. */
export const textIn = (node: XmlNode, name: string): string | undefined => childOf(node, name)?.text.trim()
/** The whole number in a child; undefined without one, NaN if it is not one. */
export const numberIn = (node: XmlNode, name: string): number | undefined => {
  const text = textIn(node, name)
  return text === undefined ? undefined : /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
}
