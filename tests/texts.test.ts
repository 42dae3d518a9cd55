// The texts that strangers read (docs, API descriptions, errors, logs, help): patterns that must not come back, each with
// its reason. The console's own texts have stricter rules: console-texts.test.ts.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.dirname(import.meta.dirname)

interface Habit {
  pattern: RegExp
  reason: string
}

/** Habits that are wrong in any text. */
const habits: readonly Habit[] = [
  { pattern: /\b(begin|begins|began|begun|beginning)\b/i, reason: '“Start”.' },
  { pattern: /\b(mend|mends|mended|mending)\b/i, reason: '“Fix”.' },
  { pattern: /\banew\b|\bonce more\b/i, reason: '“Again”, “new”, or a verb with re-.' },
  { pattern: /\b(give|gives|gave|given|giving) back\b/i, reason: '“Return”, “release”, “restore”.' },
  { pattern: /\bgives (the|what|all|its|each|every|one)\b/i, reason: '“Returns”.' },
  { pattern: /\b(is|are|was|were|been) given up\b/i, reason: '“Is aborted”, “times out”.' },
  { pattern: /\b(go|goes|went|gone|going) on(?! to\b)\b/i, reason: '“Continue”, “resume”.' },
  { pattern: /\btold of\b|\bto be told\b|\bis told\b(?! to\b)/i, reason: '“Is notified of”, “is reported”.' },
  { pattern: /\bfor good\b/i, reason: '“Permanently”.' },
  { pattern: /\bfor ever\b/i, reason: '“Forever”.' },
  { pattern: /\bwithout a word\b/i, reason: '“Silently”.' },
  { pattern: /\bso (many|long)\b(?! (as|that)\b)/i, reason: 'A number, or “for that long”.' },
  { pattern: /\b(?<!there )(?<!if )(is|are) none\b/i, reason: '“Is not one”, “is not a …”.' },
  {
    pattern: /(^|[.;:] )who (has|may|holds|asks|wants|knows|lacks|manages|sends)\b(?![^.]*\?)/i,
    reason: '“Whoever has”, “users who have”.',
  },
  { pattern: /\b(names?|keys?|ports?) (that )?(is|are) taken\b/i, reason: '“Already exists”, “is in use”.' },
  { pattern: /\bas (it|they) (is|are)(?=[.,;:)]|$)/i, reason: '“Unchanged”, “literally”.' },
  { pattern: /\brights\b|\bthe right to\b|\bright is missing\b/i, reason: '“Permissions”, “access”.' },
  { pattern: /\bpersons?\b/i, reason: '“User”.' },
  { pattern: /\bmaker\b/i, reason: '“Creator”.' },
  { pattern: /\be-mail/i, reason: '“Email”.' },
  { pattern: /\bprocessors?\b/i, reason: '“CPU”, “core”.' },
  { pattern: /\bbeside\b/i, reason: '“Next to”, “alongside”, “in addition to”.' },
  { pattern: /\bof no use\b|\bno toy\b|\bis no (deployment|problem document|quota|end)\b/i, reason: '“Is not a …”.' },
]

const habitsIn = (text: string): string[] =>
  habits.flatMap(({ pattern, reason }) => {
    const found = pattern.exec(text)
    return found ? [`“${found[0].trim()}”: ${reason}`] : []
  })

/** A page's paragraphs with their line numbers, without code and link targets. */
function* proseOf(page: string): Generator<{ line: number; text: string }> {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ')
  const prose = page
    .replace(/^```.*?^```/gms, blank)
    .replace(/`[^`]+`/g, (code) => code.replace(/[^\n]/g, '_'))
    .replace(/\]\([^)]*\)/g, ']')
  let line = 1
  for (const paragraph of prose.split(/(?<=\n)(?=\n|[|#]|\s*[-*] |\s*\d+\. )/)) {
    const text = paragraph.replace(/\s+/g, ' ').trim()
    const before = /^\s*/.exec(paragraph)?.[0].split('\n').length ?? 1
    if (text) yield { line: line + before - 1, text }
    line += paragraph.split('\n').length - 1
  }
}

/** A source's texts for people: its string literals with at least two words, line by line, without SQL. */
function* literalsOf(source: string): Generator<{ line: number; text: string }> {
  for (const found of source.matchAll(TOKEN)) {
    const { tag, single, double, template } = found.groups ?? {}
    const literal = single ?? double ?? template
    if (literal === undefined || tag?.startsWith('sql')) continue
    const first = source.slice(0, found.index).split('\n').length
    for (const [index, text] of literal
      .replace(/\$\{[^}]*\}/g, '{}')
      .split('\n')
      .entries())
      if (/[a-z]+[,;:]? [a-z]+/i.test(text) && !SQL.test(text)) yield { line: first + index, text }
  }
}
/** Comments and regular expressions first, so that quotes in them open nothing; then the three kinds of strings. */
const TOKEN = new RegExp(
  [
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*/,
    /(?<=[(,=:[!&|?{};]\s*)\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
    /'(?<single>(?:[^'\\\n]|\\.)*)'|"(?<double>(?:[^"\\\n]|\\.)*)"/,
    /(?<tag>\bsql(?:<[^`'"\n]*>)?)?`(?<template>(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*)`/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const SQL = /^\s*(begin|create|pragma) /

/** The project's text files, without those that a script writes. */
function textFiles(): string[] {
  const skipped =
    /(^|\/)(node_modules|dist|data|\.git)\/|^site\/(pages|\.vitepress\/cache)\/|^(package-lock\.json|docs\/openapi\.json|docs\/screenshots\/|coverage\/)/
  return fs
    .globSync(
      [
        '*',
        '.*',
        '.ci/**',
        '.github/**',
        '{bench,bin,cli,client,console,contract,deploy,docs,examples,scripts,server,site,tests}/**',
      ],
      {
        cwd: root,
        exclude: (name) => /(^|\/)(node_modules|dist|data|\.git)$/.test(name),
      },
    )
    .filter((file) => !skipped.test(file) && fs.statSync(path.join(root, file)).isFile())
    .filter((file) => !/\.(png|jpe?g|webp|avif|ico|woff2?|db|gz|tgz)$/.test(file))
    .sort()
}
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')

const GENERATED = ['docs/configuration.md', 'docs/metrics.md', 'docs/webhook-events.md']
/** Numbers of requirements from documents outside the project: a letter and a number, mostly in parentheses. */
const REQUIREMENT =
  /\((?!S3\)|V8\)|P3\)|H1\))[A-Z]\d{1,2}(?:\s?[,–-]\s?[A-Z]?\d{1,2})*\)|\b[A-Z]\d{1,2}–[A-Z]\d{1,2}\b|['"`](?!S3|V8|P3)[A-Z]\d{1,2}: |[:,] (?!S3|V8|P3|H1|F\d)[A-Z]\d{1,2}(?:: [a-z]|\.? \*\/$)/gm

test('the docs are plain English', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'GOVERNANCE.md',
    'SECURITY.md',
    ...fs.globSync('docs/{*,decisions/*}.md', { cwd: root }),
  ]
  assert.ok(pages.length >= 45, `${pages.length} pages`)
  const found = pages
    .filter((file) => !GENERATED.includes(file))
    .flatMap((file) =>
      [...proseOf(read(file))].flatMap(({ line, text }) => habitsIn(text).map((habit) => `${file}:${line} ${habit}`)),
    )
  assert.equal(found.join('\n'), '')
})

