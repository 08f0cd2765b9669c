import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rangeOf } from '../../../../../domain/resources/byte-ranges.ts'
import { seeded } from '../../../../areas/random.ts'
import { tenantStorage, type TenantStorage } from '../../tenant-storage.ts'

const etag = '"5d41402abc4b2a76b9719d911017c592"'

let tenant: TenantStorage
let ends: (() => void | Promise<void>)[] = []
/** The time of the object in the three forms of an HTTP date, and times before and after the object. */
let times: Readonly<Record<'written' | 'obsolete' | 'asctime' | 'before' | 'after', string>>

beforeAll(async () => {
  tenant = await tenantStorage({}, { later: end => void ends.push(end) })
  await tenant.put('a', 'hello')
  const written = new Date((await tenant.get('a', { method: 'HEAD' })).headers.get('last-modified') ?? '')
  const utc = written.toUTCString()
  const [, day = '', month = '', year = '', clock = ''] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/.exec(utc) ?? []
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(written)
  const shifted = (ms: number): string => new Date(written.getTime() + ms).toUTCString()
  times = {
    written: utc,
    obsolete: `${weekday}, ${day}-${month}-${year.slice(2)} ${clock} GMT`,
    asctime: `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2, ' ')} ${clock} ${year}`,
    before: shifted(-1000),
    after: shifted(1000),
  }
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

/** Reads the object with headers, in which `{written}` and the other times are inserted. */
async function read(headers: Readonly<Record<string, string>>, method = 'GET'): Promise<string> {
  const sent = Object.entries(headers).map(
    ([name, value]) => [name, value.replace(/\{(\w+)\}/g, (_, key) => Object(times)[key])] as const,
  )
  const answer = await tenant.get('a', { headers: Object.fromEntries(sent), method })
  const body = answer.status === 200 || answer.status === 206 ? await answer.text() : ''
  return `${answer.status} ${answer.headers.get('content-range') ?? ''} ${body}`.replace(/\s+/g, ' ').trim()
}

const whole = '200 hello'

describe('the conditions of a read', () => {
  it.each<readonly [headers: Readonly<Record<string, string>>, answer: string]>([
    [{ 'if-match': etag }, whole],
    [{ 'if-match': '*' }, whole],
    [{ 'if-match': `"x", ${etag} , "y"` }, whole],
    [{ 'if-match': `W/${etag}` }, '412'],
    [{ 'if-match': '"x"' }, '412'],
    [{ 'if-match': etag.slice(1, -1) }, '412'],
    [{ 'if-match': '' }, '412'],
    [{ 'if-match': ','.repeat(1000) }, '412'],
    [{ 'if-none-match': etag }, '304'],
    [{ 'if-none-match': '*' }, '304'],
    [{ 'if-none-match': `W/${etag}` }, '304'],
    [{ 'if-none-match': `"x",W/${etag}` }, '304'],
    [{ 'if-none-match': `${'"x",'.repeat(1000)}${etag}` }, '304'],
    [{ 'if-none-match': '"x"' }, whole],
    [{ 'if-none-match': etag.slice(0, -1) }, whole],
    [{ 'if-none-match': '' }, whole],
    [{ 'if-none-match': '"x"', 'if-modified-since': '{after}' }, whole],
    [{ 'if-modified-since': '{written}' }, '304'],
    [{ 'if-modified-since': '{obsolete}' }, '304'],
    [{ 'if-modified-since': '{asctime}' }, '304'],
    [{ 'if-modified-since': '{after}' }, '304'],
    [{ 'if-modified-since': '{before}' }, whole],
    [{ 'if-unmodified-since': '{written}' }, whole],
    [{ 'if-unmodified-since': '{obsolete}' }, whole],
    [{ 'if-unmodified-since': '{asctime}' }, whole],
    [{ 'if-unmodified-since': '{before}' }, '412'],
    [{ 'if-match': etag, 'if-unmodified-since': '{before}' }, whole],
    [{ 'if-match': etag, 'if-none-match': etag }, '304'],
    [{ 'if-match': '"x"', 'if-none-match': etag }, '412'],
  ])('%j answers %s', async (headers, answer) => {
    expect(await read(headers)).toBe(answer)
    expect(await read(headers, 'HEAD')).toBe(answer.replace('hello', '').trim())
  })

  it.each([
    'banana',
    'banana 2001',
    '2001',
    '2001-01-01T00:00:00Z',
    '1 Jan 2001',
    'Mon, 01 Jan 2001 00:00:00',
    'Mon, 01 Jan 2001 00:00:00 +0100',
    'Mon, 01 Jan 2001 25:00:00 GMT',
    'Mon, 99 Jan 2001 00:00:00 GMT',
    'Mon, 01 Foo 2001 00:00:00 GMT',
    '{before}, {before}',
    '',
  ])('have no effect for %j, which is no HTTP date', async date => {
    expect(await read({ 'if-unmodified-since': date })).toBe(whole)
    expect(await read({ 'if-modified-since': date })).toBe(whole)
  })
})

describe('a range', () => {
  it.each<readonly [range: string, answer: string]>([
    ['bytes=0-', '206 bytes 0-4/5 hello'],
    ['bytes=0-0', '206 bytes 0-0/5 h'],
    ['bytes=4-4', '206 bytes 4-4/5 o'],
    ['bytes=1-99', '206 bytes 1-4/5 ello'],
    ['bytes=-99', '206 bytes 0-4/5 hello'],
    ['BYTES=1-2', '206 bytes 1-2/5 el'],
    ['bytes= 1-2 ', '206 bytes 1-2/5 el'],
    ['bytes=00001-00002', '206 bytes 1-2/5 el'],
    ['bytes=0-9223372036854775807', '206 bytes 0-4/5 hello'],
    ['bytes=-9223372036854775808', '206 bytes 0-4/5 hello'],
    [`bytes=0-${'9'.repeat(400)}`, '206 bytes 0-4/5 hello'],
    ['bytes=5-', '416 bytes */5'],
    ['bytes=9223372036854775808-', '416 bytes */5'],
    [`bytes=${'9'.repeat(400)}-`, '416 bytes */5'],
    ['bytes=-0', '416 bytes */5'],
    ['bytes=2-1', whole],
    ['bytes=-', whole],
    ['bytes=', whole],
    ['bytes=--1', whole],
    ['bytes=-1-', whole],
    ['bytes=+1-2', whole],
    ['bytes=1e0-2', whole],
    ['bytes=0x1-2', whole],
    ['bytes=1.0-2', whole],
    ['bytes 1-2', whole],
    ['items=1-2', whole],
    ['bytes=0-0,2-3', whole],
    ['bytes=0-4,0-4,0-4', whole],
    [`bytes=${Array.from({ length: 1000 }, (_, i) => `${i}-${i}`).join()}`, whole],
    ['bytes=9-9,10-10', whole],
    ['', whole],
  ])('%j answers %s', async (range, answer) => {
    expect(await read({ range })).toBe(answer)
    expect(await read({ range }, 'HEAD')).toBe('200')
  })

  it.each<readonly [ifRange: string, answer: string]>([
    [etag, '206 bytes 1-2/5 el'],
    ['{written}', '206 bytes 1-2/5 el'],
    ['{obsolete}', '206 bytes 1-2/5 el'],
    [`W/${etag}`, whole],
    ['"x"', whole],
    [`"x", ${etag}`, whole],
    ['*', whole],
    ['{before}', whole],
    ['{after}', whole],
    ['banana 2001', whole],
    ['', whole],
  ])('under If-Range %j answers %s', async (ifRange, answer) => {
    expect(await read({ range: 'bytes=1-2', 'if-range': ifRange })).toBe(answer)
  })

  it('of an empty object is not satisfiable', async () => {
    await tenant.put('empty', '')
    const statuses = ['', 'bytes=0-', 'bytes=-1', 'bytes=0-0'].map(async range => {
      const answer = await tenant.get('empty', range === '' ? {} : { headers: { range } })
      await answer.body?.cancel()
      return answer.status
    })
    expect(await Promise.all(statuses)).toEqual([200, 416, 416, 416])
  })

  it('agrees with a slice of the content, for all small numbers', () => {
    for (let size = 1; size < 6; size += 1) {
      for (let first = 0; first < 8; first += 1) {
        const open = rangeOf(`bytes=${first}-`, size)
        expect(open).toEqual(first < size ? { first, last: size - 1 } : 'none')
        const suffix = rangeOf(`bytes=-${first}`, size)
        expect(suffix).toEqual(first === 0 ? 'none' : { first: Math.max(0, size - first), last: size - 1 })
        for (let last = 0; last < 8; last += 1) {
          const within = first < size ? { first, last: Math.min(last, size - 1) } : 'none'
          expect(rangeOf(`bytes=${first}-${last}`, size)).toEqual(last < first ? 'whole' : within)
        }
      }
    }
  })

  it('that is random text lies within the content, or is ignored', () => {
    const random = seeded(14)
    for (let i = 0; i < 20_000; i += 1) {
      const text = Array.from({ length: random.below(12) }, () => random.oneOf([...'0123456789-,= \t+b'])).join('')
      const size = random.below(20)
      const range = rangeOf(`bytes=${text}`, size)
      if (typeof range === 'string') continue
      expect(range.first).toBeGreaterThanOrEqual(0)
      expect(range.last).toBeGreaterThanOrEqual(range.first)
      expect(range.last).toBeLessThan(size)
    }
  })
})
