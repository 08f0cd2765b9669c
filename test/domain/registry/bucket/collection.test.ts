import { expect, it, onTestFinished } from 'vitest'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { digestOf } from '../oci-client.ts'
import { servedInBucket } from '../served-registry.ts'

it('a collection of garbage deletes the objects of blobs that no repository has, and of ended uploads', async () => {
  const { api, oci, place, repository } = await servedInBucket(onTestFinished)
  for (const name of ['one', 'two']) await repository(name)
  const at = { workspace: platformWorkspaceId, engine: 'native' }
  const [bucket] = (await api.storage.listBuckets(at)).buckets
  const names = async (): Promise<readonly string[]> => {
    const { objects } = await api.storage.listObjects({ ...at, bucket: bucket?.id ?? '', versions: true })
    return objects.map(({ name }) => name.replace(/\.[^.]+$/, ''))
  }
  const fileOf = (text: string): string => {
    const hex = digestOf(text).slice('sha256:'.length)
    return `blobs/sha256/${hex.slice(0, 2)}/${hex}`
  }
  const digest = await oci.pushImage('acme/web/one', 'v1', 'a layer of one')
  await oci.pushImage('acme/web/one', 'v2', 'a layer of both')
  await oci.pushImage('acme/web/two', 'v1', 'a layer of both')
  const begun = await oci.send('/v2/acme/web/one/blobs/uploads/', { method: 'POST' })
  const location = begun.headers.get('location') ?? ''
  for (const body of ['some ', 'bytes']) await oci.send(location, { method: 'PATCH', body })
  expect((await names()).filter(name => name.startsWith('uploads/'))).toHaveLength(2)
  expect(await names()).toEqual(expect.arrayContaining([fileOf('a layer of one'), fileOf('a layer of both')]))
  await oci.send(location, { method: 'DELETE' })
  await oci.send(`/v2/acme/web/one/manifests/${digest}`, { method: 'DELETE' })
  await expect.poll(names).not.toContain(fileOf('a layer of one'))
  expect(await names()).toContain(fileOf('a layer of both'))
  expect((await names()).filter(name => name.startsWith('uploads/'))).toEqual([])
  await oci.pushImage('acme/web/two', 'v2', 'a layer of one')
  const read = await oci.send(`/v2/acme/web/two/blobs/${digestOf('a layer of one')}`)
  expect(new TextDecoder().decode(read.bytes)).toBe('a layer of one')
  expect(await doctorFindings(place)).toEqual([])
})

it('the doctor names each blob whose object is gone or has another size', async () => {
  const { api, oci, place, repository } = await servedInBucket(onTestFinished, 86_400_000)
  await repository('one')
  await oci.pushImage('acme/web/one', 'v1', 'a layer')
  const at = { workspace: platformWorkspaceId, engine: 'native' }
  const [bucket] = (await api.storage.listBuckets(at)).buckets
  const path = { ...at, bucket: bucket?.id ?? '' }
  const { objects } = await api.storage.listObjects(path)
  const object = objects.find(({ name }) => name.includes(digestOf('a layer').slice('sha256:'.length)))?.name ?? ''
  const other = objects.find(({ name }) => name !== object)?.name ?? ''
  await api.storage.copyObject({ ...path, body: { source_object: other, destination_object: object } })
  const finding = `registry.blobs ${digestOf('a layer')}: `
  expect(await doctorFindings(place)).toEqual([expect.stringContaining(`${finding}has 7 bytes in ${object}`)])
  expect((await oci.send(`/v2/acme/web/one/blobs/${digestOf('a layer')}`)).status).toBe(503)
  await api.storage.deleteObject({ ...path, object })
  expect(await doctorFindings(place)).toEqual([expect.stringContaining(`${finding}lacks the object ${object}`)])
  expect((await oci.send(`/v2/acme/web/one/blobs/${digestOf('a layer')}`)).status).toBe(503)
})
