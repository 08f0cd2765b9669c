import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { registrySettings } from '../../../server/registry/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { testFolder } from '../../server/store/harness.ts'
import { digestOf, faultOf, OciClient } from './oci-client.ts'
import { servedRegistry, serveRegistry } from './served-registry.ts'
import { signIn } from '../../server/access/sign-in.ts'

it('a start names what makes the folder of blobs unusable, and the server takes blobs once it is usable', async () => {
  const parent = join(testFolder(), 'disk')
  const given = new GivenSettings().with(registrySettings['registry.blob_store'], `file:${parent}/blobs`)
  mkdirSync(parent)
  const served = await servedRegistry(onTestFinished, 0, { given })
  const notices = (greeting: readonly string[]) => greeting.filter(line => line.includes('registry.blob_store'))
  expect(notices(served.greeting)).toEqual([])
  await served.close()
  const faults = [
    { fault: () => {}, told: 'disk does not exist; mount the disk, or create the folder' },
    { fault: () => writeFileSync(parent, ''), told: 'disk is no folder; name another folder' },
    {
      fault() {
        mkdirSync(parent)
        writeFileSync(join(parent, 'blobs'), '')
      },
      told: 'blobs is no folder; name another folder',
    },
  ]
  for (const [i, { fault, told }] of faults.entries()) {
    rmSync(parent, { recursive: true, force: true })
    fault()
    const { close, greeting, url } = await serveRegistry(served.place, onTestFinished)
    expect(notices(greeting)).toEqual([expect.stringContaining(told)])
    const oci = new OciClient(url, await signIn(url))
    const push = async () => {
      const target = `/v2/acme/web/first/blobs/uploads/?digest=${digestOf(`blob ${i}`)}`
      const answer = await oci.send(target, { method: 'POST', body: `blob ${i}` })
      return answer.status === 201 ? '201' : faultOf(answer)
    }
    expect(await push()).toBe('503')
    rmSync(parent, { recursive: true, force: true })
    mkdirSync(parent)
    await expect.poll(push).toBe('201')
    await close()
  }
})
