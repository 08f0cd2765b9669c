import { registryFilters } from '../../output/registry/filters.ts'
import type { RegistryHandlers } from '../../output/registry/handlers.ts'
import type { FormRules } from '../../runtime/form-rules.ts'
import { artifacts, tags } from './artifact-calls/artifacts.ts'
import { auditEvents } from './audit-events/audit-events.ts'
import { credentials } from './credentials/credentials.ts'
import { pullGrants } from './grants/pull-grants.ts'
import { deploymentLocks } from './lock-calls/deployment-locks.ts'
import { accessPolicies } from './policies/access-policies.ts'
import { quotaDefinitions } from './quotas/limit-kind.ts'
import { quotaLimits } from './quotas/limits.ts'
import { retentionPolicies } from './retention-calls/retention-policies.ts'
import { repositories } from './repository-calls/repositories.ts'
import { scanPolicies } from './scan-policies/scan-policies.ts'
import { scans } from './scans/scans.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import type { Worker } from '../ports/workers.ts'
import { artifactCollection, manifestCollection } from './artifacts/artifacts-store.ts'
import { olderTypes, olderTypesWorker } from './artifacts/older-types.ts'
import { referenceCollection } from './artifacts/references-store.ts'
import { tagCollection } from './artifacts/tags-store.ts'
import { eventRetention } from './audit-events/event-retention.ts'
import { eventCollection } from './audit-events/events-store.ts'
import { blobCollection, linkCollection } from './blobs/blobs-store.ts'
import type { RegistryEnvironment } from './environment.ts'
import { grantCollection } from './grants/grants-store.ts'
import { inspectRegistry } from './inspect.ts'
import { lockForm } from './locks/lock-form.ts'
import { lockKind } from './locks/lock-kind.ts'
import { protectedCollection } from './locks/locks-store.ts'
import { openingCollection } from './openings/openings-store.ts'
import { makeFirstOpenings, openingStarts } from './policies/first-openings.ts'
import { policyForm } from './policies/policy-form.ts'
import { policyKind } from './policies/policy-kind.ts'
import { quotaLimitKind } from './quotas/limit-kind.ts'
import { quotas } from './quotas/quotas.ts'
import { deleteContent } from './repository-calls/delete-content.ts'
import { repositoryForm } from './repositories/repository-form.ts'
import { repositoryKind } from './repositories/repository-kind.ts'
import { repositoryMetrics } from './repositories/repository-metrics.ts'
import { tokenKeyCollection } from './tokens/token-keys.ts'
import { newScanPolicyForm } from './scan-policies/scan-policy-form.ts'
import { scanPolicyKind } from './scan-policies/scan-policy-kind.ts'
import { scanProcedure } from './scans/scan-procedure.ts'
import {
  findingsCollection,
  packagesCollection,
  scanCollection,
  scanDayCollection,
  scheduledCollection,
  waitingCollection,
} from './scan-results/scans-store.ts'
import { retentionForm } from './retention/retention-form.ts'
import { retentionKind } from './retention/retention-kind.ts'
import { retentionRunCollection } from './retention/retention-store.ts'
import { evaluateRetention } from './retention-work/evaluate.ts'
import { retentionWorker } from './retention-work/retention-worker.ts'
import { uploadCollection } from './uploads/uploads-store.ts'
import { contentWorker } from './work/content-worker.ts'
import { scanWorker } from './work/scan-worker.ts'

/** The parts of the registry that need no setting. */
export const registry = {
  kinds: [lockKind, policyKind, scanPolicyKind, repositoryKind, quotaLimitKind, retentionKind],
  needs: { optional: ['iam', 'observability', 'storage', 'topology', 'vault'] },
  collections: [
    quotas.buckets,
    artifactCollection,
    manifestCollection,
    referenceCollection,
    tagCollection,
    blobCollection,
    linkCollection,
    uploadCollection,
    tokenKeyCollection,
    grantCollection,
    protectedCollection,
    openingCollection,
    openingStarts,
    eventCollection,
    scanCollection,
    findingsCollection,
    packagesCollection,
    waitingCollection,
    scanDayCollection,
    scheduledCollection,
    retentionRunCollection,
    olderTypes,
  ],
  start: makeFirstOpenings,
  inspect: inspectRegistry,
} as const

/** Returns the handlers of all operations of the area. */
export const registryHandlers = (environment: RegistryEnvironment): RegistryHandlers => ({
  accessPolicies: accessPolicies(environment),
  artifacts: artifacts(environment),
  auditEvents: auditEvents(environment),
  credentials: credentials(environment),
  deploymentLocks: deploymentLocks(environment),
  pullGrants: pullGrants(environment),
  quotaDefinitions,
  quotaLimits: quotaLimits(environment),
  repositories: repositories(environment),
  retentionPolicies: retentionPolicies(environment),
  scanPolicies: scanPolicies(environment),
  scans: scans(environment),
  tags: tags(environment),
  operations: new OperationRecords(environment),
  filterSchemas: new FilterSchemaRecords(registryFilters),
})

/** The rules for bodies beyond their schemas. */
export const registryForms: FormRules = {
  createRepository: repositoryForm,
  updateRepository: repositoryForm,
  createAccessPolicy: policyForm,
  updateAccessPolicy: policyForm,
  createRepositoryAccessPolicy: policyForm,
  updateRepositoryAccessPolicy: policyForm,
  createDeploymentLock: lockForm,
  updateDeploymentLock: lockForm,
  createScanPolicy: newScanPolicyForm,
  createRetentionPolicy: retentionForm,
  updateRetentionPolicy: retentionForm,
}

/** The durable work of the area. */
export const registryProcedures = (environment: RegistryEnvironment) => [
  deleteContent(environment),
  scanProcedure(environment),
  evaluateRetention(environment),
]

/** The periodic work of the area. */
export const registryWorkers = (environment: RegistryEnvironment): readonly Worker[] => [
  contentWorker(environment),
  eventRetention(environment),
  scanWorker(environment),
  retentionWorker(environment),
  olderTypesWorker(),
  repositoryMetrics(environment),
]
