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
import { byEngine } from './by-engine.ts'
import { bucketForm } from './buckets/bucket-form.ts'
import { bucketKind } from './buckets/bucket-kind.ts'
import { bucketCalls } from './bucket-calls/buckets.ts'
import { deleteContent } from './bucket-calls/delete-content.ts'
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
import { deleteInStore } from './remote-buckets/delete-remote-bucket.ts'
import { remoteBucketCalls } from './remote-buckets/remote-buckets.ts'
import { remoteCollection } from './remote-buckets/remote-rows.ts'
import { changeCollection } from './remote-objects/changes-store.ts'
import { remoteCopyCollection } from './remote-copies/copies-store.ts'
import { remoteCopyProcedure } from './remote-copies/copy-procedure.ts'
import { remoteObjects } from './remote-objects/remote-objects.ts'
import { remotePresignedUrls } from './remote-objects/remote-presigned-urls.ts'
import { remoteUploadCollection } from './remote-buckets/remote-upload-rows.ts'
import { remoteUploads } from './remote-uploads/remote-uploads.ts'
import { inventoryWorker } from './remote-work/inventory.ts'
import { remoteWorker } from './remote-work/remote-worker.ts'
import { classForm } from './remote-classes/endpoint-form.ts'
import { remoteClasses } from './remote-classes/remote-classes.ts'
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
    remoteCollection,
    remoteCopyCollection,
    remoteUploadCollection,
    changeCollection,
  ],
  inspect: inspectStorage,
} as const

/** The calls of buckets. */
const buckets = (environment: StorageEnvironment): BucketHandlers => ({
  ...byEngine(bucketCalls(environment), remoteBucketCalls(environment)),
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
  multipartUploads: byEngine(multipartUploads(environment), remoteUploads(environment)),
  objects: byEngine(objects(environment), remoteObjects(environment)),
  presignedUrls: byEngine(presignedUrls(environment), remotePresignedUrls(environment)),
  statDescriptors: statDescriptors(environment),
  storageClasses: byEngine(storageClasses(environment), remoteClasses(environment)),
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
  deleteInStore(environment),
  remoteCopyProcedure(environment),
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
  remoteWorker(environment),
  inventoryWorker(environment),
]
