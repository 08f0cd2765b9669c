import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { digestOf } from './oci-client.ts'
import { servedRegistry } from './served-registry.ts'

it('the doctor finds nothing after pushes and deletions, and every file that is altered', async () => {
  const { oci, place, repository } = await servedRegistry(onTestFinished, 86_400_000)
  await repository('one')
  const name = 'acme/web/one'
  await oci.pushImage(name, 'v1', 'first')
  await oci.pushImage(name, 'v2', 'second')
  await oci.pushImage(name, 'v3', 'first')
  await oci.send(`/v2/${name}/manifests/v2`, { method: 'DELETE' })
  expect(await doctorFindings(place)).toEqual([])
  if (place.storeUrl !== undefined) return
  const folder = join(place.dataDir, 'registry', 'blobs')
  const files = readdirSync(folder, { recursive: true }).map(String)
  const fileOf = (text: string) =>
    join(folder, files.find(path => path.includes(`/${digestOf(text).slice('sha256:'.length)}.`)) ?? '')
  truncateSync(fileOf('first'), 2)
  rmSync(fileOf('second'))
  const found = (await doctorFindings(place)).join('\n')
  expect(found).toMatch(/has 5 bytes in .*; the file has 2/)
  expect(found).toMatch(/lacks the file/)
  rmSync(join(place.dataDir, 'registry'), { recursive: true })
  const lost = (await doctorFindings(place)).filter(each => each.includes('lacks the file'))
  expect(lost).toHaveLength(files.filter(path => path.includes('.')).length)
})
