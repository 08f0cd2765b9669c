import { storageFilters } from '../../output/storage/filters.ts'
import type { BucketHandlers, StatDescriptorHandlers, StorageHandlers } from '../../output/storage/handlers.ts'
import { tidyUploads } from './uploads/upload-worker.ts'
import { multipartUploads } from './uploads/uploads.ts'
import { partCollection, uploadCollection } from './uploads/uploads-store.ts'
import { collectContents, collectAllLeftovers, dropSigningKeys } from './work/collect-contents.ts'
import type { FormRules } from '../../runtime/form-rules.ts'
import { listInMemory } from '../../runtime/pagination.ts'
import type { Worker } from '../ports/workers.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { requireWorkspace } from '../resources/find-rows.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import { bootstraps } from './bootstrap.ts'
import { bucketForm } from './buckets/bucket-form.ts'
import { bucketKind } from './buckets/bucket-kind.ts'
import { bucketCalls } from './bucket-calls/buckets.ts'
import { deleteContent } from './bucket-calls/delete-content.ts'
import { classForm } from './classes/class-form.ts'
import { classKind } from './classes/class-kind.ts'
import { storageClasses } from './class-calls/classes.ts'
import { copyCollection } from './copies/copies-store.ts'
import { copyForm } from './copies/copy-form.ts'
import { copyProcedure } from './copies/copy-procedure.ts'
import { contentCollection } from './contents/contents-store.ts'
import type { StorageEnvironment } from './environment.ts'
import { inspectStorage } from './inspect.ts'
import { checkInstances } from './instances/check-instances.ts'
import { lifecycle } from './lifecycle/lifecycle-worker.ts'
import { runCollection } from './lifecycle/runs-store.ts'
import { instanceKind } from './instances/instance-kind.ts'
import { storageClassInstances } from './instances/instances.ts'
import { provision } from './instances/provision.ts'
import { instanceRemoval } from './instances/remove-instances.ts'
import { hourly, nativeWorker } from './native/native-worker.ts'
import { signingKeyCollection } from './presigned/signing-keys.ts'
import { objects } from './object-calls/objects.ts'
import { metadataCollection, versionCollection } from './objects/versions-store.ts'
import { presignedForms } from './presigned/presigned-form.ts'
import { presignedUrls } from './presigned/presigned-urls.ts'
import { aggregate } from './statistics/aggregate.ts'
import { descriptors } from './statistics/descriptors.ts'
import { metricHistory } from './statistics/history.ts'
import { gaugeCollection, hourCollection, pointCollection } from './statistics/points-store.ts'
import { recordGauges, recordTraffic } from './statistics/record-statistics.ts'
import { pointRetention } from './statistics/retain-points.ts'
import { bucketMetrics } from './statistics/bucket-metrics.ts'

/** The parts of the area of storage that need no setting. */
export const storage = {
  kinds: [bucketKind, instanceKind, classKind],
  needs: { optional: ['iam', 'observability', 'topology', 'vault'] },
  collections: [
    versionCollection,
    metadataCollection,
    contentCollection,
    copyCollection,
    partCollection,
    signingKeyCollection,
    uploadCollection,
    runCollection,
    bootstraps,
    pointCollection,
    hourCollection,
    gaugeCollection,
  ],
  inspect: inspectStorage,
} as const

/** The calls of buckets. */
const buckets = (environment: StorageEnvironment): BucketHandlers => ({
  ...bucketCalls(environment),
  aggregateBucketStats: (request, context) => aggregate(environment, request, context),
  getBucketMetricHistory: (request, context) => metricHistory(environment, request, context),
})

/** The calls of the descriptors of statistics, which are built in. */
const statDescriptors = ({ store, taxonomy }: StorageEnvironment): StatDescriptorHandlers => ({
  async listStatDescriptors({ workspace }, { query }) {
    await requireWorkspace(store, taxonomy, workspace)
    return listInMemory(descriptors, query)
  },
})

/** Returns the handlers of all operations of the area. */
export const storageHandlers = (environment: StorageEnvironment): StorageHandlers => ({
  buckets: buckets(environment),
  multipartUploads: multipartUploads(environment),
  objects: objects(environment),
  presignedUrls: presignedUrls(environment),
  statDescriptors: statDescriptors(environment),
  storageClasses: storageClasses(environment),
  storageClassInstances: storageClassInstances(environment),
  operations: new OperationRecords(environment),
  filterSchemas: new FilterSchemaRecords(storageFilters),
})

/** The rules for bodies beyond their schemas. */
export const storageForms: FormRules = {
  createBucket: bucketForm,
  updateBucket: bucketForm,
  copyObject: copyForm,
  ...presignedForms,
  createStorageClass: classForm,
  updateStorageClass: classForm,
}

/** The durable work of the area. */
export const storageProcedures = (environment: StorageEnvironment) => [
  copyProcedure(environment),
  deleteContent(environment),
  provision(environment),
  instanceRemoval(environment),
]

/** The periodic work of the area. */
export const storageWorkers = (environment: StorageEnvironment): readonly Worker[] => [
  nativeWorker(environment, checkInstances, [
    recordTraffic,
    recordGauges,
    tidyUploads,
    collectContents,
    hourly(collectAllLeftovers),
    hourly(dropSigningKeys),
  ]),
  pointRetention(environment),
  bucketMetrics(environment),
  lifecycle(environment),
]
