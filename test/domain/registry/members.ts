import { Ninefold } from '../../../output/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { addMember, roleAt, signingIn, type Clients, type Member } from '../../areas/members.ts'
import { OciClient } from './oci-client.ts'
import type { ServedRegistry } from './served-registry.ts'

/** A user, and the registry as the user. */
export interface RegistryMember extends Member {
  readonly oci: OciClient
}

/** Adds a user with these permissions at a workspace; a user without permissions has none anywhere. */
export async function registryMember(
  { api, url }: Pick<ServedRegistry, 'api' | 'url'>,
  name: string,
  { organisation, workspace }: { readonly organisation: string; readonly workspace: string },
  permissions: readonly string[],
): Promise<RegistryMember> {
  const as = (token?: string): Ninefold =>
    new Ninefold(createTransport({ baseUrl: url, ...(token !== undefined && { token }) }))
  const clients: Clients = { as, signedIn: signingIn(as) }
  const member = await addMember(clients, api, { email: `${name}@example.com`, grants: await grants() })
  return { ...member, oci: new OciClient(url, member.token) }

  async function grants() {
    if (permissions.length === 0) return []
    const scope = { scope_type: 'ORGANISATION', scope_id: organisation } as const
    const role = await api.iam.createRole({ body: { name, ...scope, permissions: [...permissions] } })
    return [roleAt(role.resource_id, 'WORKSPACE', workspace)]
  }
}
