import { sharedWhere, type Collection, type Reader, type Transaction, type Where } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { Finding } from '../scanning/advisories.ts'
import type { FoundPackage } from '../scanning/inventory.ts'
import {
  findingsCollection,
  packagesCollection,
  scanCollection,
  type ResultPart,
  type StoredFindings,
  type StoredPackages,
  type StoredScan,
} from './scans-store.ts'

/** The number of findings of a row. */
export const findingsPerRow = 100

const packagesPerRow = 500

/** The number of rows that one transaction writes or deletes, so that other work waits only some milliseconds. */
const batchSize = 4

/** A transaction of the caller, which holds the lease of its work. */
type RunTransaction = <R>(fn: (tx: Transaction) => Promise<R>) => Promise<R>

/** The rows of a result. */
export interface ResultRows {
  /** The findings in the order of reports, and the id of their rows. */
  readonly findings?: { readonly id: string; readonly list: readonly Finding[] }
  /** The packages, and the id of their rows. */
  readonly packages?: { readonly id: string; readonly list: readonly FoundPackage[] }
}

/** Returns the id of a part of a result. */
export const partOf = (scan: string, result: string, number: number): string =>
  `${scan}/${result}/${String(number).padStart(6, '0')}`

/**
 * Writes the rows of a result in small transactions, before the row of the scan names the result. Returns whether all are
 * written: false if the scan has another report meanwhile, or was deleted with its artifact.
 */
export async function writeResult(
  run: RunTransaction,
  scan: Pick<StoredScan, 'id' | 'report_id' | 'repository_id'>,
  { findings, packages }: ResultRows,
): Promise<boolean> {
  const row = (result: string, number: number) => ({
    id: partOf(scan.id, result, number),
    repository_id: scan.repository_id,
    scan: scan.id,
    result,
  })
  const found = parts(findings?.list ?? [], findingsPerRow).map((part, i): StoredFindings => ({
    ...row(findings?.id ?? '', i),
    findings: part,
  }))
  const listed = parts(packages?.list ?? [], packagesPerRow).map((part, i): StoredPackages => ({
    ...row(packages?.id ?? '', i),
    packages: part,
  }))
  return (await insertAll(run, scan, findingsCollection, found)) && insertAll(run, scan, packagesCollection, listed)
}

async function insertAll<T extends ResultPart>(
  run: RunTransaction,
  scan: Pick<StoredScan, 'id' | 'report_id'>,
  collection: Collection<T>,
  rows: readonly T[],
): Promise<boolean> {
  for (const batch of parts(rows, batchSize)) {
    const isOwn = await run(async tx => {
      const stored = await tx.lock(scanCollection, scan.id)
      if (stored?.value.report_id !== scan.report_id) return false
      for (const row of batch) await tx.insert<T>(collection, row)
      return true
    })
    if (!isOwn) return false
    await nextTurn()
  }
  return true
}

/** Iterates over the findings of a result in the order of reports, and lets other work run between two rows. */
export async function* findingsOf(
  reader: Reader,
  scan: string,
  result: string,
): AsyncGenerator<Finding, void, undefined> {
  for await (const { value } of reader.each(findingsCollection, { scan, result })) {
    yield* value.findings
    await nextTurn()
  }
}

/** Returns the packages of a result. */
export async function packagesOf(reader: Reader, scan: string, result: string): Promise<readonly FoundPackage[]> {
  const found: FoundPackage[] = []
  for await (const { value } of reader.each(packagesCollection, { scan, result })) {
    found.push(...value.packages)
    await nextTurn()
  }
  return found
}

/** Deletes a batch of the rows of a scan, but for those with the ids `kept`. Returns whether none is left. */
export async function deleteParts(tx: Transaction, scan: string, kept: readonly string[]): Promise<boolean> {
  return (await deleteBatch(tx, findingsCollection, scan, kept)) && deleteBatch(tx, packagesCollection, scan, kept)
}

async function deleteBatch<T extends ResultPart>(
  tx: Transaction,
  collection: Collection<T>,
  scan: string,
  kept: readonly string[],
): Promise<boolean> {
  const where = sharedWhere(collection, { scan, result: { noneOf: kept } } satisfies Where<ResultPart>)
  const rows: { readonly id: string; readonly version: number }[] = []
  for await (const { id, version } of tx.each(collection, where)) {
    if (rows.length === batchSize) break
    rows.push({ id, version })
  }
  for (const { id, version } of rows) await tx.delete(collection, id, version)
  return rows.length < batchSize
}

/** Returns a list in parts of at most `size` items. */
function parts<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const found: (readonly T[])[] = []
  for (let i = 0; i < items.length; i += size) found.push(items.slice(i, i + size))
  return found
}
