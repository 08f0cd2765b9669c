import type { Finding } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import { authorityCollection } from './certificates/authorities-store.ts'
import { certificateCollection } from './certificates/certificates-store.ts'
import { capsuleCollection } from './capsules/capsules-store.ts'
import { cryptoKeyCollection } from './keys/crypto-keys-store.ts'
import { keyVersionCollection } from './keys/key-versions-store.ts'
import { secretVersionCollection } from './secrets/secret-versions-store.ts'
import { secretCollection } from './secrets/secrets-store.ts'
import { agenda, type AgendaEntry } from './work/agenda.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that the resource of each entry of the agenda exists, and that erasures belong to deleted secrets and keys. */
export async function* inspectAgenda(reader: Reader): Findings {
  for await (const { value } of reader.each(agenda)) {
    const { id, kind, resource_id } = value
    const isErasure = kind === 'secrets.erase' || kind === 'cryptoKeys.erase'
    if ((await hasResource(reader, value)) !== isErasure) continue
    const exists = isErasure ? 'still exists' : 'does not exist'
    yield { resourceType: 'vault.agenda', id, message: `is due work of ${resource_id}, which ${exists}` }
  }
}

function hasResource(reader: Reader, { kind, resource_id: id }: AgendaEntry): Promise<boolean> {
  if (kind === 'secretVersions.destroy') return reader.exists(secretVersionCollection, { row_id: id })
  if (kind === 'cryptoKeyVersions.destroy') return reader.exists(keyVersionCollection, { row_id: id })
  if (kind === 'cryptoKeys.rotate' || kind === 'cryptoKeys.erase') return reader.exists(cryptoKeyCollection, { id })
  if (kind === 'certificateAuthorities.expire') return reader.exists(authorityCollection, { id })
  if (kind === 'certificates.end') return reader.exists(certificateCollection, { id })
  return kind.startsWith('capsules.')
    ? reader.exists(capsuleCollection, { id })
    : reader.exists(secretCollection, { id })
}
