import { Client } from 'pg'
import { numbered } from '../../../../server/store/postgres/placeholders.ts'
import type { SqlCondition } from '../../../../server/store/condition.ts'

/** Returns PostgreSQL's plans of some statements in a place: a text for each statement, with a line for each step. */
export async function explain(place: string, statements: readonly SqlCondition[]): Promise<readonly string[]> {
  const client = new Client({ connectionString: place })
  await client.connect()
  try {
    const plans: string[] = []
    for (const { parameters, sql } of statements) {
      const asked = { text: `EXPLAIN ${numbered(sql)}`, values: [...parameters], rowMode: 'array' } as const
      const { rows } = await client.query<unknown[]>(asked)
      plans.push(rows.flat().join('\n'))
    }
    return plans
  } finally {
    await client.end()
  }
}
