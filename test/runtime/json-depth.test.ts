import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { parseJson } from '../../runtime/json.ts'

/** Returns whether JSON text is nested deeper than `maxDepth`, by its parsed value. */
function isDeeper(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return maxDepth === 0 || Object.values(value).some(each => isDeeper(each, maxDepth - 1))
}

const pieces = ['\\', '"', '{', '[', ']', '}', ':', ',', 'a', '\\"', '\n'] as const

/** Returns a random value of JSON, whose texts hold the marks of JSON. */
function randomValue(depth: number): unknown {
  const text = (): string => Array.from({ length: randomInt(6) }, () => pieces[randomInt(pieces.length)]).join('')
  if (depth === 0 || randomInt(4) === 0) return text()
  const parts = Array.from({ length: randomInt(4) }, () => randomValue(depth - 1))
  return randomInt(2) === 0 ? parts : Object.fromEntries(parts.map(part => [text(), part]))
}

it('the depth of JSON text is the depth of its value, whatever marks its texts hold', () => {
  for (let i = 0; i < 5000; i += 1) {
    const value = randomValue(5)
    const read = (): unknown => parseJson(JSON.stringify(value), 3)
    if (isDeeper(value, 3)) expect(read).toThrow('must be nested at most 3 deep')
    // The values are not compared: V8 13 reads some escaped names wrongly (nodejs/node#63785).
    else expect(read).not.toThrow()
  }
})

it.each(['"', '"\\', '"\\"', '{"a":"', '["\\\\\\"]', '"a" "', '{"a":["b\\"]}'])(
  'text that ends in a string, %j, is no JSON',
  text => {
    expect(() => parseJson(text, 3)).toThrow('must be valid JSON')
  },
)
