import type { Page } from 'playwright-core'
import { auditOnly } from '../../contract/actions.ts'
import { events } from '../../contract/events.ts'
import { bucketActions, presetNames } from '../../contract/permissions.ts'

/**
 * Texts that may appear without accents in the pseudo-locale, because they are not the console's: contents, names from the
 * API, and output of `Intl`. `words` are those of the test's own contents.
 */
const plain = (words: readonly string[]): string[] => [
  // Headers and their values; languages of programs.
  '\\b[A-Z][a-z]+(-[A-Z][a-z]+)+\\b',
  '\\bwebhook-\\w+',
  '\\bv1,\\S+',
  'sha256=',
  '(?<!\\w)\\.env\\b',
  '\\b(Node|node|Python|Bash|curl|CLI|TypeScript|Kubernetes|GitHub Actions|AWS)\\b',
  ...[...words].sort((a, b) => b.length - a.length).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
  // Addresses, keys, identifiers, types of contents, variables, headers.
  '[\\w.+-]+@[\\w.-]+',
  'https?://\\S+',
  '[\\w.*%-]*/[\\w./*%+-]*',
  '\\b[\\w-]+\\.[a-z]{2,5}\\b',
  '\\b[0-9a-f]{8,}[0-9a-f-]*\\b',
  '\\b[A-Z]+_[A-Z_]+\\b',
  'svc_pat_\\w+',
  '\\bwhsec\\w*',
  '\\bx-(?:svc|strongroom)-[\\w-]+',
  // Times, sizes, numbers.
  '\\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d+, \\d{4}',
  '\\d+:\\d+(:\\d+)?\\s?[AP]M',
  '\\b[\\d,.]+\\s?([KMGT]?B|s|ms|min|h|%)\\b',
  '\\b(in )?\\d+ (second|minute|hour|day|month|year)s?( ago)?',
  '\\b(yesterday|tomorrow|now|(last|next) month)\\b',
  '\\bUTC\\b',
  '\\b[A-Z][a-z]+/[A-Z][a-z_]+\\b',
  `\\b(${[...Object.keys(events), ...auditOnly].join('|')}|ping)\\b`,
  '\\b(PAT|JWT|API|SHA-256|HMAC|CSV|NDJSON|JSON|GET|PUT|POST|PATCH|DELETE)\\b',
  // Names from the API: permissions, presets, resource types.
  `\\b(${[...bucketActions, ...presetNames].join('|')}|user|token|group|webhook|agent|approval)\\b`,
  // Sentences from the server.
  'The key ".*" is taken\\.',
  'Strongroom',
]

/** Texts of a page in a pseudo-locale that are in no catalog: visible ones, and names for assistive technology. */
export const rawTexts = (page: Page, words: readonly string[]): Promise<string[]> =>
  page.evaluate((patterns) => {
    const plain = new RegExp(patterns.join('|'), 'g')
    const found = new Set<string>()
    const look = (text: string | null, where: Element) => {
      let left = text ?? ''
      for (let before = ''; before !== left; ) {
        before = left
        left = left.replace(/\[[^[\]]*·\]/g, ' ')
      }
      left = left.replace(plain, ' ')
      if (/[A-Za-z]{2,}/.test(left))
        found.add(`${where.tagName.toLowerCase()}.${where.getAttribute('class') ?? ''}: ${left.trim().slice(0, 80)}`)
    }
    const isSeen = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest('pre, code, kbd, samp, mark, style, script, .mono, [data-data]')
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement
      if (parent && isSeen(parent)) look(walker.currentNode.textContent, parent)
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder]'))
      if (isSeen(element)) for (const name of ['aria-label', 'placeholder']) look(element.getAttribute(name), element)
    return [...found]
  }, plain(words))
