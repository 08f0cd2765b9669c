import { expect, test } from 'vitest'
import type { AnswerChecks } from '../../../generator/options.ts'
import { generation, plainOptions, repository } from '../generation.ts'

/**
 * Returns the names of the checks that the output of common.yaml (`shared`) and of taxonomy.yaml exports, keyed by the
 * name of the document's folder.
 */
async function checksOf(answerChecks: AnswerChecks): Promise<Readonly<Record<'shared' | 'taxonomy', string[]>>> {
  const files = ['specs/common.yaml', 'specs/taxonomy.yaml']
  const made = await generation(files, repository, { ...plainOptions, answerChecks }, ['common=shared'])
  const exported = (name: string): string[] =>
    [...(made.files.get(`${name}/validators.ts`) ?? '').matchAll(/^export function check(\w+)/gm)].map(
      ([, of = '']) => of,
    )
  return { shared: exported('shared'), taxonomy: exported('taxonomy') }
}

test('with checks for records only, only the responses that a server reads back have checks', async () => {
  const [all, records] = [await checksOf('all'), await checksOf('records')]
  expect(all.taxonomy).toEqual(expect.arrayContaining(records.taxonomy))
  expect(records.taxonomy).toEqual(expect.arrayContaining(['TaxonomyOperation', 'OperationStatus']))
  expect(records.shared).toEqual(expect.arrayContaining(['OperationError', 'OperationWarning']))
  const left = all.taxonomy.filter(name => !records.taxonomy.includes(name))
  expect(left).toEqual(expect.arrayContaining(['Group', 'ListGroupsResponse']))
  expect(left.filter(name => /Request$|Input$|Update$/.test(name))).toEqual([])
})
