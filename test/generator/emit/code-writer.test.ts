import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { CodeBlockWriter } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { CodeWriter, writerOfTsMorph } from '../../../generator/emit/layout/code-writer.ts'
import { call, quote, signature } from '../../../generator/emit/layout/typescript.ts'

const written = (write: (code: CodeWriter) => void): string => {
  const code = new CodeWriter()
  write(code)
  return code.toString()
}

describe('a code writer', () => {
  it('indents the content of blocks, and separates blocks by one blank line', () => {
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

  it('breaks the head of a block if the brace does not fit after it', () => {
    const head = (length: number): string => {
      const rest = 'function (): void'.length
      return written(code =>
        code.block(signature(`function ${'f'.repeat(length - rest - 'a'.length)}`, ['a'], 'void'), () => undefined),
      )
    }
    expect(head(118)).toMatch(/^function f+\(a\): void \{\n\}\n$/)
    expect(head(119)).toMatch(/^function f+\(\n {2}a,?\n\): void \{\n\}\n$/)
  })

  it('inserts the code of another writer before its own, and nothing of an empty writer', () => {
    const hoisting = (hoist: (code: CodeWriter) => void): string => {
      const hoisted = new CodeWriter()
      hoist(hoisted)
      return written(code => {
        code.print('f()')
        code.hoist(hoisted)
      })
    }
    expect(hoisting(() => undefined)).toBe('f()\n')
    expect(hoisting(code => code.print('const a = 1'))).toBe('const a = 1\n\nf()\n')
  })

  it.each([`/['"\`]/u`, '/\\\\/u', '/[/`]/u', '`${a}', '// `', '/* `', quote('\\'), quote('`'), quote("'")])(
    'indents the code after %s as before',
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
  ] as const)('writes for the words %j, deprecated (%s), the comment %j', (words, isDeprecated, comment) => {
    expect(written(code => code.comment(words, isDeprecated))).toBe(comment)
  })

  it('writes with the writer that ts-morph exports, and does not load the rest of ts-morph', () => {
    expect(writerOfTsMorph()).toBe(CodeBlockWriter)
    const module = new URL('../../../generator/emit/layout/code-writer.ts', import.meta.url)
    const program = `
      import { createRequire } from 'node:module'
      import { CodeWriter } from ${JSON.stringify(module.href)}
      new CodeWriter()
      const loaded = Object.keys(createRequire(${JSON.stringify(pathToFileURL(import.meta.filename).href)}).cache)
      console.log(loaded.map(path => /node_modules.([^/\\\\]+)/.exec(path)?.[1]).join())`
    const { stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(new Set(stdout.trim().split(','))).toEqual(new Set(['code-block-writer']))
  })
})
