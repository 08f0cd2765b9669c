import type { AreaFacts, Finding } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import { authorityCollection } from './certificates/authorities-store.ts'
import { countedStates } from './certificates/authority-kind.ts'
import { cryptoKeyCollection } from './keys/crypto-keys-store.ts'
import { secretCollection } from './secrets/secrets-store.ts'

/** The rows of each workspace that take 1 of a quota, keyed by quota. */
const counts: Readonly<Record<string, (reader: Reader) => Promise<ReadonlyMap<string, number>>>> = {
  'vault.secrets': reader => reader.tally(secretCollection, 'workspace_id'),
  'vault.cryptoKeys': reader => reader.tally(cryptoKeyCollection, 'workspace_id'),
  'vault.certificateAuthorities': reader => reader.tally(authorityCollection, 'workspace_id', { state: countedStates }),
}

/** Checks that each workspace uses as much of the quotas of the area as it has rows. */
export async function* inspectUsages(
  reader: Reader,
  { usages }: AreaFacts['taxonomy'],
): AsyncGenerator<Finding, void, undefined> {
  for (const [quota, count] of Object.entries(counts)) {
    const left = new Map(await count(reader))
    for await (const [id, amount] of usages(reader, quota)) {
      const rows = left.get(id) ?? 0
      left.delete(id)
      if (rows !== amount) yield differing(quota, id, amount, rows)
    }
    for (const [id, rows] of left) yield differing(quota, id, 0, rows)
  }
}

const differing = (quota: string, id: string, amount: number, rows: number): Finding => ({
  resourceType: 'taxonomy.quotas',
  id: `${quota}/${id}`,
  message: `counts ${amount}, and the workspace has ${rows} rows; restore the store from a backup`,
})
