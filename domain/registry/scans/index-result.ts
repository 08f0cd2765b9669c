import { countFindings } from '../scan-results/findings.ts'
import type { NewResult } from './end-scan.ts'
import { mergedFindings, mergedInventory } from './merge-children.ts'
import { billOf } from './native-image.ts'
import { nativeResult } from './native-result.ts'
import { writeResult } from '../scan-results/result-rows.ts'
import { artifactGone } from './scan-fault.ts'
import type { ScanningParts } from './scanning-parts.ts'
import { nativeScanner, type StoredScan } from '../scan-results/scans-store.ts'

/**
 * Merges the results of the images of an index, and writes the rows of the merged result. Throws a `ScanFault` if the index
 * was deleted.
 */
export async function indexResult(parts: ScanningParts, children: readonly StoredScan[]): Promise<NewResult> {
  const { artifact, context, environment, scan } = parts
  const { clock, input, store, tx } = context
  const isCompared = children.every(({ result }) => result?.counts)
  const findings = isCompared ? await mergedFindings(store, children) : undefined
  const rows = { id: findings ? clock.newId() : '', inventory: '' }
  const written = await writeResult(tx, scan, findings ? { findings: { id: rows.id, list: findings } } : {})
  if (!written) throw artifactGone(artifact.repository_id, artifact.digest)
  const inventory = await mergedInventory(store, children)
  if (input.scanner === nativeScanner) {
    const sbom = await billOf(parts, inventory)
    const made = nativeResult({ inventory, rows, findings, state: environment.advisories.state(), sbom })
    // If advisories were loaded after an image was compared, the index is compared again after that image.
    const behind = children.find(child => child.advisories !== made.advisories)
    return behind ? { ...made, advisories: behind.advisories } : made
  }
  const [first] = children
  if (!findings || !first?.result) throw artifactGone(artifact.repository_id, artifact.digest)
  return {
    advisories: '',
    result: {
      ...rows,
      scanner: first.result.scanner,
      counts: countFindings(findings),
      unsupported_sources: inventory.unsupported,
    },
  }
}
