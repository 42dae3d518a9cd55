import type { LanguageFn } from 'highlight.js'
import highlight from 'highlight.js/lib/core'

/** Each is loaded when a text needs it. */
const languages: Record<string, () => Promise<{ default: LanguageFn }>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}
/** The names by which Markdown's code blocks call them. */
const aliases: Record<string, string> = {
  js: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  rb: 'ruby',
  sh: 'bash',
  shell: 'bash',
  console: 'bash',
  yml: 'yaml',
  html: 'xml',
  svg: 'xml',
  md: 'markdown',
  toml: 'ini',
  c: 'cpp',
  cs: 'csharp',
  rs: 'rust',
  golang: 'go',
  docker: 'dockerfile',
  make: 'makefile',
}

type Tone = 'name' | 'text' | 'number' | 'word' | 'note'
export interface Part {
  text: string
  tone: Tone | undefined
}
const tones: readonly (readonly [RegExp, Tone])[] = [
  [/attr|name|section|title|property/, 'name'],
  [/string|regexp|link|code|addition/, 'text'],
  [/number|literal|symbol/, 'number'],
  [/keyword|tag|built_in|bullet|strong|type/, 'word'],
  [/comment|quote|meta|doctag|deletion/, 'note'],
]

/**
 * A text as tokens with their kinds; null for a language that is not known. The highlighter returns markup, which is
 * parsed in a separate document that runs nothing. Only its text is used, so no markup ever reaches the page.
 */
export async function colour(words: string, named: string): Promise<Part[] | null> {
  const language = aliases[named] ?? named
  const load = Object.hasOwn(languages, language) ? languages[language] : undefined
  if (!load) return null
  if (!highlight.getLanguage(language)) highlight.registerLanguage(language, (await load()).default)
  const { value } = highlight.highlight(words, { language, ignoreIllegals: true })
  const inert = new DOMParser().parseFromString(`<pre>\n${value}</pre>`, 'text/html')
  const parts: Part[] = []
  const walk = (node: Node, tone: Tone | undefined): void => {
    if (node.nodeType === Node.TEXT_NODE) {
      const last = parts.at(-1)
      const text = node.textContent ?? ''
      if (last && last.tone === tone) last.text += text
      else parts.push({ text, tone })
      return
    }
    const own = node instanceof Element ? tones.find(([pattern]) => pattern.test(node.className))?.[1] : undefined
    for (const child of node.childNodes) walk(child, own ?? tone)
  }
  const pre = inert.querySelector('pre')
  if (pre) walk(pre, undefined)
  return parts
}
