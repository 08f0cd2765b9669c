import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printRows } from '../../cli/answer-printer.ts'
import { printable, printableJson } from '../../cli/printable.ts'
import { sheet, Table } from '../../cli/table.ts'

/** Characters that a terminal might interpret. */
const obeyed = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

test('printed text contains no control sequence of a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(printable(text)).not.toMatch(obeyed)
      const rows = [{ [text]: text }]
      const table = new Table(rows, 80)
      for (const line of [table.head(), table.line(rows[0]), ...sheet(rows[0])]) expect(line).not.toMatch(obeyed)
    }),
  )
})

test('printed JSON parses to the value of the response, and contains no control sequence', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const printed = printableJson({ value, text })
      expect(printed.replaceAll('\n', '')).not.toMatch(obeyed)
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify({ value, text })))
    }),
  )
})

test('the columns are the scalar members, identifying members first, as many as fit', () => {
  const rows = [
    { size: 12, spec: { a: 1 }, name: 'web', tags: ['a', 'b'], id: '1' },
    { size: null, name: 'a'.repeat(80), id: '2', note: 'n' },
  ]
  const wide = new Table(rows, 200)
  expect(wide.head()).toMatch(/^ID {2}NAME +SIZE {2}TAGS {2}NOTE$/)
  expect(wide.line(rows[0])).toMatch(/^1 {3}web +12 {4}a,b$/)
  expect(wide.line(rows[1])).toContain(`${'a'.repeat(61)}...`)
  expect(new Table(rows, 10).head()).toBe('ID')
})

test.each([
  [[], '[]'],
  [[[]], '[]'],
  [[[{ a: 1 }], [{ a: 2 }]], '[{"a":1},{"a":2}]'],
])('rows of pages %j are one JSON list', async (pages, wanted) => {
  expect(JSON.parse(await printed(pages))).toEqual(JSON.parse(wanted))
})

test('a limit can end within a page', async () => {
  expect(
    JSON.parse(
      await printed(
        [
          [1, 2],
          [3, 4],
        ],
        3,
      ),
    ),
  ).toEqual([1, 2, 3])
})

async function printed(pages: readonly (readonly unknown[])[], limit = Infinity): Promise<string> {
  const lines: string[] = []
  const each = (async function* () {
    yield* pages
  })()
  await printRows(each, limit, { form: 'json', width: 80, print: line => void lines.push(line) })
  return lines.join('\n')
}
