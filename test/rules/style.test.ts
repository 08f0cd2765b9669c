import { describe, expect, it } from 'vitest'
import { lines, ourFolders, readSources, type Finding } from './source.ts'
import { anyTypes, lateHooks, partialTests, serverFetches, vagueExports, vagueFiles } from './style.ts'
import { parse } from './syntax.ts'
import { lockedHosts, machineFiles, openComments } from './text.ts'

const sources = readSources(ourFolders, '.ts')
const ours = sources.map(parse)
const everywhere = [...ourFolders, 'specs', 'templates', 'README.md', 'package.json', 'package-lock.json', '.ci']

describe('the repository', () => {
  it('names each file for the concept it holds', () => {
    expect(lines(vagueFiles(sources))).toEqual([])
  })

  it('exports names one by one from their origin', () => {
    expect(lines(vagueExports(ours))).toEqual([])
  })

  it('has no type `any`', () => {
    expect(lines(anyTypes(ours))).toEqual([])
  })

  it('skips no test', () => {
    expect(lines(partialTests(ours))).toEqual([])
  })

  it('registers no hook that never runs', () => {
    expect(lines(lateHooks(ours))).toEqual([])
  })

  it('calls other hosts from the server without fetch', () => {
    expect(lines(serverFetches(ours))).toEqual([])
  })

  it('postpones no work and silences no compiler in comments', () => {
    expect(lines(openComments(sources))).toEqual([])
  })

  it('names no path of one machine', () => {
    expect(
      lines(machineFiles(readSources(everywhere, '').filter(({ path }) => !path.startsWith('test/rules/')))),
    ).toEqual([])
  })

  it('locks packages by integrity, without their host', () => {
    const [lock] = readSources(['package-lock.json'], '.json')
    expect(lock?.text).toContain('"integrity"')
    expect(lock && lines(lockedHosts(lock))).toEqual([])
  })
})

/** The words are split, so that a search for such comments does not find this file. */
const shorts = { todo: ['TO', 'DO'].join(''), fixme: ['FIX', 'ME'].join(''), ignore: ['@ts', 'ignore'].join('-') }

const samples: readonly (readonly [
  rule: string,
  find: (path: string, text: string) => readonly Finding[],
  bad: readonly string[],
  good: readonly string[],
])[] = [
  [
    'vagueExports',
    (path, text) => vagueExports([parse({ path, text })]),
    [
      'export default 1',
      'export default function run() {}',
      "export * from './a.ts'\nexport const b = 1",
      "export * as a from './a.ts'\nexport const b = 1",
      "export { a } from './a.ts'",
    ],
    ['export const a = 1', "export { a } from './a.ts'\nexport const b = 1", "export const text = 'export default 1'"],
  ],
  [
    'anyTypes',
    (path, text) => anyTypes([parse({ path, text })]),
    ['let a: any', 'let a: Map<string, any[]>', 'const a = b as any'],
    ["const any = 'any'", '// any of them', 'function any(): void {}'],
  ],
  [
    'partialTests',
    (path, text) => partialTests([parse({ path, text })]),
    ["it.only('a', run)", "describe.skip('a', run)", "test.each(rows).skip('a', run)", "it.todo('a')"],
    ["it.skipIf(isSlow)('a', run)", 'list.only(1)', "const text = 'it.only('"],
  ],
  [
    'lateHooks',
    (path, text) => lateHooks([parse({ path, text })]),
    [
      'beforeAll(() => afterAll(end))',
      "it.each(rows)('a', () => afterAll(end))",
      'open(afterAll)',
      'open({ later: afterAll })',
    ],
    ['afterAll(end)', "describe('a', () => { afterAll(end) })", "import { afterAll } from 'vitest'"],
  ],
  [
    'openComments',
    (path, text) => openComments([{ path, text }]),
    [
      `// ${shorts.todo} later`,
      `const a = 1 /* ${shorts.fixme} */`,
      `/** ${shorts.todo} */\nexport const a = 1`,
      `// ${shorts.ignore}\nlet a`,
      `run(/* ${shorts.todo} */)`,
    ],
    [`const word = '${shorts.todo}'`, `const pattern = /${shorts.fixme}/`, `// ${shorts.todo.toLowerCase()}`],
  ],
  [
    'machineFiles',
    (path, text) => machineFiles([{ path, text }]),
    ["const a = '/home/ann/a'", 'see /Users/ann', 'C:\\Users\\ann'],
    ["const path = '/v1/home/a'", "fetch('/users/1')"],
  ],
  [
    'lockedHosts',
    (path, text) => lockedHosts({ path, text }),
    ['"resolved": "https://packages.test/a.tgz"', '"version": "git+ssh://code.test/a"'],
    ['"integrity": "sha512-a"', '"version": "1.0.0"'],
  ],
]

describe.each(samples)('%s', (_, find, bad, good) => {
  it.each(bad)('refuses %j', text => {
    expect(find('server/a.ts', text)).toHaveLength(1)
  })

  it.each(good)('allows %j', text => {
    expect(find('server/a.ts', text)).toEqual([])
  })
})

describe('vagueFiles', () => {
  it.each([
    'server/utils.ts',
    'generator/emit/helper.ts',
    'runtime/common.ts',
    'domain/misc.ts',
    'server/helpers/a.ts',
  ])('refuses %s', path => {
    expect(vagueFiles([{ path, text: '' }])).toHaveLength(1)
  })

  it.each(['runtime/common-reasons.ts', 'server/utilisation.ts'])('allows %s', path => {
    expect(vagueFiles([{ path, text: '' }])).toEqual([])
  })
})
