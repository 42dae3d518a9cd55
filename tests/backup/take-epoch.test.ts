// Of two that take the same epoch at once, never both get it.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import type { NamedFiles } from '../../server/drivers/named-files/named-files.ts'
import { openNamedFiles } from '../../server/drivers/named-files/open.ts'
import { Fenced, newestEpoch } from '../../server/process/backup/epochs.ts'
import { takeEpoch } from '../../server/process/backup/fence.ts'
import { serverEnv } from '../support/server.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-epoch-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))
const config = readConfig(serverEnv(root))
const own = (holder: string, number = 1) => ({ instance: 'i', number, holder })
const take = (place: NamedFiles, holder: string): Promise<'taken' | 'refused'> =>
  takeEpoch([place], config, own(holder)).then(
    () => 'taken',
    (error: unknown) => {
      assert.ok(error instanceof Fenced)
      return 'refused'
    },
  )
const newestAt = async (place: NamedFiles) => (await newestEpoch(place, [config.secretKey]))?.header.holder

describe('taking an epoch', () => {
  it('is refused to who records it after another has it, whichever name comes first', async () => {
    for (const [first, late] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const place = await openNamedFiles(`file:${path.join(root, first)}`, null)
      let other: string | undefined
      // It has decided on its number already when the other one takes it whole.
      const slow: NamedFiles = {
        ...place,
        async put(...call) {
          other = await take(place, first)
          await place.put(...call)
        },
      }
      assert.equal(await take(slow, late), 'refused')
      assert.equal(other, 'taken')
      assert.equal(await newestAt(place), first)
    }
  })

  it('is never given to two at once', async () => {
    for (let i = 0; i < 100; i++) {
      const place = await openNamedFiles(`file:${path.join(root, `${i}`)}`, null)
      const got = await Promise.all([take(place, 'a'), take(place, 'b')])
      assert.ok(got.filter((one) => one === 'taken').length <= 1, got.join())
      const winner = ['a', 'b'][got.indexOf('taken')]
      assert.equal(await newestAt(place), winner)
    }
  })

  it('says which place could not be told, and is not kept by it', async () => {
    const place = await openNamedFiles(`file:${path.join(root, 'broken')}`, null)
    const failing = { ...place, put: () => Promise.reject(new Error('no room')) }
    assert.deepEqual(await takeEpoch([failing], config, own('a')), ['no room'])
  })
})
