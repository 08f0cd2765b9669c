import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder, removeFolder } from '../generation.ts'
import { groupsIn, judged, type Verdict } from './suite.ts'

/** The folder of the JSON-Schema-Test-Suite, with a folder for each draft; undefined on machines without the suite. */
const folder = process.env['NINEFOLD_SCHEMA_SUITE']

if (folder === undefined)
  console.warn('NINEFOLD_SCHEMA_SUITE names no folder: the JSON-Schema-Test-Suite is skipped (docs/testing.md)')

/**
 * The drafts whose schemas the versions of OpenAPI have, each with the files of the suite in which the generator reports
 * a schema: a keyword that OpenAPI 3.0 lacks, a format that nothing checks, a URL, an identifier, a dialect, or a default that does
 * not fit.
 */
const drafts = [
  {
    version: '3.0.4',
    draft: 'draft4',
    reported:
      'additionalItems additionalProperties allOf anyOf default definitions dependencies infinite-loop-detection items not oneOf patternProperties properties ref refRemote type uniqueItems',
  },
  {
    version: '3.1.1',
    draft: 'draft2020-12',
    reported:
      'anchor content default defs dynamicRef format if-then-else maxContains minContains ref refRemote unevaluatedItems unevaluatedProperties vocabulary',
  },
] as const

/** The groups that are judged otherwise on purpose. */
const otherwise: readonly string[] = [
  // The suite wants `contentEncoding` to check nothing; documents of OpenAPI mean base64 by it.
  'validation of binary string-encoding',
]

describe.skipIf(folder === undefined)('the JSON-Schema-Test-Suite', () => {
  describe.each(drafts)('$draft, in OpenAPI $version', ({ version, draft, reported }) => {
    const verdicts = new Map<string, readonly Verdict[]>()
    let root = ''
    beforeAll(async () => {
      root = newFolder()
      for (const [name, groups] of groupsIn(join(folder ?? '', draft)))
        verdicts.set(name, await judged(version, groups, join(root, name)))
    }, 300_000)
    afterAll(() => removeFolder(root))

    test('has the values of each schema judged right, unless the schema is reported', () => {
      const wrong = [...verdicts].flatMap(([name, all]) =>
        all
          .filter(({ description, reports }) => reports.length === 0 && !otherwise.includes(description))
          .filter(each => each.wrong.length > 0 || !each.generates)
          .map(each => ({ name, ...each })),
      )
      expect(wrong).toEqual([])
    })

    test('has schemas that are reported only in the files of keywords without an effect', () => {
      const found = [...verdicts].filter(([, all]) => all.some(({ reports }) => reports.length > 0))
      expect(found.map(([name]) => name).join(' ')).toBe(reported)
    })

    test('is read in whole', () => {
      const all = [...verdicts.values()].flat()
      const silent = all.filter(({ reports }) => reports.length === 0).length
      console.log(`${draft}: ${silent} schemas judged, ${all.length - silent} reported`)
      expect(silent).toBeGreaterThan(80)
    })
  })
})
