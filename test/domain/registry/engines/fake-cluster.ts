import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { digestOf } from '../oci-client.ts'

const [manifest, type] = ['{"schemaVersion":2}', 'application/vnd.oci.image.manifest.v1+json']

/** A cluster that lists, reads and deletes the manifests of repositories, and trusts every token. */
export class FakeCluster {
  /** Whether the settings of the cluster refuse deletions. */
  refusesDeletions = false
  /** The names of the repositories that have a manifest of the tag `v1`. */
  readonly repositories = new Set<string>()
  readonly #server = createServer((request, response) => this.#answer(request, response))

  /** Listens on a free port, and returns the address. */
  async listen(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.listen(0, '127.0.0.1', resolve)
    await promise
    // A server on a port has an address of this form.
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const [, name = '', call] = /^\/v2\/(.+)\/(tags\/list|manifests\/[^/]+)$/.exec(url) ?? []
    const isPresent = this.repositories.has(name)
    if (call === 'tags/list') return void response.end(JSON.stringify({ name, tags: isPresent ? ['v1'] : [] }))
    if (!isPresent) return void response.writeHead(404).end()
    if (method !== 'DELETE') {
      const headers = { 'content-type': type, 'docker-content-digest': digestOf(manifest) }
      return void response.writeHead(200, headers).end(manifest)
    }
    if (!this.refusesDeletions) this.repositories.delete(name)
    response.writeHead(this.refusesDeletions ? 405 : 202).end()
  }
}
