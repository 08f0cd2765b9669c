import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import { runtimeSources } from '../../generator/own-package.ts'
import { importEndings } from '../../generator/options.ts'
import { copyRuntime, servingModules } from '../../generator/runtime-copy.ts'

const modules = new Map([
  ['errors.ts', `import type { Route } from './route.ts'\n\nexport const a = 1\n`],
  ['route.ts', `import type { Fields } from './filter/types.ts'\n`],
  ['filter/types.ts', `import { isRecord } from '../json.ts'\nexport type A = import('../bytes.ts').Bytes\n`],
  ['json.ts', ''],
  ['bytes.ts', ''],
  ['unused.ts', ''],
  ['transport.ts', `export { b } from './retry.ts'\n`],
  ['retry.ts', ''],
  ['hosts/node.ts', ''],
])

describe('the copied runtime', () => {
  test('has the imports of generated code, the server and client modules, and their imports', () => {
    const generated = new Map([['taxonomy/errors.ts', `import { ApiError } from '../runtime/errors.js'\n`]])
    expect([...copyRuntime(generated, modules, '.js').keys()]).toEqual([
      'runtime/bytes.ts',
      'runtime/errors.ts',
      'runtime/filter/types.ts',
      'runtime/hosts/node.ts',
      'runtime/json.ts',
      'runtime/retry.ts',
      'runtime/route.ts',
      'runtime/transport.ts',
    ])
  })

  test('matches flat output and modules in folders', () => {
    const generated = new Map([['filters.ts', `import type { ListFields } from './runtime/filter/types'\n`]])
    expect(copyRuntime(generated, modules, '').has('runtime/filter/types.ts')).toBe(true)
  })

  test.each([
    ['.ts', './route.ts', '../bytes.ts'],
    ['.js', './route.js', '../bytes.js'],
    ['', './route', '../bytes'],
  ] as const)('has imports that end in %j', (ending, route, bytes) => {
    const generated = new Map([['errors.ts', `import { ApiError } from './runtime/errors${ending}'\n`]])
    const copied = copyRuntime(generated, modules, ending)
    expect(copied.get('runtime/errors.ts')).toContain(`from '${route}'`)
    expect(copied.get('runtime/filter/types.ts')).toContain(`import('${bytes}')`)
  })

  test('begins with a comment that it is a copy, without a version', () => {
    const first = copyRuntime(new Map(), modules, '.js').get('runtime/transport.ts')?.split('\n')[0]
    expect(first).toBe('// Copied by ninefold. Do not edit: generate writes it again.')
  })

  const style = { parser: 'typescript', printWidth: 120, semi: false, singleQuote: true, arrowParens: 'avoid' } as const
  test.each(importEndings)('of modules in prettier form is in prettier form, with %j', async ending => {
    const sources = await Promise.all(
      [...runtimeSources()].map(async ([name, text]) => [name, await format(text, style)] as const),
    )
    const imports = sources
      .map(
        ([name]) => `import './runtime/${name}'
`,
      )
      .join('')
    const copied = copyRuntime(new Map([['all.ts', imports]]), new Map(sources), ending)
    expect(copied.size).toBe(sources.length)
    for (const [path, text] of copied) expect(await format(text, style), path).toBe(text)
  })

  test('finds the server and client modules in this repository', () => {
    const names = [...runtimeSources().keys()].filter(name => servingModules.test(name))
    expect(names).toContain('transport.ts')
    expect(names.some(name => name.startsWith('hosts/'))).toBe(true)
    expect(names.some(name => name.startsWith('call'))).toBe(true)
  })
})
