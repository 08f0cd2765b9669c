import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { digestOf, faultOf } from '../oci-client.ts'
import { sharedRegistry } from '../plane/shared-registry.ts'
import type { ServedRegistry } from '../served-registry.ts'

const registry = sharedRegistry()
const mebibyte = 2 ** 20
const exceeded = '403 DENIED QUOTA_EXCEEDED'

/** The bytes of a call are noted while the call goes on, so other calls see them later. */
const patience = { timeout: 60_000 }

let tenants = 0

/** Makes a workspace with the repository `api` and a limit of stored bytes. */
async function limited({ api, oci }: ServedRegistry, limit: number) {
  tenants += 1
  const tenant = `open${tenants}`
  const { workspace } = await addTenant(api, tenant)
  await api.registry.createQuotaLimit({ workspace, body: { quota_definition_id: 'registry.storageBytes', limit } })
  await api.registry.createRepository({ workspace, engine: 'native', body: { name: 'api' } })
  const name = `${tenant}/web/api`
  const uploads = `/v2/${name}/blobs/uploads/`
  const begin = async () => (await oci.send(uploads, { method: 'POST' })).headers.get('location') ?? ''
  const send = async (method: string, at: string, body?: BodyInit) =>
    faultOf(await oci.send(at, { method, ...(body !== undefined && { body }) }))
  /** Begins an upload with some bytes, and returns the status or the fault. */
  const open = async (bytes: number) => send('PATCH', await begin(), 'x'.repeat(bytes))
  /** Sends bytes as `open` does, and gives their room back. */
  const probe = async (bytes: number) => {
    const at = await begin()
    const outcome = await send('PATCH', at, 'x'.repeat(bytes))
    await send('DELETE', at)
    return outcome
  }
  return { name, uploads, begin, send, open, probe }
}

describe('the bytes of uploads that have not ended', () => {
  it('take the room of a workspace from each way to push, until they end', async () => {
    const { begin, name, open, send, uploads } = await limited(registry(), 10_000)
    const first = await begin()
    expect(await send('PATCH', first, 'x'.repeat(6000))).toBe('202')
    const text = 'y'.repeat(5000)
    const whole = `?digest=${digestOf(text)}`
    expect(await open(5000)).toBe(exceeded)
    expect(await send('PUT', `${await begin()}${whole}`, text)).toBe(exceeded)
    expect(await send('POST', `${uploads}${whole}`, text)).toBe(exceeded)
    expect(await send('PATCH', first, 'x'.repeat(4001))).toBe(exceeded)
    expect(await send('PATCH', first, 'x'.repeat(4000))).toBe('202')
    expect(await open(1)).toBe(exceeded)
    expect(await send('DELETE', first)).toBe('204')
    expect(await send('POST', `${uploads}${whole}`, text)).toBe('201')
    expect(await send('HEAD', `/v2/${name}/blobs/${digestOf(text)}`)).toBe('200')
    expect(await open(5000)).toBe('202')
  })

  it('count once in an upload that ends', async () => {
    const { begin, send, uploads } = await limited(registry(), 10_000)
    const text = 'z'.repeat(9000)
    const upload = await begin()
    expect(await send('PATCH', upload, text)).toBe('202')
    expect(await send('PUT', `${upload}?digest=${digestOf(text)}`)).toBe('201')
    const whole = (body: string) => send('POST', `${uploads}?digest=${digestOf(body)}`, body)
    expect(await whole('w'.repeat(1001))).toBe(exceeded)
    expect(await whole('w'.repeat(1000))).toBe('201')
  })

  it('take room after a call that was refused on its way', async () => {
    const { begin, name, probe } = await limited(registry(), 10 * mebibyte)
    const upload = await begin()
    const token = await registry().oci.token(`repository:${name}:pull,push`)
    // A stream has no Content-Length, so the refusal comes after the first bytes.
    const body = new Blob([new Uint8Array(15 * mebibyte)]).stream()
    const refused = registry().oci.send(upload, { method: 'PATCH', body, token })
    // The server may close the connection while the client still writes.
    await refused.catch(() => undefined)
    await expect.poll(() => probe(5 * mebibyte), patience).toBe(exceeded)
  })

  it.each(['PATCH', 'POST'] as const)('take room while a long call goes on with %s', async method => {
    const { oci } = registry()
    const bytes = new Uint8Array(17 * mebibyte)
    const { begin, name, probe, uploads } = await limited(registry(), 18 * mebibyte)
    /** Probes for the room until it is taken, or the long call has ended: a probe may take the room of the call too. */
    const probed = async (): Promise<string> => {
      const at = method === 'PATCH' ? await begin() : `${uploads}?digest=${digestOf(bytes)}`
      const token = await oci.token(`repository:${name}:pull,push`)
      const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        async start(controller) {
          controller.enqueue(bytes)
          await isRead
          controller.close()
        },
      })
      const call = { hasEnded: false }
      // The server may close the connection of a refused call while the client still writes.
      const sent = oci.send(at, { method, body, token }).catch(() => undefined)
      const ended = sent.finally(() => (call.hasEnded = true))
      let outcome = await probe(3 * mebibyte)
      while (outcome !== exceeded && !call.hasEnded) outcome = await probe(3 * mebibyte)
      read()
      await ended
      if (method === 'PATCH') expect((await oci.send(at, { method: 'DELETE' })).status).toBe(204)
      return outcome
    }
    await expect.poll(probed, patience).toBe(exceeded)
  })
})

describe('the uploads of a workspace that have not ended', () => {
  let workspace: Awaited<ReturnType<typeof limited>>

  beforeAll(async () => {
    workspace = await limited(registry(), 10_000)
  })

  it('are at most 1,000', async () => {
    const { begin, send, uploads } = workspace
    const first = await begin()
    for (let i = 1; i < 1000; i += 10) await Promise.all(Array.from({ length: Math.min(10, 1000 - i) }, begin))
    expect(await send('POST', uploads)).toBe('429 TOOMANYREQUESTS')
    expect(await send('DELETE', first)).toBe('204')
    expect(await send('POST', uploads)).toBe('202')
  })
})
