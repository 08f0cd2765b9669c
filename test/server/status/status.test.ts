import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Group, Operation } from '../../../generator/model/types.ts'
import { jsonStatus, printStatus } from '../../../server/status/print.ts'
import { statusReport } from '../../../server/status/report.ts'
import { stubsIn } from '../../../server/status/sources.ts'
import { statusOf } from '../../../server/status/status.ts'
import { testFolder } from '../store/harness.ts'

const operation = (id: string): Operation => ({
  id,
  name: id,
  routeName: id,
  requestName: id,
  parsedRequestName: id,
  method: 'GET',
  path: `/${id}`,
  pathParts: [`/${id}`],
  server: undefined,
  summary: undefined,
  description: undefined,
  deprecated: false,
  parameters: [],
  body: undefined,
  successes: [],
  failures: [],
  answer: 'empty',
  access: undefined,
  queryKeys: [],
  raises: undefined,
  mode: undefined,
  list: undefined,
  returnsOperation: false,
  position: { file: 'fruit.yaml', line: 1, column: 1 },
})

const group = (name: string, ...ids: readonly string[]): Group => ({
  name,
  interfaceName: name,
  operations: ids.map(operation),
})

const document = { name: 'fruit', groups: [group('apples', 'getApple', 'eatApple'), group('pears', 'getPear')] }

const fruit = (built: readonly string[] | undefined, ...stubs: readonly string[]) =>
  statusOf({ area: { ...(built && { built }) }, document, stubs: new Set(stubs) })

describe('the status of an area', () => {
  it.each([
    ['an area in progress has its other resources left', ['apples'], [], ['getPear']],
    ['an area of which nothing is built has all left', [], [], ['getApple', 'eatApple', 'getPear']],
    ['a whole area has nothing left', undefined, [], []],
    ['a stub is left although its resource is mounted', undefined, ['eatApple'], ['eatApple']],
  ])('%s', (_name, built, stubs, left) => {
    expect(fruit(built, ...stubs).resources.flatMap(resource => resource.left)).toEqual(left)
  })
})

describe('stubs', () => {
  it('are found in their scaffolded form, anywhere below the folder', () => {
    const folder = testFolder()
    const files = {
      'apples.ts': "  async eatApple(): Promise<void> {\n    throw unimplemented('eatApple')\n  }\n",
      'deep/pears.js': 'throw unimplemented(\n"getPear",\n)',
      'plums.ts': '// unimplemented until it is asked for\n',
      'types.d.ts': "throw unimplemented('getType')",
      'notes.md': "throw unimplemented('getNote')",
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    expect([...stubsIn(folder)].toSorted()).toEqual(['eatApple', 'getPear'])
  })

  it('are none before the first handwritten file', () => {
    expect([...stubsIn(join(testFolder(), 'none'))]).toEqual([])
  })
})

describe('a printed status', () => {
  it('lists the remaining operations by area and resource, with their sum', () => {
    expect(printStatus([fruit(['pears']), { ...fruit(undefined), area: 'nuts' }])).toEqual([
      'fruit: 2 of 3 operations left',
      '  apples  2 of 2    getApple eatApple',
      '',
      'nuts: all of 3 operations built',
      '',
      '6 operations in 2 areas: 4 built, 2 left',
    ])
  })

  it('continues in further lines', () => {
    const ids = Array.from({ length: 12 }, (_, i) => `operation${'x'.repeat(i)}`)
    const status = { area: 'fruit', resources: [{ resource: 'apples', built: [], left: ids }] }
    const lines = printStatus([status]).slice(1, -2)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.every(line => line.length <= 100)).toBe(true)
    expect(lines.map(line => line.slice(20)).join(' ')).toBe(ids.join(' '))
  })

  it('is JSON for programs', () => {
    expect(JSON.parse(jsonStatus([fruit(['apples'])]))).toEqual({
      operations: 3,
      built: 2,
      left: 1,
      areas: [
        {
          area: 'fruit',
          operations: 3,
          built: 2,
          left: 1,
          resources: [
            { resource: 'apples', built: ['getApple', 'eatApple'], left: [] },
            { resource: 'pears', built: [], left: ['getPear'] },
          ],
        },
      ],
    })
  })
})

describe('the status of the platform', () => {
  it('has every area with its filter schemas and operations', async () => {
    const report: { areas: { area: string; resources: { resource: string; left: string[] }[] }[] } = JSON.parse(
      await statusReport({ json: true }),
    )
    expect(report.areas.map(({ area }) => area)).toContain('taxonomy')
    for (const { resources } of report.areas) {
      expect(resources).toContainEqual(expect.objectContaining({ resource: 'filterSchemas', left: [] }))
      expect(resources).toContainEqual(expect.objectContaining({ resource: 'operations', left: [] }))
    }
  })

  it('ends with the sum', async () => {
    expect(await statusReport({})).toMatch(/\n\d+ operations in \d+ areas: \d+ built, \d+ left$/)
  })
})
