import type { Finding, Inspection } from '../../ports/inspection.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { metadataCollection, versionCollection } from '../objects/versions-store.ts'
import { copyCollection } from '../copies/copies-store.ts'
import { copying } from '../copies/copy-procedure.ts'
import { contentCollection } from '../contents/contents-store.ts'

/**
 * Checks that the references of contents are the numbers of the versions, copies in progress and joined contents with
 * them, that metadata have a version, and that copies end.
 */
export async function* inspectContents({ reader, workAt }: Inspection): AsyncGenerator<Finding, void, undefined> {
  const counts = new Map<string, number>()
  const count = (content: string): unknown => counts.set(content, (counts.get(content) ?? 0) + 1)
  const sizes = new Map<string, number>()
  for await (const { value } of reader.each(versionCollection, { is_delete_marker: false })) {
    count(value.content_id)
    sizes.set(value.content_id, value.size)
  }
  for await (const { id, value } of reader.each(copyCollection)) {
    count(value.content_id)
    const works = await workAt(workspaceScope(value.workspace_id))
    if (works.some(({ input, kind }) => kind === copying && Object(Reflect.get(input, 'copy')).id === id)) continue
    yield { resourceType: 'storage.objects', id, message: 'is a copy in progress that no work will end' }
  }
  for await (const { value } of reader.each(contentCollection)) value.joins?.forEach(count)
  for await (const { id, value } of reader.each(contentCollection)) {
    const finding = (message: string): Finding => ({ resourceType: 'storage.contents', id, message })
    const expected = counts.get(id) ?? 0
    if (value.references !== expected)
      yield finding(`has ${value.references} references; ${expected} versions, copies and joined contents have it`)
    if (sizes.has(id) && sizes.get(id) !== value.size) yield finding(`has ${value.size} bytes, unlike its versions`)
    const bytes = value.files.reduce((sum, { size }) => sum + size, 0)
    if (bytes !== value.size) yield finding(`has ${value.size} bytes; its files have ${bytes}`)
    counts.delete(id)
  }
  for (const [id, holders] of counts)
    yield { resourceType: 'storage.contents', id, message: `does not exist, although ${holders} versions have it` }
  for await (const { id } of reader.each(metadataCollection)) {
    if (await reader.exists(versionCollection, { version_id: id })) continue
    yield { resourceType: 'storage.objects', id, message: 'has metadata without a version' }
  }
}
