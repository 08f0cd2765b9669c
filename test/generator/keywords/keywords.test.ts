import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder, removeFolder, repository } from '../generation.ts'
import { typeCheck } from '../type-check.ts'
import { type KeywordCase, newerCases, olderCases, sharedCases } from './cases.ts'
import { judged, type Verdict } from './suite.ts'

const versions = [
  ['3.0.4', [...sharedCases, ...olderCases]],
  ['3.1.1', [...sharedCases, ...newerCases]],
] as const

describe.each(versions)('in OpenAPI %s', (version, cases) => {
  let verdicts: readonly Verdict[] = []
  let folder = ''
  beforeAll(async () => {
    folder = newFolder()
    const groups = cases.map(({ fitting, further = [], keyword, refused, schema }) => ({
      description: keyword,
      schema,
      tests: [
        ...[...fitting, ...further].map(data => ({ description: `fits: ${JSON.stringify(data)}`, data, valid: true })),
        ...refused.map(data => ({ description: `refused: ${JSON.stringify(data)}`, data, valid: false })),
      ],
    }))
    verdicts = await judged(version, groups, folder)
  })
  afterAll(() => removeFolder(folder))

  test.each(cases.map((each, i) => [each.keyword, JSON.stringify(each.schema), i] as const))(
    '%s is enforced by validators, and nothing is lost: %s',
    (keyword, _schema, i) => {
      expect(verdicts[i]).toEqual({ description: keyword, reports: [], wrong: [], generates: true })
    },
  )

  test('the types accept the values that fit, and refuse what TypeScript can express', () => {
    writeFileSync(join(folder, 'out/values.ts'), valuesOf(cases))
    const compilerOptions = { types: [] }
    const config = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['out'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    expect(typeCheck(folder)).toBe('')
  })
})

/** Returns a module that assigns the values of the cases to the types; an unexpected verdict of TypeScript is an error. */
function valuesOf(cases: readonly KeywordCase[]): string {
  const lines = cases.flatMap(({ fitting, untyped = [] }, i) => {
    const typed = (value: unknown): string => `use<T.Post${i}Request['body']>(${JSON.stringify(value)})`
    return [...fitting.map(typed), ...untyped.flatMap(value => [`// @ts-expect-error: case ${i}`, typed(value)])]
  })
  return ["import type * as T from './suite/types.ts'", 'const use = <V>(value: V): V => value', ...lines].join('\n')
}
