import type { Reader } from '../../ports/store.ts'
import { contentCollection } from '../contents/contents-store.ts'
import { partCollection, partId, uploadCollection } from '../uploads/uploads-store.ts'

/** Returns whether a row names a file of an instance. A temporary file is never named. */
export async function isNamed(reader: Reader, instance: string, path: string): Promise<boolean> {
  const [folder, below = '', name = ''] = path.split('/')
  if (folder === 'objects') return (await reader.get(contentCollection, name)) !== undefined
  return folder === 'parts' && isNamedPart(reader, instance, { path, upload: below, number: Number.parseInt(name, 10) })
}

interface PartFile {
  readonly path: string
  readonly upload: string
  readonly number: number
}

async function isNamedPart(reader: Reader, instance: string, { number, path, upload }: PartFile): Promise<boolean> {
  const part = await reader.get(partCollection, partId(upload, number))
  if (part?.value.path === path) return true
  // The content of a completed upload has the id of the upload, and the upload is forgotten a day later.
  const content = await reader.get(contentCollection, upload)
  if (content) return content.value.files.some(file => file.path === path)
  const state = (await reader.get(uploadCollection, upload))?.value.state
  if (state !== undefined && state !== 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED') return false
  // Contents of uploads that an earlier version completed have other ids. Other files without rows are rare.
  for await (const { value } of reader.each(contentCollection, { instance_id: instance }))
    if (value.files.some(file => file.path === path)) return true
  return false
}
