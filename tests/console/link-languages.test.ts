// The catalogues of the pages of share links: whole, and in their own words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speak } from '../../console/link/src/numbers.ts'
import { english, type Texts } from '../../console/link/src/texts/en.ts'

const languages = ['de', 'es', 'fr', 'ja', 'zh-CN']
/** Words that are the same in another language. */
const shared = /^(Name|Audio|Video|Message|Type|Archive|\(optional\)|\{\d\}%|\{\d\} \/ \{\d\})$/

/** A text with `{0}`, `{1}` … for what is put into it; for numbers 3 and 4. */
function shown(texts: Texts, name: keyof Texts): string {
  const text = texts[name] as string | ((...given: unknown[]) => string)
  if (typeof text === 'string') return text
  const filled = text('{0}', '{1}')
  return filled.includes('NaN') ? text(3, 4) : filled
}

for (const language of languages)
  test(`${language} has every text, with all that is put into it`, async () => {
    const { default: texts } = (await import(`../../console/link/src/texts/${language}.ts`)) as { default: Texts }
    assert.deepEqual(Object.keys(texts), Object.keys(english), 'the same texts in the same order')
    for (const name of Object.keys(english) as (keyof Texts)[]) {
      speak('en')
      const original = shown(english, name)
      speak(language)
      const translated = shown(texts, name)
      assert.notEqual(translated.trim(), '', name)
      for (const [value] of original.matchAll(/\{\d\}|[34]/g))
        assert.ok(translated.includes(value), `${name}: ${value}`)
      if (translated === original) assert.match(translated, shared, name)
    }
    speak(language)
    assert.match(texts.count(1), /1/)
    assert.match(texts.allSent(3), /3/)
    speak('en')
  })
