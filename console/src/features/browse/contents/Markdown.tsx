import { lexer, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode, useMemo } from 'react'
import { objectText } from '../object-messages.ts'
import { Code } from './Code.tsx'

/**
 * Markdown as elements of the page, each created from a token: no markup of the text ever reaches the page. HTML within
 * it is shown as text, pictures are named and not loaded, and links lead only to web and mail addresses.
 */
export default function Markdown({ words }: { words: string }) {
  const tokens = useMemo(() => lexer(words), [words])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className="contents-markdown" tabIndex={0} aria-label={objectText.form('markdown')}>
      <Blocks tokens={tokens} />
    </section>
  )
}

const each = (tokens: readonly Token[], show: (token: Token) => ReactNode) =>
  tokens.map((token, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change
    <Fragment key={i}>{show(token)}</Fragment>
  ))
const Blocks = ({ tokens = [] }: { tokens?: readonly Token[] | undefined }) => <>{each(tokens, showBlock)}</>
const Inline = ({ tokens = [] }: { tokens?: readonly Token[] | undefined }) => <>{each(tokens, showInline)}</>

function showBlock(token: Token): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading {...(token as Tokens.Heading)} />
    case 'paragraph':
      return (
        <p>
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} />
        </blockquote>
      )
    case 'list':
      return <List {...(token as Tokens.List)} />
    case 'code':
      return <Code words={token.text} language={(token.lang ?? '').split(/\s/, 1)[0]?.toLowerCase() ?? ''} />
    case 'hr':
      return <hr />
    case 'table':
      return <Table {...(token as Tokens.Table)} />
    case 'space':
    case 'def':
      return null
    default:
      return showInline(token)
  }
}

/** The page has its own first and second headings. */
function Heading({ depth, tokens }: Tokens.Heading) {
  const Level = `h${Math.min(6, depth + 2)}` as 'h3'
  return (
    <Level data-depth={depth}>
      <Inline tokens={tokens} />
    </Level>
  )
}

function List({ ordered, start, items }: Tokens.List) {
  const all = items.map((item, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change
    <li key={i} className={item.task ? 'task' : undefined}>
      {item.task ? <input type="checkbox" checked={item.checked === true} disabled readOnly aria-hidden /> : null}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== 'checkbox')} />
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{all}</ol> : <ul>{all}</ul>
}

const Table = ({ header, rows }: Tokens.Table) => (
  <table>
    <thead>
      <tr>
        {header.map(({ tokens }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <th key={i} scope="col">
            <Inline tokens={tokens} />
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, r) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <tr key={r}>
          {row.map(({ tokens }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <td key={i}>
              <Inline tokens={tokens} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

function showInline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Anchor {...(token as Tokens.Link)} />
    case 'image':
      return <span className="dim">[{decoded(token.text) || token.href}]</span>
    case 'escape':
      return token.text
    case 'html':
      return <span className="dim">{token.raw}</span>
    default:
      return 'tokens' in token && token.tokens ? <Inline tokens={token.tokens} /> : decoded(token.raw)
  }
}

/** Where else a link leads, such as to a file of the same folder, is only its title. */
function Anchor({ href: written, tokens }: Tokens.Link) {
  const href = decoded(written)
  const isOutside = /^(https?:\/\/|mailto:)/i.test(href)
  if (!isOutside)
    return (
      <span title={href}>
        <Inline tokens={tokens} />
      </span>
    )
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      <Inline tokens={tokens} />
    </a>
  )
}

const entity = /&(?:#x?[\da-f]+|[a-z][\da-z]*);/gi
/** Character references are text: a separate document reads each by itself. */
const decoded = (words: string): string =>
  words.replace(entity, (one) => new DOMParser().parseFromString(one, 'text/html').body.textContent ?? one)
