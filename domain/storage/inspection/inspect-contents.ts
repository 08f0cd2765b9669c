import type { Finding, Inspection } from '../../ports/inspection.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { metadataCollection, versionCollection } from '../objects/versions-store.ts'
import { copyCollection } from '../copies/copies-store.ts'
import { copying } from '../copies/copy-procedure.ts'
import { contentCollection } from '../contents/contents-store.ts'

/**
 * Checks that the references of contents are the numbers of their versions and copies in progress, that metadata have a
 * version, and that copies end.
 */
export async function* inspectContents({ reader, workAt }: Inspection): AsyncGenerator<Finding, void, undefined> {
  const counts = new Map<string, number>()
  const sizes = new Map<string, number>()
  for await (const { value } of reader.each(versionCollection, { is_delete_marker: false })) {
    counts.set(value.content_id, (counts.get(value.content_id) ?? 0) + 1)
    sizes.set(value.content_id, value.size)
  }
  for await (const { id, value } of reader.each(copyCollection)) {
    counts.set(value.content_id, (counts.get(value.content_id) ?? 0) + 1)
    const works = await workAt(workspaceScope(value.workspace_id))
    if (works.some(({ input, kind }) => kind === copying && Object(Reflect.get(input, 'copy')).id === id)) continue
    yield { resourceType: 'storage.objects', id, message: 'is a copy in progress that no work will end' }
  }
  for await (const { id, value } of reader.each(contentCollection)) {
    const finding = (message: string): Finding => ({ resourceType: 'storage.contents', id, message })
    const count = counts.get(id) ?? 0
    if (value.references !== count)
      yield finding(`has ${value.references} references; ${count} versions and copies in progress have the content`)
    if (sizes.has(id) && sizes.get(id) !== value.size) yield finding(`has ${value.size} bytes, unlike its versions`)
    const bytes = value.files.reduce((sum, { size }) => sum + size, 0)
    if (bytes !== value.size) yield finding(`has ${value.size} bytes; its files have ${bytes}`)
    counts.delete(id)
  }
  for (const [id, count] of counts)
    yield { resourceType: 'storage.contents', id, message: `does not exist, although ${count} versions have it` }
  for await (const { id } of reader.each(metadataCollection)) {
    if (await reader.exists(versionCollection, { version_id: id })) continue
    yield { resourceType: 'storage.objects', id, message: 'has metadata without a version' }
  }
}
