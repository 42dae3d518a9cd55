import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { httpDate, isoTime } from '../../server/base/dates.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const time = fc
  .integer({ min: Date.UTC(1970, 0), max: Date.UTC(2069, 11, 31) })
  .map((ms) => new Date(Math.floor(ms / 1000) * 1000))
/** What `Date` understands, and what no standard calls a time. */
const NONE = [
  '',
  '0',
  '1',
  '2030',
  'now',
  'Dec 1 2026',
  '2026/12/01',
  '1 Dec 2026 00:00:00 GMT',
  '99999999999999999999',
  '2026-02-30',
  '2026-13-01',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '+012026-01-01T00:00:00Z',
  '2026-01-01 00:00:00',
  '2026-01-01T00:00:00 Z',
  '2026-01-01T00:00:00+99:00',
  '2026-01-01T00:00:00z',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 EST',
  'Sun, 06 Nov 1994 08:49:37 +0000',
  'Sun, 31 Feb 2021 08:49:37 GMT',
  'Sun, 6 Nov 1994 08:49:37 GMT',
  'Foo, 06 Nov 1994 08:49:37 GMT',
  'sun, 06 nov 1994 08:49:37 gmt',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  `Sun, 06 Nov 1994${' '.repeat(9999)}x`,
]

describe('dates of requests', () => {
  it('are read in every form that RFC 9110 has', () => {
    fc.assert(
      fc.property(time, (at) => {
        const [, day = '', month = '', year = '', clock = ''] = at.toUTCString().split(' ')
        const weekday = DAYS[at.getUTCDay()] ?? ''
        const old = `${weekday}, ${day}-${month}-${year.slice(2)} ${clock} GMT`
        const c = `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${clock} ${year}`
        for (const text of [at.toUTCString(), old, c, ` ${at.toUTCString()}\t`])
          assert.equal(httpDate(text)?.getTime(), at.getTime(), text)
        assert.equal(isoTime(at.toUTCString()), undefined)
      }),
    )
    assert.equal(httpDate('Sat, 31 Dec 2016 23:59:60 GMT')?.toISOString(), '2017-01-01T00:00:00.000Z')
    for (const text of [...NONE, '2035-01-01', '2035-01-01T00:00:00Z']) assert.equal(httpDate(text), undefined, text)
  })

  it('are read in ISO 8601, in UTC where they name no zone', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: -23 * 60, max: 23 * 60 }), fc.nat(999), (second, zone, ms) => {
        const at = new Date(second.getTime() + ms)
        const text = at.toISOString()
        for (const same of [text, text.slice(0, -1)]) assert.equal(isoTime(same)?.getTime(), at.getTime(), same)
        assert.equal(isoTime(text.slice(0, 10))?.toISOString().slice(0, 10), text.slice(0, 10))
        const local = new Date(at.getTime() + zone * 60_000).toISOString().slice(0, -1)
        const sign = zone < 0 ? '-' : '+'
        const hours = String(Math.floor(Math.abs(zone) / 60)).padStart(2, '0')
        const minutes = String(Math.abs(zone) % 60).padStart(2, '0')
        for (const colon of [':', ''])
          assert.equal(isoTime(`${local}${sign}${hours}${colon}${minutes}`)?.getTime(), at.getTime())
      }),
    )
    for (const text of NONE) assert.equal(isoTime(text), undefined, text)
  })

  it('are the same whatever the zone of the machine is', () => {
    const before = process.env.TZ
    try {
      for (const zone of ['America/New_York', 'Asia/Kolkata', 'UTC']) {
        process.env.TZ = zone
        assert.equal(isoTime('2030-01-01T00:00:00')?.toISOString(), '2030-01-01T00:00:00.000Z', zone)
        assert.equal(httpDate('Sun Nov  6 08:49:37 1994')?.toISOString(), '1994-11-06T08:49:37.000Z', zone)
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
})
