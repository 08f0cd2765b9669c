import { expect } from 'vitest'
import type { Existing } from '../../../generator/conform/subject.ts'
import type { JsonObject } from '../../../generator/conform/json.ts'
import { proveDocument } from '../documented.ts'
import type { Arranged } from '../existing.ts'

let count = 0

const nextName = (): string => `made-${(count += 1)}`

/** The members of a class that the examples of the document do not fit: the bootstrap has created the default class. */
const storageClass = () => ({ name: nextName(), is_default: false })

/** Uploads the object `a` to a new bucket; returns the path parameters that `path` picks, and a body. */
const withObject =
  (path: (ids: { readonly bucket: string; readonly object: string }) => object, body?: JsonObject): Arranged[string] =>
  async (run, read, call): Promise<Existing> => {
    const name = nextName()
    const organisation = await run('/taxonomy/v1/organisations', { name })
    const workspace = await run(`/taxonomy/v1/organisations/${organisation}/workspaces`, { name })
    const buckets = `/storage/v1/workspaces/${workspace}/engines/native/buckets`
    const bucket = await run(buckets, { name })
    const signed = await read(`${buckets}/${bucket}/presigned-urls:upload`, { object: 'a' })
    const { host, pathname, search } = new URL(String(signed['url']))
    const upload = await call({ method: 'PUT', target: `${pathname}${search}`, headers: { host }, body: 'hello' })
    expect(upload.status).toBe(200)
    return { path: { workspace, engine: 'native', ...path({ bucket, object: 'a' }) }, ...(body && { body }) }
  }

const ofObject = withObject(ids => ids)

await proveDocument(
  'storage',
  { createStorageClass: storageClass },
  {
    getObject: ofObject,
    getObjectMetadata: ofObject,
    deleteObject: ofObject,
    // The etag of the example is that of the uploaded object.
    copyObject: withObject(({ bucket }) => ({ bucket }), { source_object: 'a' }),
  },
)
