import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cronFault, nextTime } from '../../../../domain/registry/values/cron.ts'
import { run } from '../../../server/programs.ts'

const nextOf = (text: string, after: string): string => new Date(nextTime(text, Date.parse(after))).toISOString()

describe('a schedule', () => {
  it.each([
    ['0 3 * * *', '2026-01-01T02:59:59.999Z', '2026-01-01T03:00:00.000Z'],
    ['0 3 * * *', '2026-01-01T03:00:00.000Z', '2026-01-02T03:00:00.000Z'],
    ['*/15 9-17 * * MON-FRI', '2026-01-03T00:00:00.000Z', '2026-01-05T09:00:00.000Z'],
    ['0  0 29 FEB *', '2026-03-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['5,35 0 1 1 *', '2026-01-01T00:05:00.000Z', '2026-01-01T00:35:00.000Z'],
    // With a day of the month and a weekday, either suffices, as in every cron.
    ['0 0 13 * 5', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  ])('%s has after %s the time %s', (text, after, next) => {
    expect(cronFault(text)).toBeUndefined()
    expect(nextOf(text, after)).toBe(next)
  })

  it.each([
    '',
    ' ',
    '* * * *',
    '* * * * * *',
    '@daily',
    '@reboot',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 31 2 *',
    '0 0 L * *',
    '0 0 1W * *',
    '0 0 * * MON#2',
    '0 0 ? * *',
    '0 0 * XYZ *',
    '5-1 * * * *',
    '*/0 * * * *',
    '+1 * * * *',
    '0\t0 * * *',
    '0 0 * * *\n',
    ' 0 0 * * *',
    `0 0 * * ${'1,'.repeat(200)}1`,
  ])('is not "%s"', text => expect(cronFault(text)).toMatch(/^must be a cron expression of five fields/))

  it('is read without the tables of time zones, whose first use holds the event loop', async () => {
    const module = new URL('../../../../domain/registry/values/cron.ts', import.meta.url).href
    const program = `
      Intl.DateTimeFormat = class { constructor() { throw new Error('the tables are used') } }
      const { cronFault, nextTime } = await import('${module}')
      console.log(cronFault('30 2 * * 0') ?? new Date(nextTime('30 2 * * 0', 0)).toISOString())`
    // The process is new, because the tables are read once in a process.
    const { errors, output } = await run(process.execPath, ['--input-type=module', '--eval', program])
    expect(errors).toBe('')
    expect(output.toString('utf8').trim()).toBe('1970-01-04T02:30:00.000Z')
  })

  it('of any text never throws, and a schedule has times that grow', () => {
    const field = fc.constantFrom('*', '0', '7', '1-5', '*/2', '1,3', 'x', '99', '', 'SUN', 'JAN')
    fc.assert(
      fc.property(fc.array(field, { minLength: 4, maxLength: 6 }), fc.nat(4_102_444_800_000), (fields, after) => {
        const text = fields.join(' ')
        if (cronFault(text) !== undefined) return
        const next = nextTime(text, after)
        expect(next).toBeGreaterThan(after)
        expect(next % 60_000).toBe(0)
      }),
      { numRuns: 300 },
    )
  })
})
