import type { ParsedScanArtifactRequest, RegistryOperation } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { permissionDenied } from '../../resources/permission-denied.ts'
import { isDenied, permissionOf } from '../access/decide.ts'
import { absentArtifact } from '../artifact-calls/get-artifact.ts'
import { lockCalled } from '../artifact-calls/lock-called.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireReference } from '../lock-calls/locked-artifact.ts'
import { requireChangeable } from '../repositories/repository-kind.ts'
import { effectivePolicy } from '../scan-policies/effective-policy.ts'
import { requireScanner } from '../scan-policies/scan-policies.ts'
import { beginScan, scanEffect } from './begin-scan.ts'
import { isInProgress } from './scan-rows.ts'
import { nativeScanner, scanCollection } from '../scan-results/scans-store.ts'

/**
 * Begins a scan of an artifact; while one is in progress, answers its operation. Throws REFERENCE_INVALID,
 * REPOSITORY_NOT_FOUND, ARTIFACT_NOT_FOUND, REPOSITORY_DELETING, SCANNER_UNKNOWN, QUOTA_EXCEEDED, and
 * IAM_PERMISSION_DENIED if an access policy denies scans.
 */
export async function scanArtifact(
  environment: RegistryEnvironment,
  request: ParsedScanArtifactRequest,
  context: CallContext,
): Promise<Answer<RegistryOperation>> {
  const { clock, operations, store } = environment
  requireReference(request.reference)
  try {
    const report = clock.newId()
    return await operations.mutate(context, request, (tx, operationId) =>
      begin(environment, tx, request, { context, operationId, report }),
    )
  } catch (error) {
    if (!(error instanceof InProgress)) throw error
    const running = await store.get(operations.collection, error.operationId)
    if (running) return running.text
    throw error
  }
}

/** Ends the transaction of a call that found a scan in progress. */
class InProgress extends Error {
  readonly operationId: string

  constructor(operationId: string) {
    super(`operation ${operationId} scans the artifact already`)
    this.name = 'InProgress'
    this.operationId = operationId
  }
}

interface Begin {
  readonly context: CallContext
  readonly operationId: string
  readonly report: string
}

async function begin(
  environment: RegistryEnvironment,
  tx: Transaction,
  request: ParsedScanArtifactRequest,
  { context, operationId, report }: Begin,
) {
  const { clock, taxonomy } = environment
  const { body, reference, workspace } = request
  const locked = await lockCalled(environment, tx, request)
  const artifact = (await findArtifact(tx, locked.id, reference))?.artifact.value
  if (!artifact) throw absentArtifact(locked.id, reference)
  await taxonomy.checkActive(tx, workspace)
  requireChangeable(locked.value)
  const { digest, row_id } = artifact
  if (await isDenied(environment, tx, { context, place: locked.value, action: 'SCAN' }))
    throw permissionDenied(permissionOf.SCAN, workspaceScope(workspace))
  if (body.scanner !== '') requireScanner(environment, body.scanner)
  const running = (await tx.lock(scanCollection, row_id))?.value
  if (running && isInProgress(running)) throw new InProgress(running.operation_id)
  const policy = (await effectivePolicy(tx, locked.value))?.policy
  const scanner = body.scanner || (policy?.scanner ?? nativeScanner)
  const makesBill = policy?.generate_sbom ?? true
  const { now } = context
  const begun = { artifact, report, scanner, makesBill, now }
  await beginScan(tx, begun, operationId)
  const tag = reference === digest ? '' : reference
  await recordAuditEvent(tx, clock, context, { action: 'SCAN', workspace, repository: locked.value, digest, tag })
  return scanEffect(begun)
}
