// Patterns of policies, which those who may set policies choose, compared with texts that others send.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { DeleteObjectCommand, PutBucketPolicyCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { compileTemplate, matches, patternOf } from '../../server/iam/patterns.ts'
import { outcome, s3World } from '../s3/s3.ts'
import { request } from '../support/http.ts'
import { repeats } from '../support/repeats.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'

const patternIn = (text: string) => compileTemplate(text, { wildcards: true, variables: false }).fixed ?? ''

/** What a pattern means, character by character. */
function isMatch(pattern: readonly string[], text: readonly string[]): boolean {
  let ends = new Set([0])
  for (const one of pattern)
    ends = new Set(
      one === '*'
        ? Array.from({ length: text.length - Math.min(...ends) + 1 }, (_, i) => Math.min(...ends) + i)
        : [...ends].flatMap((at) => (at < text.length && (one === '?' || one === text[at]) ? [at + 1] : [])),
    )
  return ends.has(text.length)
}

it('match as a whole: a star any characters, a question mark one', () => {
  const few = fc.constantFrom('a', 'b')
  const letter = fc.oneof(few, fc.constantFrom('/', 'ä', '\uffff', '😀'))
  const arrayOf = (one: fc.Arbitrary<string>, maxLength: number) => fc.array(one, { maxLength })
  const wild = (one: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: one }, fc.constantFrom('*', '?'))
  const check = ([pattern, text]: [string[], string[]]) =>
    assert.equal(matches(patternIn(pattern.join('')), text.join('')), isMatch(pattern, text))
  const numRuns = repeats(3000)
  fc.assert(fc.property(fc.tuple(arrayOf(wild(letter), 8), arrayOf(letter, 10)), check), { numRuns })
  fc.assert(fc.property(fc.tuple(arrayOf(wild(few), 8), arrayOf(few, 12)), check), { numRuns })
  // Long pieces that are nearly in the text.
  const long = fc
    .tuple(fc.array(few, { minLength: 40, maxLength: 60 }), arrayOf(few, 20), arrayOf(few, 20), fc.nat(3), wild(few))
    .map(([piece, start, end, cut, other]): [string[], string[]] => [
      ['*', ...piece.slice(cut), '*', ...(cut === 1 ? [other] : [])],
      [...start, ...piece.slice(1), ...piece, ...end],
    ])
  fc.assert(fc.property(long, check), { numRuns })
})

it('a variable that stands for a long text many times matches nothing', () => {
  const text = '\u0024{aws:referer}'.repeat(600)
  const template = compileTemplate(`*${text}*`, { wildcards: true, variables: true })
  const pattern = patternOf(template, () => ['x'.repeat(15_000)]) ?? assert.fail()
  assert.ok(pattern.length < 100_000)
  assert.equal(matches(pattern, 'x'.repeat(65_535)), false)
  assert.equal(matches(patternOf(template, () => ['x']) ?? '', 'x'.repeat(700)), true)
})

describeOnce('Policies with patterns that nearly match', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
  })
  after(() => server.stop())

  // With patterns that are compared place by place, each of these takes minutes, in which nobody else is answered.
  it('decide about a thousand long keys, and long headers, of whoever asks', async () => {
    const bucket = 'mine'
    await server.admin.createBucket({ body: { name: bucket } })
    const s3 = world.clientOf(await world.keyOf())
    const nearly = Array.from({ length: 15 }, (_, i) => `${'a'.repeat(460)}${i % 2 ? '?' : ''}${'a'.repeat(80)}b${i}`)
    const setPolicy = (statement: object) => {
      const Statement = [{ Effect: 'Deny', Principal: '*', Action: 's3:DeleteObject', ...statement }]
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement })
      return s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
    }
    await setPolicy({ Resource: nearly.map((one) => `arn:aws:s3:::${bucket}/*${one}`) })
    const keys = Array.from({ length: 1000 }, (_, i) => `${'a'.repeat(1000)}${i}`)
    const { errors } = await server.admin.bulkDelete({ params: { bucket }, body: { keys } })
    assert.deepEqual([errors.length, new Set(errors.map(({ code }) => code))], [1000, new Set(['not_found'])])
    const Condition = { StringLike: { 'aws:Referer': nearly.map((one) => `*${one}*`) } }
    await setPolicy({ Resource: `arn:aws:s3:::${bucket}/*`, Condition })
    const referer = 'a'.repeat(14_000)
    const { status } = await request({
      url: world.url.href,
      path: `/${bucket}/k`,
      method: 'DELETE',
      headers: { referer },
    })
    assert.equal(status, 403)
    assert.equal(await outcome(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k' }))), 'ok')
  })
})
