import type { Finding, Inspection } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import { inspectCapsules } from './capsules/inspect-capsules.ts'
import { inspectCertificates } from './certificates/inspect-certificates.ts'
import { pinnedVersions } from './certificates/pinned-versions.ts'
import { inspectUsages } from './inspect-usages.ts'
import { inspectKeys } from './keys/inspect-keys.ts'
import { inspectLists } from './revocation/inspect-lists.ts'
import { inspectSecrets } from './secrets/inspect-secrets.ts'
import { inspectAgenda } from './inspect-agenda.ts'
import { inspectSnapshots } from './snapshots/inspect-snapshots.ts'
import { safeId, safeKeys, safes, workspaceKeys } from './seal/seal-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks the keys of the vault and the rows of secrets. No key is needed, so the vault may be sealed. */
export async function* inspectVault(inspection: Inspection): Findings {
  const { facts, reader } = inspection
  yield* inspectSeal(reader)
  yield* inspectCapsules(reader)
  yield* inspectCertificates(reader)
  yield* inspectLists(reader)
  yield* inspectKeys(reader, pinnedVersions)
  yield* inspectSecrets(reader)
  yield* inspectAgenda(reader)
  yield* inspectSnapshots(inspection)
  if (facts.taxonomy) yield* inspectUsages(reader, facts.taxonomy)
}

/** Checks that each key names an existing key above it. */
async function* inspectSeal(reader: Reader): Findings {
  const hasSafe = await reader.exists(safes, { id: safeId })
  const numbers = new Set<string>()
  for await (const { id } of reader.each(safeKeys)) {
    numbers.add(id)
    if (!hasSafe) yield { resourceType: 'vault.safeKeys', id, message: 'belongs to no safe; restore it from a backup' }
  }
  if (hasSafe && numbers.size === 0)
    yield { resourceType: 'vault.safes', id: safeId, message: 'has no safe key; restore them from a backup' }
  for await (const { id, value } of reader.each(workspaceKeys)) {
    if (numbers.has(value.safe_key)) continue
    const message = `is encrypted under the safe key ${value.safe_key}, which does not exist; restore it from a backup`
    yield { resourceType: 'vault.workspaceKeys', id, message }
  }
}
