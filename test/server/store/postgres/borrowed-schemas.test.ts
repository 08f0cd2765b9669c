import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { layoutOf } from '../../../../server/store/layout.ts'
import { postgresDialect } from '../../../../server/store/postgres/dialect.ts'
import { openPostgres, type PostgresStore } from '../../../../server/store/postgres.ts'
import { withSchema } from '../../../postgres/address.ts'
import { Schemas } from '../../../postgres/schemas.ts'
import { boxes, statement, type Box } from '../harness.ts'

const box: Box = { id: 'a', name: 'a' }

/** Creates a separate set of schemas, as another test process would. `at` returns the URL of a schema by its name. */
function lender(): { readonly schemas: Schemas; readonly at: (schema: string) => string } {
  const postgres = inject('postgres')
  if (!('url' in postgres)) throw new Error(postgres.missing)
  return {
    schemas: new Schemas(postgres.url, `${postgres.prefix}_lent_${process.hrtime.bigint()}`),
    at: schema => withSchema(postgres.url, schema),
  }
}

async function opened(url: string): Promise<PostgresStore> {
  const store = await openPostgres({ url, collections: [boxes] })
  onTestFinished(() => store.close())
  return store
}

/** Returns the object id of the table of boxes, which stays the same for the life of the table. */
async function tableOf(url: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(`SELECT 'test_boxes'::regclass::oid`)).rows
  } finally {
    await client.end()
  }
}

it('are lent with tables and without rows, and the tables serve more than one test', async () => {
  const { at, schemas } = lender()
  const one = await schemas.prepared([boxes])
  const store = await opened(at(one.name))
  const { id } = await store.tx(async tx => {
    await tx.insert(boxes, box)
    return box
  })
  const secret = await store.secret('key')
  const table = await tableOf(at(one.name))
  await one.giveBack()
  const other = await schemas.prepared([boxes])
  expect(await tableOf(at(other.name))).toEqual(table)
  const again = await opened(at(other.name))
  expect(await again.get(boxes, id)).toBeUndefined()
  expect(await again.secret('key')).not.toEqual(secret)
  await other.giveBack()
})

it('are unreachable for their former borrower', async () => {
  const { at, schemas } = lender()
  const one = await schemas.prepared([boxes])
  const store = await opened(at(one.name))
  await store.tx(tx => tx.insert(boxes, box))
  await one.giveBack()
  const other = await schemas.prepared([boxes])
  await expect(store.tx(tx => tx.insert(boxes, { ...box, id: 'b' }))).rejects.toThrow()
  expect(await (await opened(at(other.name))).count(boxes)).toBe(0)
  await other.giveBack()
})

it('are lent to one borrower at a time', async () => {
  const { schemas } = lender()
  const [one, other] = [await schemas.prepared([boxes]), await schemas.prepared([boxes])]
  expect(one.name).not.toBe(other.name)
  await one.giveBack()
  await other.giveBack()
})

it.each([
  ['an index less', `DROP INDEX ${layoutOf(boxes, postgresDialect).indexes[0]?.name}`],
  ['an index more', 'CREATE INDEX more ON test_boxes (_key)'],
  ['a column more', 'ALTER TABLE test_boxes ADD COLUMN more TEXT'],
  ['a column less', 'ALTER TABLE test_boxes DROP COLUMN parent'],
  ['a constraint more', 'ALTER TABLE test_boxes ADD CHECK (_version > 0)'],
  ['a table more', 'CREATE TABLE more (id TEXT)'],
  ['another version', 'INSERT INTO ninefold_migrations (number) VALUES (999)'],
  ['another format', 'INSERT INTO ninefold_formats (number) VALUES (999)'],
  ['changed columns', 'INSERT INTO ninefold_generations (number) VALUES (7)'],
  ['other definitions', `UPDATE ninefold_tables SET definition = '{}'`],
])('are not lent again with %s', async (_, sql) => {
  const { at, schemas } = lender()
  const one = await schemas.prepared([boxes])
  const table = await tableOf(at(one.name))
  await statement(at(one.name), sql)
  await one.giveBack()
  const other = await schemas.prepared([boxes])
  expect(await tableOf(at(other.name))).not.toEqual(table)
  await other.giveBack()
})
