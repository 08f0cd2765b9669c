import type { StorageArea } from '../../../output/storage/area.ts'
import type { StorageClassHandlers } from '../../../output/storage/handlers.ts'
import type {
  ParsedCreateStorageClassRequest,
  S3ClassSettings,
  StorageClass,
  StorageOperation,
  UpdateStorageClassRequest,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { platform } from '../../ports/access.ts'
import { jsonText } from '../../resources/json-text.ts'
import { Resources } from '../../resources/resources.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { classCollection, defaultOf, type StoredClass } from '../classes/classes-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import {
  referTo,
  requireForm,
  requirePlace,
  requireRegionsKept,
  requireSecretAccess,
  requireWhole,
} from './class-rules.ts'
import { probe } from './probe.ts'
import { remoteClassKind } from './remote-class-kind.ts'

type Classes = Resources<StoredClass, StorageArea>
type Answer = Promise<JsonText<StorageOperation>>

/** Returns the handlers of the storage classes of S3 stores. */
export function remoteClasses(environment: StorageEnvironment): StorageClassHandlers {
  const { store } = environment
  const resources: Classes = new Resources(remoteClassKind, environment)
  return {
    async listStorageClasses({ engine }, { query, ...context }) {
      const isShown = await mayUpdate(environment, context)
      return store.snapshot(async reader => {
        const page = await reader.page(classCollection, query, { engine })
        const where = { engine, storage_class: page.items.map(({ value }) => value.name) }
        const counts = await reader.tally(bucketCollection, 'storage_class', where)
        return { ...page, items: page.items.map(({ value }) => answerOf(value, counts, isShown)) }
      })
    },
    async getStorageClass(request, context) {
      const { value } = await resources.read(request)
      const where = { engine: request.engine, storage_class: value.name }
      const counts = new Map([[value.name, await store.count(bucketCollection, where)]])
      return answerOf(value, counts, await mayUpdate(environment, context))
    },
    createStorageClass: (request, context) => createClass(environment, resources, request, context),
    updateStorageClass: (request, context) => updateClass(environment, resources, request, context),
    deleteStorageClass: (request, context) => resources.delete(request, context),
  }
}

/** Whether a caller is shown where an S3 store is. */
const mayUpdate = ({ access }: StorageEnvironment, context: CallContext): Promise<boolean> =>
  access.holds(context, 'storage.storageClasses.update', platform)

function answerOf(
  { default_of: _hidden, regions = [], s3, ...stored }: StoredClass,
  counts: ReadonlyMap<string, number>,
  isShown: boolean,
): JsonText<StorageClass> {
  const bucket_count = counts.get(stored.name) ?? 0
  return jsonText({ ...stored, regions: [...regions], ...(isShown && s3 && { s3 }), bucket_count })
}

async function createClass(
  environment: StorageEnvironment,
  resources: Classes,
  request: ParsedCreateStorageClassRequest,
  context: CallContext,
): Answer {
  const { body, engine } = request
  await requireSecretAccess(environment, context)
  requireForm(body)
  const s3 = requireWhole(body)
  const { etag: _precondition, native: _other, s3: _given, ...settable } = body
  const standard = standardMembers(environment.clock, context)
  const { is_default } = settable
  const row = { ...standard, engine, ...settable, s3, default_of: defaultOf({ id: standard.id, engine, is_default }) }
  const checked = await rehearse<void, JsonText<StorageOperation>>(end =>
    resources.create(request, context, row, {
      refer: tx => referTo(environment, tx, row),
      complete: async () => end(),
    }),
  )
  if (checked.kind === 'recorded') return checked.answer
  const found = { ...row, s3: { ...s3, capabilities: await capabilitiesOf(environment, s3) } }
  return resources.create(request, context, found, { refer: tx => referTo(environment, tx, found) })
}

async function updateClass(
  environment: StorageEnvironment,
  resources: Classes,
  request: UpdateStorageClassRequest,
  context: CallContext,
): Answer {
  await requireSecretAccess(environment, context)
  requireForm(request.body)
  const update = (probed?: S3ClassSettings, end?: (s3: S3ClassSettings | undefined) => never) =>
    resources.update(request, context, {
      // A body that leaves the store out changes nothing of the store.
      absent: ({ s3 }) => ({ s3 }),
      async refer(tx, { value }, before) {
        requirePlace(value)
        await requireRegionsKept(tx, value, before)
        await referTo(environment, tx, value, before)
        const secret = value.s3?.credentials_secret_id
        const isNew = secret !== before.s3?.credentials_secret_id
        if (isNew && secret !== probed?.credentials_secret_id) end?.(value.s3)
        const s3 = isNew && value.s3 && probed ? { ...value.s3, capabilities: probed.capabilities } : value.s3
        return { members: { default_of: defaultOf(value), ...(s3 && { s3 }) } }
      },
    })
  const checked = await rehearse<S3ClassSettings | undefined, JsonText<StorageOperation>>(end => update(undefined, end))
  if (checked.kind === 'recorded') return checked.answer
  const { result: s3 } = checked
  return update(s3 && { ...s3, capabilities: await capabilitiesOf(environment, s3) })
}

/** Returns what a store can do. Throws STORAGE_CLASS_PROBE_FAILED and ENGINE_UNAVAILABLE. */
async function capabilitiesOf({ stores }: Pick<StorageEnvironment, 'stores'>, s3: S3ClassSettings) {
  const store = await stores.unkept(s3)
  try {
    return await probe(store, s3)
  } finally {
    store.close()
  }
}
