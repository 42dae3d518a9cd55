/** Reads the Markdown of the documentation: its links, headings and anchors. */

export interface Link {
  /** From 1. */
  line: number
  text: string
  /** As written: a path with or without an anchor, an anchor, or a URL. */
  target: string
}
export interface Heading {
  level: number
  /** Without its marks. */
  text: string
  /** Unique within its page. */
  anchor: string
}

/** An anchor as forges make it, without a number for headings of equal names. */
export const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/** A page with its fenced code blanked out; lines keep their numbers, and offsets stay the same. */
const withoutFences = (page: string): string =>
  page.replace(/^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm, (block) => block.replace(/[^\n]/g, ' '))

const LINK = /(?<open>!?\[)(?<text>(?:[^[\]]|!?\[[^\]]*\]\([^)]*\))*)\]\((?<target>[^()\s]+)\)/g
const INLINE_CODE = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g

/** All links and images outside code, in reading order. An image in a link's text is listed too. */
export function linksOf(page: string): Link[] {
  const links: Link[] = []
  const text = withoutFences(page)
  const prose = text.replace(INLINE_CODE, (code) => code.replace(/[^\n]/g, '_'))
  const find = (part: string, offset: number): void => {
    for (const found of part.matchAll(LINK)) {
      const { text: inner = '', target = '' } = found.groups ?? {}
      const at = offset + found.index
      const start = at + (found.groups?.open ?? '').length
      links.push({ line: lineAt(text, at), text: text.slice(start, start + inner.length), target })
      find(inner, start)
    }
    for (const { index, 1: target = '' } of part.matchAll(/<(?:img|source)\b[^>]*?\s(?:src|srcset)="([^"]+)"/g))
      links.push({ line: lineAt(text, offset + index), text: '', target })
  }
  find(prose, 0)
  return links
}

/** Calls `replace` for each Markdown link outside fenced code, and puts what it returns in the link's place. */
export function replaceLinks(page: string, replace: (link: { text: string; target: string }) => string): string {
  const prose = withoutFences(page).replace(INLINE_CODE, (code) => code.replace(/[^\n]/g, '_'))
  let result = ''
  let end = 0
  for (const found of prose.matchAll(LINK)) {
    const { open = '', text: inner = '', target = '' } = found.groups ?? {}
    const start = found.index + open.length
    const whole = page.slice(found.index, found.index + found[0].length)
    const isImage = open.startsWith('!')
    const text = page.slice(start, start + inner.length)
    result += page.slice(end, found.index) + (isImage ? whole : replace({ text, target }))
    end = found.index + found[0].length
  }
  return result + page.slice(end)
}

/** The headings of a page with their anchors; those of equal names are numbered from the second. */
export function headingsOf(page: string): Heading[] {
  const uses = new Map<string, number>()
  return [...withoutFences(page).matchAll(/^(#{1,6}) +(.+?)(?: +#+)?$/gm)].map(({ 1: marks = '', 2: raw = '' }) => {
    const text = raw.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
    const slug = slugify(text)
    const count = uses.get(slug) ?? 0
    uses.set(slug, count + 1)
    return { level: marks.length, text, anchor: count === 0 ? slug : `${slug}-${count}` }
  })
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length
