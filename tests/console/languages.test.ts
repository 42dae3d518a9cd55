// The console's catalogues in other languages: whole, in the same order, and in their own words.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { type Catalogues, type Messages, speak } from '../../console/src/i18n.ts'
import { firstLanguage, languageFor, languages } from '../../contract/languages.ts'

const root = path.join(import.meta.dirname, '../../console/src')
const load = async (file: string) => (await import(path.join(root, file))) as Readonly<Record<string, unknown>>
const isCatalogue = (value: unknown): value is Messages =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((one) => typeof one === 'string' || typeof one === 'function')

/** Every catalogue of the console in English, by the name it has in a language: `browse.text`. */
const english = new Map<string, Messages>()
for (const file of fs.globSync(['**/messages.ts', '**/*-messages.ts', 'i18n.ts'], { cwd: root })) {
  const module = await load(file)
  const names = [
    ...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/export const (\w+).*? = catalogue\('(.+?)'/g),
  ]
  for (const [, exported = '', name = ''] of names) {
    assert.equal(name.split('.')[1], exported, `${file}: the catalogue is called as what is exported`)
    assert.ok(!english.has(name) && isCatalogue(module[exported]), `${file}: ${name} is a catalogue of its own`)
    // Speaking another language changes what is exported.
    english.set(name, { ...module[exported] })
  }
}

/** Texts with `{0}`, `{1}` … for what is put into them, or with numbers; undefined where they take neither. */
function shown(texts: readonly [how: () => void, text: Messages[string] | undefined][]): string[] | undefined {
  for (const given of [
    ['{0}', '{1}', '{2}', '{3}'],
    [13, 14, 15, 16],
  ])
    try {
      const filled = texts.map(([speakSo, text]) => {
        speakSo()
        return typeof text === 'function' ? text(...(given as never[])) : text
      })
      if (filled.every((one) => typeof one === 'string' && !/NaN|undefined/.test(one))) return filled as string[]
    } catch {
      // They take values of another kind.
    }
  return undefined
}
/** Names stay as they are. */
const isName = (text: string): boolean => /^(Microsoft Entra ID)$/.test(text)

for (const tag of languages.filter((one) => one !== 'en')) {
  after(() => speak('en', {}))
  test(`${tag} has every text, with all that is put into it`, async () => {
    const [frame, views] = [await load(`languages/${tag}/frame.ts`), await load(`languages/${tag}/views.ts`)]
    const spoken = { ...frame, ...views } as Catalogues
    const wrong: string[] = []
    for (const [name, texts] of english) {
      const [feature = '', catalogue = ''] = name.split('.')
      const translated = spoken[feature]?.[catalogue] ?? {}
      assert.deepEqual(Object.keys(translated), Object.keys(texts), `${name}: the same texts in the same order`)
      for (const [key, text] of Object.entries(texts)) {
        const [original, other] =
          shown([
            [() => speak('en', {}), text],
            [() => speak(tag, spoken), translated[key]],
          ]) ?? []
        if (!original || other === undefined) continue
        if (other.trim() === '') wrong.push(`${name}.${key} is empty`)
        for (const [value] of original.matchAll(/\{\d\}|1[3-6]/g))
          if (!other.includes(value)) wrong.push(`${name}.${key} lacks ${value}: ${other}`)
        // Names and units stay; sentences do not.
        if (other === original && !isName(other) && /\p{L}{2,}\P{L}+\p{L}{2,}\P{L}+\p{L}{2,}/u.test(other))
          wrong.push(`${name}.${key} is as in English: ${other}`)
      }
    }
    assert.deepEqual(wrong, [])
  })
}

test('a browser’s language finds the one that suits', () => {
  for (const [tag, language] of [
    ['de-AT', 'de'],
    ['en-GB', 'en'],
    ['fr-CA', 'fr'],
    ['zh', 'zh-CN'],
    ['zh-SG', 'zh-CN'],
    ['zh-TW', undefined],
    ['zh-Hant-HK', undefined],
    ['pt-BR', undefined],
    ['not a tag', undefined],
  ] as const)
    assert.equal(languageFor(tag), language, tag)
  assert.equal(firstLanguage([null, 'pt-BR', 'fr-CA', 'de']), 'fr')
  assert.equal(firstLanguage(['pt-BR']), 'en')
})

test('who has not signed in reads why something was refused in the language of the page', () => {
  const raw = fs
    .globSync(['features/auth/*.{ts,tsx}', 'features/second-factor/{challenge,passkeySignIn}.ts'], { cwd: root })
    .filter((file) => /describeProblem|\.detail\b/.test(fs.readFileSync(path.join(root, file), 'utf8')))
  assert.deepEqual(raw, [], 'the words of the server, which are English')
})
