import type { Sbom } from '../../../output/registry/types.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import type { Inventory } from '../scanning/inventory.ts'
import { sbomOf } from '../scanning/sbom.ts'
import type { NewResult } from './end-scan.ts'
import { sortFindings } from '../scan-results/findings.ts'
import { imageLayers } from './image-layers.ts'
import { builtIn, nativeResult } from './native-result.ts'
import { pushBill } from './push-bill.ts'
import { writeResult } from '../scan-results/result-rows.ts'
import { artifactGone } from './scan-fault.ts'
import type { ScanningParts } from './scanning-parts.ts'

/**
 * Reads what is installed in an image, compares it with the advisories, and writes the rows of the result. Throws a
 * `LayerFault`, and a `ScanFault` if the image was deleted.
 */
export async function nativeImage(parts: ScanningParts): Promise<NewResult> {
  const { artifact, context, environment, scan } = parts
  const { clock, signal, tx } = context
  const inventory = await inventoryOf(parts)
  const sbom = await billOf(parts, inventory)
  const state = environment.advisories.state()
  const findings = state && (await sortFindings(await environment.advisories.match(inventory.packages, signal)))
  const rows = { id: findings ? clock.newId() : '', inventory: clock.newId() }
  const written = await writeResult(tx, scan, {
    ...(findings && { findings: { id: rows.id, list: findings } }),
    packages: { id: rows.inventory, list: inventory.packages },
  })
  if (!written) throw artifactGone(artifact.repository_id, artifact.digest)
  return nativeResult({ inventory, rows, findings, state, sbom })
}

async function inventoryOf({ artifact, context, environment }: ScanningParts): Promise<Inventory> {
  const { digest, repository_id } = artifact
  const image = await imageLayers(environment, repository_id, artifact)
  if (!image) throw artifactGone(repository_id, digest)
  const { unsupported, ...inventory } = await environment.layers.read(image.layers, context.signal)
  return { ...inventory, unsupported: [...image.unsupported, ...unsupported] }
}

/** Stores the bill of materials of an artifact, if the order asks for one and the repository takes it. */
export async function billOf(
  { artifact, context, environment, scan }: ScanningParts,
  inventory: Inventory,
): Promise<Sbom | undefined> {
  if (!context.input.makesBill) return undefined
  const repository = (await context.store.get(repositoryCollection, artifact.repository_id))?.value
  if (!repository) throw artifactGone(artifact.repository_id, artifact.digest)
  const uri = `${environment.host()}/${repository.path}`
  // The time of the report is that of its first run, so that a repeated run makes the same bill.
  const timeMs = Date.parse(scan.start_time ?? '')
  const subject = { uri, digest: artifact.digest, timeMs, scanner: builtIn(undefined) }
  const pieces = await sbomOf(inventory, subject, context.signal)
  return pushBill(environment, artifact, { pieces, componentCount: inventory.packages.length }, context.signal)
}
