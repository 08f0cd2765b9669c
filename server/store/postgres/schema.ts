import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { inAttempts } from '../retries.ts'
import { quoteName } from '../columns.ts'
import { addFormat, checkFormat, formatIn, selectFormat } from '../format.ts'
import { addGeneration, generationIn, selectGeneration } from '../schema-generation.ts'
import type { Index } from '../indexes.ts'
import { checkKnown, type Layout } from '../layout.ts'
import { RepeatedValues, selectRepeated } from '../unique-conflicts.ts'
import { buildIndexes, claimBuilds, isBuiltElsewhere, releaseBuilds } from './builds.ts'
import { indexesAhead, indexesIn, leftovers } from './catalogue.ts'
import { isLockTimeout, isPassing, violatedIndex } from './errors.ts'
import { makeMigrations, migrate } from './migrations.ts'
import { connectedClient } from './pool.ts'
import { PostgresSession } from './session.ts'
import { Prepared, query } from './statements.ts'
import { columnsAhead, definitionsIn, fillAhead, prepareTable, presentIn } from './tables.ts'

/**
 * The time limit for a lock on a table, and the pause before another attempt, in milliseconds. While a transaction
 * waits for the lock, later transactions wait too, readers included. After the limit the transaction is given up, and
 * the waiting transactions run in the pause.
 */
const lockMs = 250
const pauseMs = 500

/** The target of a migration, and its server. */
interface Target {
  readonly layouts: readonly Layout[]
  readonly format: number
  readonly server: string
}

/** The work to do ahead, outside of the transaction of the schema; `ready` once the tables are up to date. */
type Next =
  | { readonly kind: 'fill'; readonly layouts: readonly Layout[] }
  | { readonly kind: 'build'; readonly indexes: readonly Index[] }
  | { readonly kind: 'wait' }
  | { readonly kind: 'ready'; readonly generation: number }

/**
 * Migrates the store's own tables and the tables of `layouts`, and its format to `format`. Others read and write while
 * columns are filled and indexes are built; a final transaction makes the changes that must be visible together.
 * Concurrent servers migrate one after the other: each server locks row 0 of the migrations first. Throws `NewerStore`
 * if a newer version of the program has written the store, and `RepeatedValues` if documents share values of a unique
 * set. Returns the generation of the tables.
 */
export async function prepareSchema(url: string, layouts: readonly Layout[], format: number): Promise<number> {
  return inAttempts(async () => {
    const client = await connectedClient(url, lockMs)
    const server = randomUUID()
    try {
      await makeMigrations(client)
      return await prepared(client, url, { layouts, format, server })
    } catch (error) {
      await releaseBuilds(client, server)
      throw error
    } finally {
      await client.end().catch(() => undefined)
    }
  }, isPassing)
}

async function prepared(client: Client, url: string, target: Target): Promise<number> {
  let isFilled = false
  const look = (session: PostgresSession): Promise<Next> => bringUp(session, target, isFilled)
  for (;;) {
    try {
      const next = await holdingSchema(client, look)
      if (next.kind === 'ready') return next.generation
      if (next.kind === 'fill') await fillTables(client, next.layouts)
      else if (next.kind === 'build') await buildIndexes(client, url, target.server, next.indexes)
      else await sleep(pauseMs)
      // Rows that older servers wrote during the builds are filled ahead too.
      isFilled = next.kind === 'fill' || (next.kind === 'wait' && isFilled)
    } catch (error) {
      await checkRepeated(client, target, error)
      isFilled = false
    }
  }
}

/**
 * Runs `work` in a transaction that excludes other starting servers, and returns its result; repeats the transaction if
 * the wait for a lock was too long.
 */
async function holdingSchema<R>(client: Client, work: (session: PostgresSession) => Promise<R>): Promise<R> {
  for (;;) {
    const session = new PostgresSession(client, new Prepared())
    try {
      return await session.transact(async () => {
        await session.get('SELECT number FROM ninefold_migrations WHERE number = 0 FOR UPDATE')
        return work(session)
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      await query(client, new Prepared(), 'ROLLBACK')
    } finally {
      session.end()
    }
    await sleep(pauseMs)
  }
}

/** Fills new columns in many transactions, each of which delays others for a moment only. */
async function fillTables(client: Client, layouts: readonly Layout[]): Promise<void> {
  for (const layout of layouts) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after
      const fill = (): Promise<string | undefined> => holdingSchema(client, session => fillAhead(session, layout, from))
      after = await inAttempts(fill, isPassing)
    }
  }
}

