import type { Finding, Inspection } from '../../ports/inspection.ts'
import { instanceKind } from '../instances/instance-kind.ts'
import { instanceCollection } from '../instances/instances-store.ts'
import { classKind } from '../classes/class-kind.ts'
import { classCollection, defaultOf } from '../classes/classes-store.ts'

/** Checks that the default class of an engine is unique, and that instances have a class and no endless transient state. */
export async function* inspectClasses({ reader, workAt }: Inspection): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(classCollection)) {
    if (value.default_of === defaultOf(value)) continue
    const message = `has is_default ${value.is_default}, but its row says otherwise; update the class`
    yield { resourceType: classKind.type, id, message }
  }
  const works = await workAt({ type: 'PLATFORM', id: '' })
  const isWorked = (id: string): boolean =>
    works.some(({ input, kind }) => kind === 'storage.instantiate' && Reflect.get(input, 'instance') === id)
  for await (const { id, value } of reader.each(instanceCollection)) {
    const parent = await reader.get(classCollection, value.storage_class_id)
    if (parent?.value.name !== value.storage_class) {
      const message = `belongs to storage class ${value.storage_class}, which does not exist`
      yield { resourceType: instanceKind.type, id, message }
    }
    if (value.state === 'STORAGE_CLASS_INSTANCE_STATE_PROVISIONING' && !isWorked(id))
      yield { resourceType: instanceKind.type, id, message: 'is PROVISIONING, and no work will end it' }
  }
}
