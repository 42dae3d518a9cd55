import type { StoredObject } from '../../../../../contract/objects.ts'

export type Kind = 'picture' | 'pdf' | 'video' | 'audio' | 'text' | 'none'
/** What a text is shown as besides its source. */
export type Form = 'json' | 'table' | 'markdown'

type About = Pick<StoredObject, 'content_type' | 'key'>

const textual =
  /\.(txt|log|md|markdown|json|geojson|jsonl|ndjson|csv|tsv|xml|svg|html?|ya?ml|toml|ini|conf|cfg|env|properties|js|mjs|cjs|jsx|ts|tsx|mts|css|scss|sql|sh|bash|zsh|ps1|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|lua|r|diff|patch|tf|srt|vtt)$/i
/** Files that are named and have no ending. */
const textualName =
  /(^|\/)(readme|license|licence|notice|changelog|authors|makefile|dockerfile|jenkinsfile|gemfile|rakefile|procfile|caddyfile|\.[\w-]*(rc|ignore|config|attributes))$/i

const typeOf = ({ content_type }: About) => content_type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * How an object is shown. Types that could contain scripts are shown as text or as an image, in which browsers run none,
 * never as part of the page.
 */
export function kindOf(about: About): Kind {
  const type = typeOf(about)
  if (type === 'application/pdf') return 'pdf'
  if (/^image\/(?!svg)/.test(type)) return 'picture'
  if (/^video\//.test(type)) return 'video'
  if (/^audio\//.test(type)) return 'audio'
  if (/^text\/|[/+](json|xml|yaml|x-yaml|x-ndjson|javascript|ecmascript|sql|x-sh|toml)$/.test(type)) return 'text'
  return textual.test(about.key) || textualName.test(about.key) ? 'text' : 'none'
}

/** Larger drawings are shown as their source alone. */
const MOST_DRAWING = 8 * 1024 * 1024
/** Whether a text is an SVG, which is shown as a picture too. */
export const isDrawing = (about: About & Pick<StoredObject, 'size'>): boolean =>
  about.size <= MOST_DRAWING && (typeOf(about) === 'image/svg+xml' || /\.svg$/i.test(about.key))

/** What a text can be shown as; undefined for one that has only its source. */
export function formOf(about: About): Form | undefined {
  const type = typeOf(about)
  if (/[/+]json$/.test(type) || /\.(geo)?json$/i.test(about.key)) return 'json'
  if (/^text\/(csv|tab-separated-values)$/.test(type) || /\.[ct]sv$/i.test(about.key)) return 'table'
  if (type === 'text/markdown' || /\.(md|markdown)$/i.test(about.key)) return 'markdown'
  return undefined
}

const languages: readonly (readonly [RegExp, string])[] = [
  [/json/, 'json'],
  [/\.(sh|bash|zsh|env)$|x-sh$/, 'bash'],
  [/(^|[/ ])dockerfile$/, 'dockerfile'],
  [/(^|[/ ])makefile$|\.mk$/, 'makefile'],
  [/\.(toml|ini|conf|cfg|properties)$|[/+]toml/, 'ini'],
  [/\.s?css$|text\/css/, 'css'],
  [/\.py$/, 'python'],
  [/\.go$/, 'go'],
  [/\.rs$/, 'rust'],
  [/\.rb$/, 'ruby'],
  [/\.(java|kt)$/, 'java'],
  [/\.(c|h|cc|cpp|hpp)$/, 'cpp'],
  [/\.cs$/, 'csharp'],
  [/\.php$/, 'php'],
  [/\.sql$|[/+]sql/, 'sql'],
  [/\.(diff|patch)$/, 'diff'],
  [/xml|html|svg/, 'xml'],
  [/markdown|\.md$/, 'markdown'],
  [/ya?ml/, 'yaml'],
  [/\.m?tsx?$/, 'typescript'],
  [/javascript|\.(jsx?|[cm]js)$/, 'javascript'],
]
/** The highlighter's language for a text; '' if none. */
export const languageOf = (about: About): string =>
  languages.find(([pattern]) => pattern.test(`${typeOf(about)} ${about.key.toLowerCase()}`))?.[1] ?? ''
