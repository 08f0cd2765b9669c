import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { addTenant, signingIn } from '../../../areas/members.ts'
import { OciClient } from '../../../domain/registry/oci-client.ts'
import { administrator } from '../../../server/access/sign-in.ts'
import { pinnedServer, type PinnedServer } from '../overload/pinned-server.ts'
import { content, type Asked } from '../storage/transfers.ts'

const name = 'acme/web/layers'
const rootKey = randomBytes(32).toString('base64')

/** A server with a repository, in a process of its own on the first processor. */
export interface ServedLayers {
  readonly server: PinnedServer
  /** Begins an upload of a layer with a size in bytes, and returns the request that sends it. */
  push(size: number): Promise<Asked>
  /** Returns the request that reads a pushed layer with a size in bytes. */
  pull(size: number): Promise<Asked>
}

/** Serves a repository on SQLite while `run` runs. */
export async function withLayers<R>(run: (served: ServedLayers) => Promise<R>): Promise<R> {
  const server = await pinnedServer({ NINEFOLD_VAULT_SEAL_CURRENT_KEY: 'env://ROOT_KEY', ROOT_KEY: rootKey })
  try {
    const oci = await registryOn(server.url.origin)
    const headers = { authorization: `Bearer ${await oci.token(`repository:${name}:pull,push`)}` }
    return await run({
      server,
      async push(size) {
        const digest = digestOf(size)
        // A blob that the registry has already would not be kept again.
        await oci.send(`/v2/${name}/blobs/${digest}`, { method: 'DELETE' })
        const { headers: begun } = await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
        return { url: new URL(`${begun.get('location')}?digest=${digest}`, server.url).href, headers }
      },
      pull: async size => ({ url: new URL(`/v2/${name}/blobs/${digestOf(size)}`, server.url).href, headers }),
    })
  } finally {
    await server.close()
  }
}

/** Makes a repository, and returns a client that may push to it. */
async function registryOn(url: string): Promise<OciClient> {
  const as = (token?: string): Ninefold =>
    new Ninefold(createTransport({ baseUrl: url, ...(token !== undefined && { token }) }))
  const { api, token } = await signingIn(as)(administrator.email, administrator.password)
  const { workspace } = await addTenant(api, 'acme')
  await api.registry.createRepository({ workspace, engine: 'native', body: { name: 'layers' } })
  const oci = new OciClient(url, token)
  // The server takes the lease of the content soon after its start.
  while ((await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })).status === 503) await nextPoll(10)
  return oci
}

const digests = new Map<number, string>()

/** Returns the digest of the content of a size that `upload` sends. */
function digestOf(size: number): string {
  const known = digests.get(size)
  if (known !== undefined) return known
  const hash = createHash('sha256')
  for (let sent = 0; sent < size; sent += content.length) hash.update(content.subarray(0, size - sent))
  const digest = `sha256:${hash.digest('hex')}`
  digests.set(size, digest)
  return digest
}
