// The texts of the console and the public pages: patterns that must not come back, each with its reason.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const habits: readonly { pattern: RegExp; reason: string }[] = [
  { pattern: /\b(make|makes|making|made)\b/i, reason: 'Software creates: “Create link”, “Created by”.' },
  {
    pattern: /\b(is|are) (saved|made|created|changed|deleted|removed|revoked|renamed|queued|set)$/,
    reason: 'A result is short: “Policy saved”.',
  },
  { pattern: /^(Most|Longest|Usual|Largest(?! buckets)) /, reason: '“Maximum …” or “Default …”.' },
  { pattern: /^End(s|ed)\b|\b(never|not) ends?\b|\bended ones\b/i, reason: '“Expires”, “Expired”, “Never expires”.' },
  { pattern: /\brights?\b|\byou lack\b/i, reason: '“Permission”; “you don’t have permission”.' },
  { pattern: /\bempty: /i, reason: '“Leave empty for …” or “Default: …”.' },
  { pattern: /\b(begin|begins|began|begun)\b/i, reason: '“Start”, “Started”.' },
  { pattern: /\b(is|are|names) taken\b|\btakes? no\b/i, reason: '“Already exists”, “is full”.' },
  {
    pattern: /\b(give|gives|given) (\w+ )?up\b|\bput back\b|\b(go|goes|went) on\b|\banew\b|\bonce more\b/i,
    reason: '“Cancel”, “Restore”, “Resume”, “again”.',
  },
  { pattern: /\b(un)?tied?\b/i, reason: '“Link”, “Unlink”.' },
  { pattern: /\b(people|person(?! who)|accounts? of)\b/i, reason: 'Those who sign in are users.' },
  { pattern: /\b(somebody|anybody|everybody|nobody)\b/i, reason: '“Someone”, “anyone”, “everyone”, “no one”.' },
  { pattern: /\b(you|they) may\b|\bmay not\b/i, reason: '“Can”, “can’t”.' },
  { pattern: /\bcannot\b|\bdo(es)? not\b/i, reason: 'Contractions read as people speak: “can’t”, “doesn’t”.' },
  { pattern: /\bfor good\b|\bat once\b/i, reason: '“Permanently”, “immediately”.' },
  { pattern: /\bis over\b/i, reason: '“Is in the past”, “has expired”.' },
  { pattern: /\be-mail/i, reason: '“Email”.' },
  { pattern: /(?<![-/])\blog(s|ged)?[ -]?in\b/i, reason: 'People sign in, and do so by a sign-in.' },
  { pattern: /\bby hand\b/i, reason: '“Manual”, “manually”.' },
  { pattern: /[A-Za-z]'[a-z]/, reason: 'The apostrophe is ’.' },
  { pattern: /[\d}] %/, reason: '“80%”.' },
  // Object Lock is the name that S3 gave it.
  { pattern: /^(?!Object Lock$)[A-Z][a-z]+( [A-Z][a-z]+)+$/, reason: 'Titles and labels have sentence case.' },
]

/** What is said in a catalogue: its string literals, with the fixed parts of those that have values in them. */
function* textsOf(source: string): Generator<string> {
  const code = source.replace(/^\s*(\/\/|\/?\*).*$/gm, '').replace(/^import .*$/gm, '')
  for (const [, plain, template] of code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)) {
    yield (plain ?? template ?? '').replaceAll("\\'", "'").replace(/\$\{[^}]*\}/g, '{}')
    // Texts within the values of a template.
    for (const [, inner] of (template ?? '').matchAll(/'((?:[^'\\\n]|\\.)*)'/g)) yield inner ?? ''
  }
}

const findHabits = (source: string): string[] =>
  [...textsOf(source)].flatMap((text) =>
    habits.filter(({ pattern }) => pattern.test(text)).map(({ reason }) => `“${text}”: ${reason}`),
  )

test('no text of the console falls back into an old habit', () => {
  const root = path.dirname(import.meta.dirname)
  const catalogues = fs.globSync(['console/src/**/messages.ts', 'console/link/src/texts/en.ts'], { cwd: root })
  assert.ok(catalogues.length >= 20, `${catalogues.length} catalogues`)
  const found = catalogues.flatMap((file) =>
    findHabits(fs.readFileSync(path.join(root, file), 'utf8')).map((fault) => `${file} ${fault}`),
  )
  assert.equal(found.join('\n'), '')
})

test('each habit is found where it is, and not in what is good', () => {
  const bad = [
    'Make link',
    'Bucket {} is created',
    'Most downloads',
    'Ends',
    'You lack a right for this',
    'Empty: none.',
    'Key begins with',
    '3 names are taken',
    'Give up',
    'Untie',
    'Import people',
    'Somebody else',
    'You may not upload',
    'This cannot be undone',
    'Delete for good',
    '{} is over',
    'E-mail',
    'Last login',
    'Run by hand',
    "You don't have permission",
    '{} %',
    'Share Links',
  ]
  for (const text of bad) assert.equal(findHabits(`  one: \`${text}\`,`).length > 0, true, text)
  const hit = new Set(
    habits.filter(({ pattern }) => bad.some((text) => pattern.test(text))).map(({ pattern }) => pattern),
  )
  assert.deepEqual(
    habits.filter(({ pattern }) => !hit.has(pattern)).map(({ pattern }) => String(pattern)),
    [],
  )
  const good = [
    'Create link',
    'Policy saved',
    'Maximum downloads',
    'Largest buckets',
    'Expires',
    'Start and end with a letter',
    'Leave empty for no limit.',
    'Ask the person who sent you the link.',
    'Run `strongroom enable-local-login`.',
    'The link may be wrong, or the item was deleted.',
    'Nothing is deleted yet.',
    'User ID',
    '80% full',
  ]
  for (const text of good) assert.deepEqual(findHabits(`  one: '${text}',`), [], text)
})
