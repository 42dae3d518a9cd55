import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { ServiceError } from '../../contract/errors.ts'
import { type ImageQuery, imageFits, imageFormats } from '../../contract/images.ts'
import type { Source } from '../../server/features/images/kinds.ts'
import {
  acceptedBy,
  geometryOf,
  type Limits,
  type Plan,
  planOf,
  readParameters,
  snap,
} from '../../server/features/images/parameters.ts'

const limits: Limits = {
  max_source_mb: 50,
  max_source_megapixels: 50,
  max_progressive_megapixels: 25,
  max_avif_source_megapixels: 16,
  max_result_megapixels: 16.8,
  max_avif_result_megapixels: 4,
  max_frames: 500,
  timeout_seconds: 10,
  render_slots: null,
  slots_per_user: null,
  slots_per_link: null,
  queue_length: 256,
  megapixels_in_flight: 32,
  source_mb_in_flight: 100,
}

const side = fc.oneof(fc.integer({ min: 1, max: 4096 }), fc.constantFrom(1, 2, 3, 4095, 4096))
const optional = { requiredKeys: [] as [] }
const queries: fc.Arbitrary<ImageQuery> = fc.record(
  {
    w: side,
    h: side,
    dpr: fc.oneof(fc.constantFrom(1, 1.5, 2, 3), fc.double({ min: 1, max: 3, noNaN: true })),
    fit: fc.constantFrom(...imageFits),
    format: fc.constantFrom(...imageFormats),
    q: fc.integer({ min: 1, max: 100 }),
    enlarge: fc.constantFrom('0' as const, '1' as const),
    animated: fc.constantFrom('0' as const, '1' as const),
  },
  optional,
)
const length = fc.oneof(fc.integer({ min: 1, max: 9000 }), fc.constantFrom(1, 2, 3))
const sources: fc.Arbitrary<Source> = fc.record({
  kind: fc.constantFrom('jpeg', 'png', 'gif', 'webp', 'avif', 'tiff'),
  width: length,
  height: length,
  pages: fc.constantFrom(1, 1, 1, 2, 40),
  alpha: fc.boolean(),
  full: fc.boolean(),
})
const accepts = fc.constantFrom('avif' as const, 'webp' as const, 'other' as const)

const plan = (query: ImageQuery, source: Source, accepted: 'avif' | 'webp' | 'other'): Plan | undefined => {
  try {
    return planOf(query, source, accepted, limits)
  } catch (error) {
    // Every refusal names what is at fault.
    assert.ok(
      error instanceof ServiceError && error.code === 'invalid_request' && error.faults.length === 1,
      `${error}`,
    )
    return undefined
  }
}

it('requesting the parameters of a result leads to the same result', () => {
  fc.assert(
    fc.property(queries, sources, accepts, (query, source, accepted) => {
      const first = plan(query, source, accepted)
      if (!first) return
      const { width: w, height: h, fit, format, q, frames } = first
      const asked: ImageQuery = {
        w,
        h,
        fit,
        format,
        enlarge: query.enlarge ?? '0',
        animated: frames > 1 ? '1' : '0',
        ...(q === null ? {} : { q }),
      }
      assert.deepEqual(plan(asked, source, accepted), first)
    }),
    { numRuns: 3000 },
  )
})

it('is never larger than the source or the box, unless requested', () => {
  fc.assert(
    fc.property(queries, sources, ({ enlarge: _never, ...query }, source) => {
      const { width, height, fit } = geometryOf(query, source)
      assert.ok(Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1)
      // Margins may reach beyond the picture, but only on one side of it.
      if (fit === 'pad') assert.ok(width <= source.width || height <= source.height)
      else assert.ok(width <= source.width && height <= source.height)
      const dpr = query.dpr ?? 1
      if (query.w !== undefined) assert.ok(width <= Math.round(query.w * dpr))
      if (query.h !== undefined) assert.ok(height <= Math.round(query.h * dpr))
    }),
    { numRuns: 3000 },
  )
})

it('beyond the source every box of one ratio is the same', () => {
  fc.assert(
    fc.property(length, length, fc.constantFrom(...imageFits), (width, height, fit) => {
      const largest = Math.max(width, height)
      const boxes = [1, 1.5, 2, 7].map((times) => ({ w: largest * times, h: largest * times, fit }))
      const results = boxes.map((box) => JSON.stringify(geometryOf(box, { width, height })))
      assert.equal(new Set(results).size, 1, results.join())
    }),
  )
})

it('keeps within the limits of results', () => {
  fc.assert(
    fc.property(queries, sources, accepts, (query, source, accepted) => {
      const made = plan(query, source, accepted)
      if (!made) return
      const pixels = made.width * made.height * made.frames
      assert.ok(pixels <= limits.max_result_megapixels * 1e6)
      if (made.format === 'avif') assert.ok(pixels <= limits.max_avif_result_megapixels * 1e6)
      if (made.format === 'webp' || made.format === 'avif') assert.ok(Math.max(made.width, made.height) <= 16_383)
      assert.equal(made.q === null, made.format === 'png')
      if (query.format && query.format !== 'auto') assert.equal(made.format, query.format.replace('jpg', 'jpeg'))
    }),
    { numRuns: 3000 },
  )
})

it('allows links few sizes, and rounding is idempotent', () => {
  const widths = new Set<number | undefined>()
  const qualities = new Set<number | undefined>()
  fc.assert(
    fc.property(queries, (query) => {
      const snapped = snap(query)
      assert.deepEqual(snap(snapped), snapped)
      assert.equal(snapped.dpr, undefined)
      if (query.w !== undefined) assert.ok((snapped.w ?? 0) >= Math.min(4096, query.w))
      widths.add(snapped.w)
      qualities.add(snapped.q)
    }),
    { numRuns: 3000 },
  )
  assert.ok(widths.size <= 51 && qualities.size <= 11)
})

it('takes its own parameters out of any query and refuses faulty ones', () => {
  fc.assert(
    fc.property(queries, (query) => {
      const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
      assert.deepEqual(readParameters({ ...texts, download: '1', key: 'x' }), { ...query })
    }),
  )
  for (const faulty of [{ w: '0' }, { w: ['1', '2'] }, { fit: 'COVER' }, { format: 'svg' }, { q: 'x' }, { dpr: '4' }])
    assert.throws(() => readParameters(faulty), { validationContext: 'querystring' })
})

it('reads any Accept as one of three classes', () => {
  fc.assert(fc.property(fc.string(), (text) => ['avif', 'webp', 'other'].includes(acceptedBy(text))))
  assert.equal(acceptedBy('text/html, image/avif ; q=0.1'), 'avif')
  assert.equal(acceptedBy('image/avif;q=0.000, image/webp'), 'webp')
  assert.equal(acceptedBy('image/avifx'), 'other')
})