test('what the service, the CLI and the API say is plain English', () => {
  const isTranslation = (file: string) => /\/languages\/(?!en\.)/.test(file)
  const sources = [...fs.globSync('{server,cli,contract}/**/*.ts', { cwd: root }), 'scripts/docs.ts'].filter(
    (file) => !isTranslation(file),
  )
  assert.ok(sources.length >= 250, `${sources.length} sources`)
  const found = sources.flatMap((file) =>
    [...literalsOf(read(file))].flatMap(({ line, text }) =>
      habitsIn(text).map((habit) => `${file}:${line} ${habit} In: ${text.trim().slice(0, 100)}`),
    ),
  )
  assert.equal(found.join('\n'), '')
})

test('no file refers to requirements that are not in the project', () => {
  // This file has some as examples.
  const files = textFiles().filter((file) => path.basename(file) !== path.basename(import.meta.filename))
  const found = files.flatMap((file) => {
    const source = read(file)
    return [...source.matchAll(REQUIREMENT)].map(
      ({ 0: text, index }) => `${file}:${source.slice(0, index).split('\n').length} ${text.trim()}`,
    )
  })
  assert.equal(found.join('\n'), '')
})

test('only the changelog has the name of the development versions', () => {
  // In two pieces, so that this file does not have it.
  const former = new RegExp(['stow', 'age'].join(''), 'i')
  const found = textFiles().filter((file) => file !== 'CHANGELOG.md' && (former.test(file) || former.test(read(file))))
  assert.deepEqual(found, [])
})

test('each habit is found where it is, and not in what is good', () => {
  const bad = [
    'A process is begun anew.',
    '2 mended',
    'It gives back the lease.',
    'It gives the exit code.',
    'The upload is given up.',
    'Others go on with it.',
    'Receivers are told of it.',
    'Deleted for good.',
    'Kept for ever.',
    'Refused without a word.',
    'Runs so many processes.',
    'The path is none of ours.',
    'Who has a link can open it.',
    'The name is taken.',
    'Keys are kept as they are.',
    'Rights of a group.',
    'One person at a time.',
    'It ends with its maker.',
    'E-mail',
    'Two processors.',
    'It lies beside the blobs.',
    'SQLite is no toy.',
  ]
  for (const text of bad) assert.notDeepEqual(habitsIn(text), [], text)
  const unused = habits.filter(({ pattern }) => !bad.some((text) => pattern.test(text)))
  assert.deepEqual(
    unused.map(({ pattern }) => String(pattern)),
    [],
  )
  const good = [
    'Whoever has the link can open it.',
    'Users who have a link',
    'There is none.',
    'Besides, it is fast.',
    'As many as you like.',
    'The right one.',
    'Right-to-left',
    'It goes on to say so.',
    'Who may call what?',
    'A worker that was told to stop',
    'It takes as long as it is needed',
    'Access is denied.',
  ]
  for (const text of good) assert.deepEqual(habitsIn(text), [], text)
  const page = 'One `mended`\nline is begun\n\n```\nanew\n```\n- [it](begin.md) goes\n  on\n'
  assert.deepEqual(
    [...proseOf(page)].flatMap(({ line, text }) => habitsIn(text).map((habit) => `${line} ${habit.split('”')[0]}`)),
    ['1 “begun', '7 “goes on'],
  )
  const source = "/* anew */\nconst a = 'it is\\n begun'\n// begun\nsql`begin immediate`\nb(`one\n  was mended`)\n"
  assert.deepEqual(
    [...literalsOf(source)].flatMap(({ line, text }) => habitsIn(text).map(() => line)),
    [2, 6],
  )
  assert.deepEqual(
    ['as promised (J6, W21)', '(O1–O3)', "it('O16: imports')", '/** One row: J7. */'].filter(
      (text) => text.match(REQUIREMENT) === null,
    ),
    [],
  )
  assert.deepEqual('any engine (S3), V8: fast, RFC 9110, open(A), (H1)'.match(REQUIREMENT), null)
})
