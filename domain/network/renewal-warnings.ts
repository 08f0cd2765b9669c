import { takesEffectAtRenewal } from '../../output/network/errors.ts'
import type { Reader, Where } from '../ports/store.ts'
import type { Warning } from '../ports/warning.ts'
import { portCollection, type StoredPort } from './ports/ports-store.ts'

/**
 * Returns the warning TAKES_EFFECT_AT_RENEWAL if a port that matches `ports` is UP, because its guest reads the change
 * at the next DHCP renewal; otherwise returns no warning. `what` names the changed setting for people.
 */
export async function renewalWarnings(
  reader: Reader,
  what: string,
  ports: Where<StoredPort>,
): Promise<readonly Warning[]> {
  if (!(await reader.exists(portCollection, { ...ports, state: 'NETWORK_LOGICAL_PORT_STATE_UP' }))) return []
  const description = `running machines use ${what} from their next DHCP renewal on`
  return [{ code: takesEffectAtRenewal.code, description }]
}
