import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agenda } from '../../domain/vault/work/agenda.ts'
import { Rows } from '../../domain/resources/rows.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { unexpired } from '../../domain/vault/secrets/secret-expiry.ts'
import { secretKind } from '../../domain/vault/secrets/secret-kind.ts'
import { secretCollection } from '../../domain/vault/secrets/secrets-store.ts'
import { secretsList } from '../../output/vault/filters.ts'
import type { Secret } from '../../output/vault/types.ts'
import { checkOrder } from '../../runtime/ordering.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { createClock } from '../../server/clock.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import type { ServerStore } from '../../server/store/server-store.ts'
import { callContext } from '../call-context.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * This program prints the CPU time of a read and of a list of 20 secrets in a workspace of 10,000 and of 1,000,000
 * secrets on SQLite; the limit is 1.2 times the smaller workspace. `NINEFOLD_BENCH_SECRETS` sets the larger number.
 */

const few = 10_000
const many = Number(process.env['NINEFOLD_BENCH_SECRETS'] ?? 1_000_000)
const limit = 1.2
const clock = createClock()
const time = new Date(clock.now()).toISOString()
const engine = 'native'
const workspaces = { few: clock.newId(), many: clock.newId() }

const query: ListQuery = {
  size: 20,
  filter: undefined,
  order: checkOrder(undefined, secretsList),
  after: undefined,
  now: clock.now(),
}

/** Inserts secrets into a workspace, and returns the id of a secret in the middle. */
async function fill(store: ServerStore, workspace_id: string, count: number): Promise<string> {
  let middle = ''
  for (let from = 0; from < count; from += 5000) {
    const rows: readonly Secret[] = Array.from({ length: Math.min(5000, count - from) }, (_, i) => ({
      id: clock.newId(),
      workspace_id,
      engine,
      name: `secret-${String(from + i).padStart(8, '0')}`,
      display_name: '',
      description: '',
      labels: {},
      version_destroy_delay: '0s',
      version_aliases: {},
      latest_version: '1',
      enabled_version_count: 1,
      crypto_key_id: '',
      etag: '1',
      create_time: time,
      update_time: time,
    }))
    await store.tx(async tx => {
      for (const row of rows) await tx.insert(secretCollection, row)
    })
    if (from <= count / 2) middle = rows[0]?.id ?? middle
  }
  return middle
}

const folder = mkdtempSync(join(tmpdir(), 'ninefold-secrets-'))
try {
  const collections = [secretCollection, agenda]
  const store = await openSqlite({ file: join(folder, 'store.sqlite'), collections })
  const ids = { few: await fill(store, workspaces.few, few), many: await fill(store, workspaces.many, many) }
  const rows = new Rows<Secret>(secretKind, { store, taxonomy: taxonomyFunctions })
  const context = { ...callContext(), query: unexpired(query) }
  const read = (size: 'few' | 'many') => rows.read({ workspace: workspaces[size], engine, id: ids[size] })
  const list = (size: 'few' | 'many') => rows.list({ workspace: workspaces[size], engine }, context)
  const contenders: readonly Contender[] = [
    { name: `a read of ${few}`, units: 1, run: () => read('few') },
    { name: `a read of ${many}`, units: 1, run: () => read('many') },
    { name: `a list of ${few}`, units: 1, run: () => list('few') },
    { name: `a list of ${many}`, units: 1, run: () => list('many') },
  ]
  const times = await measure(contenders)
  await store.close()
  for (const at of [0, 2]) {
    const pair = contenders.slice(at, at + 2).map(({ name }, i) => [name, times[at + i] ?? Number.NaN] as const)
    const most = limit * (times[at] ?? 0)
    printGroup('secrets of one workspace, SQLite', [...pair, ['limit', most]])
    if ((times[at + 1] ?? 0) > most) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}
