import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { references } from '../../resources/references.ts'
import { secretOf } from './authorization-secret.ts'
import { ingestionConfigKind } from './ingestion-config-kind.ts'
import { ingestionConfigCollection, ingestionKinds, type StoredIngestionConfig } from './ingestion-configs-store.ts'
import { ingestionStatusCollection } from './ingestion-status-store.ts'

/**
 * Yields the ingestion configs whose kind contradicts their members, whose keys have no hash, or that hold a secret which
 * they do not use, and the statuses of configs that do not exist or whose counts contradict each other. A secret without
 * a reference is no fault: a secret that has expired is deleted with the references to it.
 */
export async function* inspectConfigs(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  const { type: resourceType } = ingestionConfigKind
  for await (const { id, value } of reader.each(ingestionConfigCollection)) {
    for (const message of configFaults(value)) yield { resourceType, id, message }
    const used = new Set<string>()
    for await (const reference of reader.each(references, { holder_type: resourceType, holder_id: id }))
      used.add(reference.value.target_id)
    const secret = secretOf(value)
    for (const other of used)
      if (other !== secret) yield { resourceType, id, message: `holds the secret ${other}, which it does not use` }
  }
  for await (const { id, value } of reader.each(ingestionStatusCollection)) {
    const owner = await reader.get(ingestionConfigCollection, id)
    if (owner?.value.workspace_id !== value.workspace_id)
      yield { resourceType, id, message: 'has a status, and the workspace of the status has no such ingestion config' }
    const { rejected, rejected_reasons: reasons } = value.stats
    const sum = Object.values(reasons).reduce((all, count) => all + count, 0)
    if (sum !== rejected)
      yield { resourceType, id, message: `counts ${rejected} refused samples, but ${sum} by reason` }
  }
}

function configFaults(config: StoredIngestionConfig): readonly string[] {
  const kinds = ingestionKinds.filter(kind => config[kind] !== undefined)
  const isOfKind = kinds.length === 1 && kinds[0] === config.kind
  const keyless = config.ingest_keys.filter(({ sha256 }) => !/^[0-9a-f]{64}$/.test(sha256))
  return [
    ...(isOfKind ? [] : [`is of the kind ${config.kind}, and has ${kinds.join(', ') || 'no kind'}`]),
    ...keyless.map(({ name }) => `has no hash of the key ${name}; replace the key`),
  ]
}
