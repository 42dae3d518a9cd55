import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cutName, hasEmptyName, legible } from '../../console/src/keys.ts'

describe('names of the console', () => {
  it('show what cannot be seen: control characters, and spaces at their ends', () => {
    assert.equal(legible('two\nlines \u202egnp'), 'two⟨U+000A⟩lines ⟨U+202E⟩gnp')
    assert.equal(legible('  two spaces  in  all '), '␣␣two spaces  in  all␣')
    assert.equal(legible(' a/ b /c'), '␣a/␣b␣/c')
    assert.notEqual(legible('  leading.txt'), legible('leading.txt'))
    assert.equal(legible('in the middle.txt'), 'in the middle.txt')
  })

  it('are known to be empty within a path', () => {
    assert.deepEqual(['/a', 'a//b', 'a/b', 'a/', ''].map(hasEmptyName), [true, true, false, false, false])
  })
})

describe('long names of the console', () => {
  it('are cut before their end, with the extension', () => {
    assert.deepEqual(cutName('holiday-pictures-of-the-sea-final-2.jpg'), [
      'holiday-pictures-of-the-sea-f',
      'inal-2.jpg',
    ])
    assert.deepEqual(cutName('minutes of the meeting.numbers'), ['minutes of the me', 'eting.numbers'])
    assert.deepEqual(cutName('a name without extension'), ['a name without', ' extension'])
    // Wide characters take twice the room.
    assert.deepEqual(cutName('夏休みの写真、海とみなとの夕暮れの二枚目.jpg'), [
      '夏休みの写真、海とみなとの夕暮れの',
      '二枚目.jpg',
    ])
    assert.deepEqual(cutName('short.jpg'), ['short.jpg', ''])
  })

  it('stay whole where a cut would change their letters', () => {
    const name = 'صور العطلة الصيفية على الشاطئ الجميل'
    assert.deepEqual(cutName(name), [name, ''])
    assert.deepEqual(cutName('👩‍👩‍👧‍👦'.repeat(4)), ['👩‍👩‍👧‍👦'.repeat(4), ''])
  })

  it('are the same together, and no character is split', () => {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    const part = fc.oneof(
      fc.string({ unit: 'grapheme-ascii' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '👩‍👩‍👧‍👦',
        'e\u0301',
        '🇩🇪',
        '🇫🇷',
        '\r\n',
        'क्षि',
        'שלום',
        'سلام',
        '.jpg',
        '.numbers',
        '각',
        '\ud83d',
      ),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const name = parts.join('')
        const [head, end] = cutName(name)
        assert.equal(head + end, name)
        if (end === '') return
        const starts = new Set([...segmenter.segment(name)].map(({ index }) => index))
        assert.ok(starts.has(head.length), JSON.stringify([head, end]))
      }),
      { numRuns: 2000 },
    )
  })
})
