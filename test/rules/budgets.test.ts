import { describe, expect, it } from 'vitest'
import { countLines, fullFolders, largeOutput, largeRuntime, largeTemplates, longFunctions } from './budgets.ts'
import { unexplainedDependencies, type Manifest } from './dependencies.ts'
import { lines, ourFolders, readSources } from './source.ts'
import { parse } from './syntax.ts'

const ofLines = (path: string, count: number, line = 'x\n') => ({ path, text: line.repeat(count) })

describe('the repository', () => {
  it('has a runtime of at most 4,540 lines of code in at most 45 files', () => {
    const runtime = readSources(['runtime'], '.ts')
    expect(runtime.length).toBeGreaterThan(0)
    expect(lines(largeRuntime(runtime))).toEqual([])
  })

  it('has templates of at most 60 lines', () => {
    const templates = readSources(['templates'], '.hbs')
    expect(templates.length).toBeGreaterThan(0)
    expect(lines(largeTemplates(templates))).toEqual([])
  })

  it('generates at most 113 lines of code an operation in each area, and 93 on average', () => {
    const output = readSources(['output'], '.ts')
    expect(output.length).toBeGreaterThan(0)
    expect(lines(largeOutput(output))).toEqual([])
  })

  it('has at most 40 files in each folder', () => {
    const sources = readSources(ourFolders, '.ts').map(({ path }) => path)
    expect(sources.length).toBeGreaterThan(0)
    expect(lines(fullFolders(sources))).toEqual([])
  })

  it('documents in docs/dependencies.md the reason for each package', () => {
    const [manifest] = readSources(['package.json'], '.json')
    const [document] = readSources(['docs/dependencies.md'], '.md')
    const parsed = JSON.parse(manifest?.text ?? '') as Manifest
    expect(lines(unexplainedDependencies(parsed, document?.text ?? ''))).toEqual([])
  })
})

describe('largeRuntime', () => {
  it('refuses 4,541 lines and 46 files', () => {
    expect(largeRuntime([ofLines('runtime/a.ts', 4540)])).toEqual([])
    expect(largeRuntime([ofLines('runtime/a.ts', 4541)])).toHaveLength(1)
    expect(largeRuntime(Array.from({ length: 46 }, (_, index) => ofLines(`runtime/${index}.ts`, 1)))).toHaveLength(1)
  })
})

describe('largeTemplates', () => {
  it('refuses 61 lines', () => {
    expect(largeTemplates([ofLines('templates/a.hbs', 60)])).toEqual([])
    expect(largeTemplates([ofLines('templates/a.hbs', 61)])).toHaveLength(1)
  })
})

describe('largeOutput', () => {
  const routes = (area: string, operations: number) =>
    ofLines(`output/${area}/routes.ts`, operations, "  operationId: 'getQuota',\n")

  it('sums the files of an area and counts its operations', () => {
    const small = routes('b', 2)
    expect(largeOutput([routes('a', 2), small, ofLines('output/a/types.ts', 224)])).toEqual([])
    expect(lines(largeOutput([routes('a', 2), small, ofLines('output/a/types.ts', 225)]))).toEqual([
      'output/a has 227 lines for 2 operations, 226 at most',
    ])
  })

  it('does not balance an area against the operations of another', () => {
    expect(largeOutput([routes('a', 1), ofLines('output/a/types.ts', 180), routes('b', 9)])).toHaveLength(1)
  })

  it('does not allow every area the maximum of one', () => {
    const large = ['a', 'b'].flatMap(area => [routes(area, 2), ofLines(`output/${area}/types.ts`, 201)])
    expect(lines(largeOutput(large))).toEqual(['output has 406 lines for 4 operations, 372 at most'])
  })

  it('has no budget for output without operations', () => {
    expect(largeOutput([ofLines('output/shared/types.ts', 300)])).toEqual([])
  })
})

describe('fullFolders', () => {
  const files = (folder: string, count: number) => Array.from({ length: count }, (_, i) => `${folder}/${i}.ts`)

  it('refuses 41 files in one folder, and counts each folder separately', () => {
    expect(fullFolders([...files('server/store', 40), ...files('server/store/sqlite', 40)])).toEqual([])
    expect(lines(fullFolders(files('server/store', 41)))).toEqual(['server/store has 41 files, 40 at most'])
    expect(fullFolders(files('test/cases/openapi', 41))).toEqual([])
  })
})

describe('longFunctions', () => {
  it('lists the functions with their lengths, longest first', () => {
    const text = `function a() {\n${'run()\n'.repeat(3)}}\nconst b = () => {\n${'run()\n'.repeat(4)}}\nfunction c() {}\n`
    expect(longFunctions([parse({ path: 'server/a.ts', text })], 2).map(({ line, lines }) => [line, lines])).toEqual([
      [6, 6],
      [1, 5],
    ])
  })
})

describe('countLines', () => {
  it.each([
    ['a\nb\n', 2],
    ['a\nb', 2],
    ['', 1],
  ])('counts %j as %d', (text, count) => {
    expect(countLines(text)).toBe(count)
  })
})

describe('unexplainedDependencies', () => {
  const reason = 'Reads YAML with positions, which JSON.parse does not have.'

  it('needs a section with a reason for each package of every kind', () => {
    const manifest = {
      dependencies: { yaml: '^2' },
      devDependencies: { vitest: '^5' },
      peerDependencies: { fastify: '^5' },
    }
    expect(
      lines(unexplainedDependencies(manifest, `### \`yaml\` 2.9\n\n${reason}\n\n### \`vitest\`\n\nTests.\n`)),
    ).toEqual(['docs/dependencies.md gives no reason for vitest', 'docs/dependencies.md gives no reason for fastify'])
  })

  it('finds sections of missing packages', () => {
    expect(unexplainedDependencies({}, `### \`yaml\`\n\n${reason}\n`)).toHaveLength(1)
  })

  it('finds a package with two sections', () => {
    const section = `### \`yaml\` 2.9\n\n${reason}\n`
    expect(lines(unexplainedDependencies({ dependencies: { yaml: '^2' } }, section + section))).toEqual([
      'docs/dependencies.md explains yaml twice',
    ])
  })

  it('accepts one section for several packages', () => {
    const optionalDependencies = { a: '1', b: '1' }
    expect(unexplainedDependencies({ optionalDependencies }, `### \`a\`, \`b\`\n\n${reason}\n`)).toEqual([])
  })
})
