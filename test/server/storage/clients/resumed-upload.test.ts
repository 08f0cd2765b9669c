import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextLook } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import type { PartUrl } from '../../../../output/storage/types.ts'
import { addTenant } from '../../../areas/members.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { dataFolder, startServer, type Served } from '../../../e2e/served.ts'
import { hasProgram, run, started } from '../../programs.ts'

const partBytes = 5 * 2 ** 20

const clientOf = ({ transport }: Served): Ninefold['storage'] => new Ninefold(transport).storage

it.skipIf(!hasProgram('curl'))(
  'an upload in parts goes on after its server and its client were killed (install curl to run this)',
  async () => {
    const folder = dataFolder()
    const contents = [randomBytes(partBytes), randomBytes(partBytes), randomBytes(1000)]
    const files = contents.map((content, i) => {
      const file = join(folder.path, `part-${i + 1}`)
      writeFileSync(file, content)
      return file
    })
    let server = await startServer(folder.path)
    const { workspace } = await addTenant(new Ninefold(server.transport), 'acme')
    const made = await clientOf(server).createBucket({ workspace, engine: 'native', body: { name: 'docs' } })
    const at = { workspace, engine: 'native', bucket: made.resource_id }
    const begun = await clientOf(server).createMultipartUpload({ ...at, body: { object: 'film' } })
    const upload_id = begun.resource_id
    const urlsOf = async (...numbers: readonly number[]): Promise<readonly PartUrl[]> => {
      const parts = numbers.map(part_number => ({ part_number }))
      return (await clientOf(server).createPartUrls({ ...at, upload_id, body: { parts } })).part_urls
    }
    const partsOf = async () => {
      const asked = { ...at, view: 'STORAGE_VIEW_FULL', filter: `id = "${upload_id}"` } as const
      return (await clientOf(server).listMultipartUploads(asked)).multipart_uploads[0]?.parts ?? []
    }
    const send = async ({ part_number, url }: PartUrl): Promise<void> => {
      const args = ['-sS', '--retry', '30', '--retry-delay', '1', '-T', files[part_number - 1] ?? '', url]
      const { errors, output, status } = await run('curl', args)
      expect([status, errors, output.toString()]).toEqual([0, '', ''])
    }

    const [first, second] = await urlsOf(1, 2)
    if (!first || !second) throw new Error('a part has no URL')
    await send(first)
    const slow = started('curl', ['-sS', '--limit-rate', '2M', '-T', files[1] ?? '', second.url])
    await nextLook(300)
    await server.end('SIGKILL')
    slow.child.kill('SIGKILL')
    await slow.ended

    server = await startServer(folder.path)
    const arrived = await partsOf()
    expect(arrived.map(({ part_number, size }) => [part_number, size])).toEqual([[1, partBytes]])
    for (const url of await urlsOf(2, 3)) await send(url)
    const parts = (await partsOf()).map(({ etag, part_number }) => ({ etag, part_number }))
    expect(parts.map(({ part_number }) => part_number)).toEqual([1, 2, 3])
    await clientOf(server).completeMultipartUpload({ ...at, upload_id, body: { parts } })
    const { url } = await clientOf(server).createPresignedDownloadUrl({ ...at, body: { object: 'film' } })
    const { output } = await run('curl', ['-sS', url])
    const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
    expect(hashOf(output)).toBe(hashOf(Buffer.concat(contents)))
    await server.end('SIGTERM')
    expect(await doctorFindings({ dataDir: folder.path })).toEqual([])
    folder.remove()
  },
)
