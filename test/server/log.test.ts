import { describe, expect, it } from 'vitest'
import { closeApp, createApp } from '../../server/http/app.ts'
import { defaultHttpLimits } from '../../server/http/limits.ts'
import { Turns } from '../../server/http/turns.ts'
import { logLevels, logOptions } from '../../server/log.ts'
import { Meters } from '../../server/meters/meters.ts'

const { err } = logOptions.serializers

describe('the log fields of a thrown value', () => {
  it('are its kind, message, code and stack, and those of its causes', () => {
    const cause = Object.assign(new TypeError('below'), { code: 'E_BELOW' })
    expect(err(new Error('above', { cause }))).toEqual({
      type: 'Error',
      message: 'above',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'TypeError', message: 'below', stack: expect.any(String), code: 'E_BELOW' },
    })
  })

  it.each<[string, unknown]>([
    ['members of an error', Object.assign(new Error('no'), { body: { password: 'sesame' }, sql: 'sesame' })],
    ['a code that is not a text', Object.assign(new Error('no'), { code: { password: 'sesame' } })],
    ['members of a cause', new Error('no', { cause: Object.assign(new Error('no'), { password: 'sesame' }) })],
    ['a cause that is not an error', new Error('no', { cause: 'sesame' })],
    ['many errors in one', new AggregateError([new Error('sesame')], 'no')],
    ['a text', 'sesame'],
    ['an object', { password: 'sesame' }],
  ])('are empty for %s', (_name, thrown) => {
    expect(JSON.stringify(err(thrown))).not.toContain('sesame')
  })

  it('are finite, even if an error is its own cause', () => {
    const circle: Error & { cause?: unknown } = new Error('round')
    circle.cause = circle
    expect(JSON.stringify(err(circle)).match(/"message":"round"/g)?.length).toBeLessThan(10)
  })
})

describe('the level of the log', () => {
  it.each([...logLevels, undefined])('is the given one: %s', async logLevel => {
    const parts = { limits: defaultHttpLimits, meters: new Meters(), turns: new Turns() }
    const made = createApp({ outside: { name: 'ninefold', base: 0 }, logLevel, ...parts })
    expect(made.app.log.level).toBe(logLevel ?? 'info')
    await closeApp(made, 0)
  })
})
