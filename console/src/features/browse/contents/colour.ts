import highlight from 'highlight.js/lib/core'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

for (const [name, language] of Object.entries({ javascript, json, markdown, xml, yaml }))
  highlight.registerLanguage(name, language)

type Tone = 'name' | 'text' | 'number' | 'word' | 'note'
const tones: readonly (readonly [RegExp, Tone])[] = [
  [/attr|name|section|title|property/, 'name'],
  [/string|regexp|link|code/, 'text'],
  [/number|literal|symbol/, 'number'],
  [/keyword|tag|built_in|bullet|strong|type/, 'word'],
  [/comment|quote|meta|doctag/, 'note'],
]

/**
 * A text as tokens with their kinds. The highlighter returns markup, which is parsed in a separate document that runs
 * nothing. Only its text is used, so no markup ever reaches the page.
 */
export function colour(words: string, language: string): { text: string; tone: Tone | undefined }[] {
  const { value } = highlight.highlight(words, { language, ignoreIllegals: true })
  const inert = new DOMParser().parseFromString(`<pre>\n${value}</pre>`, 'text/html')
  const parts: { text: string; tone: Tone | undefined }[] = []
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
