import { describe, expect, it } from 'vitest'
import { sqliteDialect } from '../../../../../server/store/sqlite/dialect.ts'
import { explain } from '../../../../server/store/sqlite/explain.ts'
import { statementsOf } from '../../../../server/store/statements.ts'
import { lifecycleReads } from '../lifecycle-reads.ts'

describe('a read of lifecycle rules', () => {
  it.each(lifecycleReads)('finds $name by an index, without a sort', async ({ by, collection, read }) => {
    const statements = await statementsOf(collection, sqliteDialect, read)
    const steps = (await explain(collection, () => statements)).flat().map(({ detail }) => detail)
    expect(steps.join('; ')).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER BY/)
    const searched = [...new Set(steps.flatMap(step => /^SEARCH .*\((.*)\)/.exec(step)?.[1] ?? []))]
    const columns = searched.map(terms => [
      ...new Set(terms.split(' AND ').map(term => term.replace(/[<>=]\??.*/, ''))),
    ])
    expect(columns.toSorted()).toEqual(by.toSorted())
  })
})
