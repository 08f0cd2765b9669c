import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diff } from '../../../generator/write/diff.ts'

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)
const text = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')

/** Applies hunks by their line numbers, as patch does; returns the changed text. */
function patch(before: string, hunks: readonly string[]): string {
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n')
  const result: string[] = []
  let next = 0
  for (const line of hunks) {
    const [, start, count = '1'] = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line) ?? []
    if (start !== undefined) {
      const at = Number(start) - (count === '0' ? 0 : 1)
      while (next < at) result.push(lines[next++] ?? '')
    } else if (line.startsWith('+')) result.push(line.slice(1))
    else {
      expect(lines[next]).toBe(line.slice(1))
      if (line.startsWith(' ')) result.push(line.slice(1))
      next += 1
    }
  }
  return text([...result, ...lines.slice(next)])
}

describe('a diff', () => {
  test('of equal texts is empty', () => {
    expect(diff('a\nb\n', 'a\nb\n')).toEqual([])
  })

  test('shows three lines around a change', () => {
    const before = numbered(1, 9)
    expect(diff(text(before), text(before.with(4, 'changed')))).toEqual([
      '@@ -2,7 +2,7 @@',
      ' line 2',
      ' line 3',
      ' line 4',
      '-line 5',
      '+changed',
      ' line 6',
      ' line 7',
      ' line 8',
    ])
  })

  test('of distant changes has a hunk each', () => {
    const before = numbered(1, 40)
    const hunks = diff(text(before), text(before.with(4, 'x').with(34, 'y'))).filter(line => line.startsWith('@@'))
    expect(hunks).toEqual(['@@ -2,7 +2,7 @@', '@@ -32,7 +32,7 @@'])
  })

  test('finds inserted lines among many', () => {
    const before = numbered(1, 5000)
    const after = before.toSpliced(2500, 0, 'new')
    expect(diff(text(before), text(after)).filter(line => !line.startsWith(' '))).toEqual([
      '@@ -2498,6 +2498,7 @@',
      '+new',
    ])
  })

  test('of two large, completely different texts is one block, quickly', () => {
    const before = numbered(1, 20_000)
    const after = numbered(30_001, 50_000)
    expect(diff(text(before), text(after))).toHaveLength(40_001)
  })

  test('turns one text into the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 }).map(text)
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(patch(before, diff(before, after))).toBe(after)
      }),
    )
  })
})
