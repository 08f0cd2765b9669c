import type { FormRules } from '../../runtime/form-rules.ts'
import type { Worker } from '../ports/workers.ts'
import { bootstraps } from './bootstrap.ts'
import { bucketKind } from './buckets/bucket-kind.ts'
import { classForm } from './classes/class-form.ts'
import { classKind } from './classes/class-kind.ts'
import { storageClasses } from './classes/classes.ts'
import { contentCollection } from './contents/contents-store.ts'
import type { StorageEnvironment } from './environment.ts'
import { checkInstances } from './instances/check-instances.ts'
import { instanceKind } from './instances/instance-kind.ts'
import { storageClassInstances } from './instances/instances.ts'
import { provision } from './instances/provision.ts'
import { instanceRemoval } from './instances/remove-instances.ts'
import { nativeWorker } from './native/native-worker.ts'
import { signingKeyCollection } from './presigned/signing-keys.ts'
import { objects } from './objects/objects.ts'
import { metadataCollection, versionCollection } from './objects/versions-store.ts'
import { presignedForms } from './presigned/presigned-form.ts'
import { presignedUrls } from './presigned/presigned-urls.ts'

/** The parts of the area of storage that need no setting. */
export const storage = {
  kinds: [bucketKind, instanceKind, classKind],
  needs: { optional: ['iam', 'topology', 'vault'] },
  collections: [versionCollection, metadataCollection, contentCollection, signingKeyCollection, bootstraps],
} as const

/** The built resources of the area. */
export const storageResources = {
  objects,
  presignedUrls,
  storageClasses,
  storageClassInstances,
} as const

/** The rules for bodies beyond their schemas. */
export const storageForms: FormRules = {
  ...presignedForms,
  createStorageClass: classForm,
  updateStorageClass: classForm,
}

/** The durable work of the area. */
export const storageProcedures = (environment: StorageEnvironment) => [
  provision(environment),
  instanceRemoval(environment),
]

/** The periodic work of the area. */
export const storageWorkers = (environment: StorageEnvironment): readonly Worker[] => [
  nativeWorker(environment, checkInstances, []),
]
