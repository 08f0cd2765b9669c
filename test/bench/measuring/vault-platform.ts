import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ninefold } from '../../../output/client.ts'
import type { CryptoKeyInput } from '../../../output/vault/types.ts'
import type { WireRequest } from '../../../runtime/wire.ts'
import { areas } from '../../../server/areas.ts'
import { openIam } from '../../../server/iam/open.ts'
import { addTenant, signingIn } from '../../areas/members.ts'
import { openPlatform } from '../../areas/open-platform.ts'
import { administrator, administratorFile } from '../../server/access/sign-in.ts'

/** A platform without a socket on SQLite, with a workspace that the administrator uses. */
export interface VaultPlatform {
  readonly api: Ninefold
  /** The members of a path to the workspace. */
  readonly at: { readonly workspace: string; readonly engine: string }
  /** The path of crypto keys in the workspace. */
  readonly keys: string
  /** Creates a symmetric key, and returns its id. */
  create(name: string, purpose: 'ENCRYPT_DECRYPT' | 'MAC'): Promise<string>
  /** Makes a request of the administrator, or of nobody at an address. A body is a value, or its JSON text. */
  request(method: 'GET' | 'POST', target: string, body?: object | string, address?: string): () => WireRequest
  /** Answers a request; throws if the status differs. */
  answer(request: WireRequest, status: number): Promise<void>
  close(): Promise<void>
}

/** Opens a platform on a new SQLite file, which `close` removes. */
export async function vaultPlatform(): Promise<VaultPlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-vault-'))
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  const platform = await openPlatform({ config: { dataDir, bootstrap }, areas, openAccess: openIam })
  const as = (token?: string): Ninefold => new Ninefold(platform.transport(token))
  const { api, token } = await signingIn(as)(administrator.email, administrator.password)
  const at = { workspace: (await addTenant(api, 'acme')).workspace, engine: 'native' }
  return {
    api,
    at,
    keys: `/vault/alpha/workspaces/${at.workspace}/engines/native/cryptoKeys`,
    async create(name, short) {
      const purpose: CryptoKeyInput['purpose'] = `VAULT_CRYPTO_KEY_PURPOSE_${short}`
      return (await api.vault.createCryptoKey({ ...at, body: { name, purpose } })).resource_id
    },
    request(method, target, body, address) {
      const text = typeof body === 'object' ? JSON.stringify(body) : body
      const bytes = text === undefined ? undefined : new TextEncoder().encode(text)
      return () => ({
        method,
        target,
        headers: {
          host: 'platform.test',
          accept: 'application/json',
          ...(address === undefined && { authorization: `Bearer ${token}` }),
          ...(bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
        },
        body: bytes && once(bytes),
        signal: new AbortController().signal,
        clientAddress: address ?? '192.0.2.7',
      })
    },
    async answer(request, status) {
      const answer = await platform.dispatch(request)
      if (answer.status !== status) throw new Error(`${request.target} answered ${answer.status}, not ${status}`)
    },
    async close() {
      await platform.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** The body of a request in one part; a stream of the web would cost more than the call. */
async function* once(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield bytes
}
