import type { DocumentShape, Elements } from '../../server/fronts/s3/requests/read-xml.ts'
import { fragments, run } from './troublesome.ts'

const escaped = (text: string): string => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`)

/** The elements that one may have without being refused, and those of each; undefined for text. */
const inside = (elements: Elements): (readonly [name: string, within: Elements | undefined])[] =>
  Object.entries(elements)
    .filter(([, allowed]) => allowed !== 'refused')
    .map(([name, allowed]) => {
      const of =
        typeof allowed !== 'string' && typeof allowed.many === 'number' ? (allowed as { of: unknown }).of : allowed
      return [name, of === 'text' ? undefined : (of as Elements)]
    })

/** The paths of all elements of text that a document may have. */
export function fieldsOf({ elements }: Pick<DocumentShape, 'elements'>, before = ''): string[] {
  return inside(elements).flatMap(([name, within]) =>
    within === undefined ? [`${before}${name}`] : fieldsOf({ elements: within }, `${before}${name}/`),
  )
}

/** A document with one of each element, and a text in the field at a path. */
export function xmlOf(
  { root, elements }: Pick<DocumentShape, 'root' | 'elements'>,
  field: string,
  text: string,
): string {
  const contents = (of: Elements, before: string): string =>
    inside(of)
      .map(([name, within]) => {
        const path = `${before}${name}`
        const inner = within ? contents(within, `${path}/`) : path === field ? escaped(text) : '1'
        return `<${name}>${inner}</${name}>`
      })
      .join('')
  return `<${root}>${contents(elements, '')}</${root}>`
}

/** Documents of a size, at most the largest, that are as bad as XML can be. */
export function hostileXml({ root, most, elements }: DocumentShape, size = most): { what: string; body: string }[] {
  const bytes = Math.min(size, most) - 200
  const first = fieldsOf({ elements })[0]?.split('/') ?? []
  const opened = first.map((name) => `<${name}>`).join('')
  const within = (text: string) => `<${root}>${opened}${text}`
  const children = inside(elements).flatMap(([name, of]) => [
    { what: `empty ${name}`, body: `<${root}>${run(`<${name}/>`, bytes)}` },
    ...(of
      ? [
          {
            what: `whole ${name}`,
            body: `<${root}>${run(xmlOf({ root: name, elements: of }, '', ''), bytes)}</${root}>`,
          },
        ]
      : []),
  ])
  return [
    ...children,
    ...fragments.map((fragment) => ({ what: `nothing but ${fragment}`, body: run(fragment, bytes) })),
    ...fragments.map((fragment) => ({ what: `elements and ${fragment}`, body: `<${root}>${run(fragment, bytes)}` })),
    { what: 'unknown elements', body: `<${root}>${run('<a/>', bytes)}</${root}>` },
    { what: 'references', body: within(run('&#65;', bytes)) },
    { what: 'named references', body: within(run('&amp;', bytes)) },
    { what: 'comments', body: within(run('<!--x-->', bytes)) },
    { what: 'one comment', body: within(`<!--${run('- ', bytes)}`) },
    { what: 'CDATA', body: within(run('<![CDATA[x]]>', bytes)) },
    { what: 'CDATA that does not end', body: within(`<![CDATA[${run(']', bytes)}`) },
    { what: 'depth', body: run('<a>', bytes) },
    { what: 'depth of the root', body: run(`<${root}>`, bytes) },
    { what: 'attributes', body: `<${root} ${Array.from({ length: bytes / 12 }, (_, i) => `a${i}="1"`).join(' ')}>` },
    { what: 'the same attribute', body: `<${root} ${run('a="1" ', bytes)}>` },
    { what: 'a long attribute', body: `<${root} a="${run('&#65;', bytes)}">` },
    { what: 'a long name', body: `<${run('a', bytes)}>` },
    { what: 'spaces in a tag', body: `<${root}${run(' ', bytes)}` },
    { what: 'instructions', body: `<${root}>${run('<?a b?>', bytes)}` },
    { what: 'a document type', body: `<!DOCTYPE ${run('a [', bytes)}` },
  ]
}
