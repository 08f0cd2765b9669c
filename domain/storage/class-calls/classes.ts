import type { StorageArea } from '../../../output/storage/area.ts'
import type { StorageClassHandlers } from '../../../output/storage/handlers.ts'
import type { ParsedStorageClass } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { Resources } from '../../resources/resources.ts'
import type { StorageEnvironment } from '../environment.ts'
import { removeInstances } from '../instances/remove-instances.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { classAnswers } from './answered-classes.ts'
import { requireNativeForm } from '../classes/class-form.ts'
import { classKind } from '../classes/class-kind.ts'
import { classCollection, defaultOf, type StoredClass } from '../classes/classes-store.ts'
import { nativeDefaults } from '../classes/native-settings.ts'

/** Returns the handlers of storage classes. */
export function storageClasses(environment: StorageEnvironment): StorageClassHandlers {
  const { store } = environment
  const resources = new Resources<StoredClass, StorageArea>(classKind, environment)
  return {
    listStorageClasses: ({ engine }, { query }) =>
      store.snapshot(async reader => {
        const page = await reader.page(classCollection, query, { engine }, { members: ['name'] })
        const classes = page.items.map(({ id, members: [name], text }) => ({ id, name, text }))
        return { ...page, items: classes.map(await classAnswers(reader, engine, classes)) }
      }),
    async getStorageClass(request) {
      const { id, text, value } = await resources.read(request)
      const read = { id, name: value.name, text }
      return (await classAnswers(store, request.engine, [read]))(read)
    },
    async createStorageClass(request, context) {
      requireNativeForm(request.body)
      return resources.create(request, context, newClass(environment, request.engine, request.body, context))
    },
    async updateStorageClass(request, context) {
      requireNativeForm(request.body)
      return resources.update(request, context, {
        absent: () => ({ native: nativeDefaults }),
        refer: async (_tx, { value }) => ({ members: { default_of: defaultOf(value) } }),
      })
    },
    deleteStorageClass: (request, context) =>
      resources.delete(request, context, { release: (tx, { id }) => removeInstances(environment, tx, id) }),
  }
}

/** Returns the row of a new class. The regions of a native class follow from its instances, whatever is sent. */
export function newClass(
  { clock }: Pick<StorageEnvironment, 'clock'>,
  engine: string,
  { etag: _precondition, regions: _derived, s3: _other, ...settable }: ParsedStorageClass & { readonly etag?: string },
  context: Pick<CallContext, 'now'>,
): StoredClass {
  const standard = standardMembers(clock, context)
  const { is_default, native = nativeDefaults } = settable
  return { ...standard, engine, ...settable, native, default_of: defaultOf({ id: standard.id, engine, is_default }) }
}