/**
 * Compares the tables with the declarations: returns the work that can be done ahead, or makes the remaining changes if
 * no work can be done ahead.
 */
async function bringUp(
  session: PostgresSession,
  { format, layouts, server }: Target,
  isFilled: boolean,
): Promise<Next> {
  await checkEncoding(session)
  await migrate(session)
  const found = formatIn(await session.get(selectFormat))
  checkFormat(found, format)
  const isRaised = found < format
  const known = await definitionsIn(session)
  for (const layout of layouts) {
    const definition = known.get(layout.collection)
    if (definition !== undefined) checkKnown(layout, presentIn(definition), isRaised)
  }
  const toFill = layouts.filter(layout => columnsAhead(layout, known.get(layout.collection)).length > 0)
  if (toFill.length > 0 && !isFilled) return { kind: 'fill', layouts: toFill }

  const present = await indexesIn(session)
  const indexes = layouts.flatMap(layout => indexesAhead(layout, known.get(layout.collection), present))
  if (await isBuiltElsewhere(session, server)) {
    if (indexes.length > 0) return { kind: 'wait' }
  } else {
    const left = layouts.flatMap(layout => leftovers(layout, known.get(layout.collection), present))
    for (const name of left) await session.run(`DROP INDEX IF EXISTS ${quoteName(name)}`)
    if (indexes.length > 0) {
      await claimBuilds(session, server)
      return { kind: 'build', indexes }
    }
  }

  const whole = new Set([...present].filter(([, { isValid }]) => isValid).map(([name]) => name))
  let isChanged = isRaised && known.size > 0
  for (const layout of layouts) {
    const options = { isRaised, whole }
    isChanged = (await prepareTable(session, layout, known.get(layout.collection), options)) || isChanged
  }
  if (isRaised) await session.run(addFormat, [format])
  if (isChanged) await endOlderWrites(session)
  await session.run('DELETE FROM ninefold_builds WHERE server = ?', [server])
  return { kind: 'ready', generation: generationIn(await session.get(selectGeneration)) }
}

/**
 * Prevents any later commit of an older server. Each transaction of a server reads the generation after its writes. The
 * lock of this statement, which changes no value, waits for transactions that have read the old generation; all other
 * transactions read the new generation.
 */
async function endOlderWrites(session: PostgresSession): Promise<void> {
  await session.run('ALTER TABLE ninefold_generations ALTER COLUMN number SET NOT NULL')
  await session.run(addGeneration)
}

/**
 * Drops a unique index that was built ahead and that an error reports as violated, so that older servers continue to
 * write. Returns if no documents share values: the conflict is over, or concerns unfilled columns. Throws
 * `RepeatedValues` if documents share values or the index is in use, and rethrows any other error.
 */
async function checkRepeated(client: Client, { layouts }: Target, error: unknown): Promise<void> {
  const name = violatedIndex(error)
  const layout = layouts.find(({ indexes }) => indexes.some(index => index.name === name))
  const index = layout?.indexes.find(each => each.name === name)
  if (layout === undefined || index === undefined) throw error
  const repeated = await holdingSchema(client, async session => {
    const isInUse = index.name in ((await definitionsIn(session)).get(layout.collection)?.indexes ?? {})
    if (!isInUse) await session.run(`DROP INDEX IF EXISTS ${quoteName(index.name)}`)
    const row = await session.get(selectRepeated(layout, index))
    return row !== undefined || isInUse ? new RepeatedValues(layout, index, row, error) : undefined
  })
  if (repeated !== undefined) throw repeated
}

/** Throws for a database in another encoding than UTF8, because its bytes do not sort by code point. */
async function checkEncoding(session: PostgresSession): Promise<void> {
  const encoding = String((await session.get('SHOW server_encoding'))?.[0])
  if (encoding !== 'UTF8') throw new Error(`the database is in the encoding ${encoding}; make one in UTF8`)
}
