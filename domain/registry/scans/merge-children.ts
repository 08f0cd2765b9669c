import type { Reader } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { Finding } from '../scanning/advisories.ts'
import type { FoundPackage, Inventory } from '../scanning/inventory.ts'
import { sortFindings } from '../scan-results/findings.ts'
import { findingsOf, packagesOf } from '../scan-results/result-rows.ts'
import type { StoredScan } from '../scan-results/scans-store.ts'

/** The number of packages after which other work gets a turn. */
const sliceSize = 500

/** Returns the findings of the children of an index, each once, in the order of reports. */
export async function mergedFindings(reader: Reader, children: readonly StoredScan[]): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const { id, result } of children)
    if (result) for await (const finding of findingsOf(reader, id, result.id)) found.push(finding)
  return sortFindings(found)
}

/** Returns what is installed in the children of an index, each package once. */
export async function mergedInventory(reader: Reader, children: readonly StoredScan[]): Promise<Inventory> {
  const packages = new Map<string, FoundPackage>()
  const unsupported = new Set<string>()
  for (const { id, result } of children) {
    if (!result) continue
    for (const [i, found] of (await packagesOf(reader, id, result.inventory)).entries()) {
      packages.set(JSON.stringify([found.purl, found.path, found.layer_digest]), found)
      if (i % sliceSize === sliceSize - 1) await nextTurn()
    }
    for (const source of result.unsupported_sources) unsupported.add(source)
  }
  const os = children.find(({ result }) => result?.os !== undefined)?.result?.os
  return { ...(os && { os }), packages: [...packages.values()], unsupported: [...unsupported] }
}
