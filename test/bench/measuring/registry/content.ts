import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { addTenant, signingIn } from '../../../areas/members.ts'
import { OciClient } from '../../../domain/registry/oci-client.ts'
import { administrator } from '../../../server/access/sign-in.ts'
import { pinnedProgram, pinnedServer } from '../overload/pinned-server.ts'
import { printSpeeds, type Contender } from '../storage/content.ts'
import { content, download, upload, type Asked } from '../storage/transfers.ts'

const name = 'acme/web/layers'
const rootKey = randomBytes(32).toString('base64')

/**
 * Prints the speed of a push and of a pull of one large layer, beside a bare server of node:http that computes the same
 * digest, and synchronises the file. Returns whether the speeds and the event loop kept their limits.
 */
export async function printContent(isFull: boolean): Promise<boolean> {
  const size = isFull ? 2 ** 30 : 2 ** 28
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-bare-'))
  const server = await pinnedServer({ NINEFOLD_VAULT_SEAL_CURRENT_KEY: 'env://ROOT_KEY', ROOT_KEY: rootKey })
  const program = fileURLToPath(new URL('../storage/bare-content.ts', import.meta.url))
  const bare = await pinnedProgram([program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const oci = await registryOn(server.url.origin)
    const headers = { authorization: `Bearer ${await oci.token(`repository:${name}:pull,push`)}` }
    const digest = digestOf(size)
    const at = (path: string) => async (): Promise<Asked> => ({ url: new URL(path, bare.url).href })
    const session = async (): Promise<Asked> => {
      // A blob that the registry has already would not be kept again.
      await oci.send(`/v2/${name}/blobs/${digest}`, { method: 'DELETE' })
      const { headers: begun } = await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
      return { url: new URL(`${begun.get('location')}?digest=${digest}`, server.url).href, headers }
    }
    const blob = async (): Promise<Asked> => ({ url: new URL(`/v2/${name}/blobs/${digest}`, server.url).href, headers })
    const push: readonly Contender[] = [
      {
        name: 'the bare server, with the same digest',
        pid: bare.pid,
        asked: at('/sha256/a'),
        transfer: a => upload(a, size),
      },
      { name: 'the registry', pid: server.pid, asked: session, transfer: a => upload(a, size) },
    ]
    const pull: readonly Contender[] = [
      { name: 'the bare server', pid: bare.pid, asked: at('/sha256/a'), transfer: a => download(a) },
      { name: 'the registry', pid: server.pid, asked: blob, transfer: a => download(a) },
    ]
    const isPushed = await printSpeeds({ server }, 'PUT', size, push)
    return (await printSpeeds({ server }, 'GET', size, pull)) && isPushed
  } finally {
    await bare.close()
    await server.close()
    rmSync(folder, { recursive: true })
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

/** Returns the digest of the content of a size that `upload` sends. */
function digestOf(size: number): string {
  const hash = createHash('sha256')
  for (let sent = 0; sent < size; sent += content.length) hash.update(content)
  return `sha256:${hash.digest('hex')}`
}
