import { connect } from 'node:net'
import { setTimeout as nextByte } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { serve } from '../../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../../areas/members.ts'
import type { ServedPlatform } from '../../../../server/iam/served-platform.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import { servedVault } from '../../../vault/served-vault.ts'
import { digestOf, faultOf, OciClient, ociIndex } from '../../oci-client.ts'

/** The number of uploads that are begun and never ended; a workspace may have 1,000 with those of the other calls. */
const openUploads = 800

/** By how much the memory of the server may grow, in bytes: the heap of JavaScript is collected late. */
const mostGrowth = 400 * 2 ** 20

const name = 'acme/web/api'

/** Runs work, with several calls at once. */
async function several(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Sends the begin of a body, and leaves. */
function cutOff(url: string, target: string, token: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(Number(port), hostname)
  const head = `PATCH ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100000000\r\n\r\n`
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  socket.write(head)
  socket.write(Buffer.alloc(4 * 2 ** 20), () => socket.destroy())
  return promise
}

/** The option of a body that is sent while the answer is awaited, which the types of DOM lack. */
const half = { duplex: 'half' }

/** Sends a body byte after byte, and returns the status. */
async function slowly(url: string, target: string, token: string): Promise<number> {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let i = 0; i < 20; i += 1) {
        controller.enqueue(new Uint8Array([i]))
        await nextByte(50)
      }
      controller.close()
    },
  })
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(new URL(target, url), { ...half, method: 'PATCH', headers, body })
  await answer.body?.cancel()
  return answer.status
}

/** Returns the most memory of a server during some work. */
async function peakDuring(server: ServedPlatform, work: () => Promise<void>): Promise<number> {
  let peak = server.residentBytes()
  const timer = setInterval(() => (peak = Math.max(peak, server.residentBytes())), 20)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return peak
}

it(
  'large manifests, cut and slow bodies and uploads without end take a bounded memory, and the registry goes on',
  { timeout: 300_000 + openUploads * 50 },
  async () => {
    const settings = { ...servedVault(), NINEFOLD_REGISTRY_HOST: 'registry.test' }
    const { servers } = await serve(await testStorePlace(), 1, { settings })
    const [server] = servers
    if (!server) throw new Error('no server was started')
    const { api, token: password } = await server.admin()
    const { workspace } = await addTenant(api, 'acme')
    await api.registry.createRepository({ workspace, engine: 'native', body: { name: 'api' } })
    const oci = new OciClient(server.url, password)
    /** Begins an upload once the server is not too busy, and returns its place. */
    const begin = async (): Promise<string> => {
      for (;;) {
        const { headers, status } = await oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
        if (status !== 503) return headers.get('location') ?? ''
        await nextByte(50)
      }
    }
    await begin()
    const digest = await oci.pushImage(name, 'v1', 'kept')
    const token = await oci.token(`repository:${name}:pull,push`)
    const manifests = Array.from({ length: 10_000 }, (_, i) => ({
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      digest: digestOf(String(i)),
      size: 1,
    }))
    const annotations = { note: 'x'.repeat(2 * 2 ** 20) }
    const large = JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests, annotations })
    const put = { method: 'PUT', headers: { 'content-type': ociIndex }, body: large }
    const before = server.residentBytes()
    const peak = await peakDuring(server, async () => {
      await several(openUploads, async () => void (await begin()))
      await several(16, async () => {
        const answer = await oci.send(`/v2/${name}/manifests/large`, put)
        // Pushes that wait too long for the row of the repository are refused as overload.
        expect(faultOf(answer)).toMatch(/^404 MANIFEST_BLOB_UNKNOWN$|^503$/)
      })
      await several(24, async () => cutOff(server.url, await begin(), token))
      const slow = await Promise.all(Array.from({ length: 100 }, async () => slowly(server.url, await begin(), token)))
      expect(slow.filter(status => status !== 202 && status !== 503)).toEqual([])
    })
    const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)
    console.log(
      `${openUploads} open uploads: ${mebibytes(before)} MiB before, ${mebibytes(peak)} MiB at most; limit ${mebibytes(before + mostGrowth)} MiB`,
    )
    expect(peak - before).toBeLessThan(mostGrowth)
    expect((await oci.send(`/v2/${name}/manifests/${digest}`)).status).toBe(200)
  },
)
