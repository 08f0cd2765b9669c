import { beforeAll, expect, it } from 'vitest'
import { afterTests } from '../../../undo.ts'
import { servedPlane, type ServedPlane } from './served-plane.ts'

let plane: ServedPlane
let config: string

beforeAll(async () => {
  plane = await servedPlane(afterTests)
  config = await plane.config({ name: 'otlp', otlp: {} })
})

/** Returns the labels of a number with short names and values. */
const labels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, 'v']))

/** Pushes a gauge, and returns the answer. */
async function push(name: string, given: Readonly<Record<string, string>>): Promise<unknown> {
  const attributes = Object.entries(given).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const dataPoints = [{ timeUnixNano: `${Date.now()}000000`, asDouble: 1, attributes }]
  const body = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints } }] }] }] }
  const response = await plane.push(config, JSON.stringify(body))
  expect(response.status).toBe(200)
  return response.json()
}

// The labels of a series without its name; the limits of observability.md 4.5.
it.each([
  ['label_limit', 'at_count', labels(30), labels(31)],
  ['label_name_length', 'at_name', { ['n'.repeat(256)]: 'v' }, { ['n'.repeat(257)]: 'v' }],
  ['label_value_length', 'at_value', { a: 'ä'.repeat(1024) }, { a: `${'ä'.repeat(1024)}x` }],
])('a point beyond %s is refused with the name of the limit, a point at the limit is taken', async (...row) => {
  const [reason, name, taken, refused] = row
  expect(await push(`${name}_beyond`, refused)).toEqual({
    partialSuccess: {
      rejectedDataPoints: '1',
      errorMessage: expect.stringMatching(new RegExp(`_beyond.*${reason}: 1`)),
    },
  })
  expect(await push(name, taken)).toEqual({})
  const [found, ...others] = await plane.query(`{__name__=~"${name}.*"}`)
  expect(found?.metric).toMatchObject({ __name__: name, ...taken })
  expect(others).toEqual([])
})
