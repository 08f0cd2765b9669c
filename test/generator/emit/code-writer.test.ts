import { describe, expect, it } from 'vitest'
import { CodeWriter } from '../../../generator/emit/layout/code-writer.ts'
import { call, quote } from '../../../generator/emit/layout/typescript.ts'

const written = (write: (code: CodeWriter) => void): string => {
  const code = new CodeWriter()
  write(code)
  return code.toString()
}

describe('a code writer', () => {
  it('indents what stands in blocks, and separates blocks by one blank line', () => {
    const text = written(code => {
      for (const name of ['a', 'b']) {
        code.comment(`What ${name} is.`)
        code.block(`export interface ${name.toUpperCase()}`, () => {
          code.comment('A member\nof two lines.', true)
          code.block('readonly inner:', () => code.print('value: string'))
          code.print('last: number')
        })
        code.blank()
        code.blank()
      }
    })
    const block = (name: string): string => `/** What ${name} is. */
export interface ${name.toUpperCase()} {
  /**
   * A member
   * of two lines.
   *
   * @deprecated
   */
  readonly inner: {
    value: string
  }
  last: number
}
`
    expect(text).toBe(`${block('a')}\n${block('b')}`)
  })

  it('breaks a statement by the room that its indentation leaves', () => {
    const statement = call('f', ['a'.repeat(56), 'b'.repeat(56)])
    expect(written(code => code.print(statement))).not.toContain('f(\n')
    const inBlock = written(code => code.block('if (a)', () => code.block('if (b)', () => code.print(statement))))
    expect(inBlock).toContain(`    f(\n      ${'a'.repeat(56)},\n      ${'b'.repeat(56)},\n    )\n  }\n}\n`)
  })

  it.each([`/['"\`]/u`, '/\\\\/u', '/[/`]/u', '`${a}', '// `', '/* `', quote('\\'), quote('`'), quote("'")])(
    'indents what follows %s as before',
    text => {
      const code = (line: string): string =>
        written(code => {
          code.block('function f()', () => {
            code.print(line)
            code.block(line, () => code.comment('Words.'))
          })
          code.print('g()')
        })
      expect(code(text).replaceAll(text, 'x')).toBe(code('x'))
    },
  )

  it.each([
    [undefined, false, '\n'],
    [' \n', false, '\n'],
    ['', true, '/** @deprecated */\n'],
    ['Words.', true, '/**\n * Words.\n *\n * @deprecated\n */\n'],
  ] as const)('writes of the words %j of what is deprecated (%s) the comment %j', (words, isDeprecated, comment) => {
    expect(written(code => code.comment(words, isDeprecated))).toBe(comment)
  })
})
