import { destinationNotFound } from '../../../output/observability/errors.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import { dropReference } from '../../resources/references.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { referToSecret } from '../outbound/secret-reference.ts'
import { bucketOf, headersSecretOf } from '../sinks/destination.ts'
import { logSinkKind } from '../sinks/log-sink-kind.ts'
import type { StoredLogSink } from '../sinks/log-sinks-store.ts'

/** The reasons of storage for a bucket that a sink cannot name. */
const absences: ReadonlySet<string> = new Set(['BUCKET_NOT_FOUND', 'BUCKET_DELETING'])

/**
 * Records that a sink uses the bucket and the secret that it names, and no longer those of the sink before. Throws
 * DESTINATION_NOT_FOUND if the workspace has no such bucket, and FIELD_INVALID if it has no such secret.
 */
export async function referToTargets(
  { functions }: Pick<ObservabilityEnvironment, 'functions'>,
  tx: Transaction,
  { destination, id, workspace_id: workspace }: StoredLogSink,
  before?: StoredLogSink,
): Promise<void> {
  const holder = { type: logSinkKind.type, id }
  const [bucket, usedBucket] = [bucketOf(destination), before && bucketOf(before.destination)]
  if (bucket !== usedBucket) {
    if (usedBucket !== undefined) await dropReference(tx, { type: 'storage.buckets', id: usedBucket }, holder)
    if (bucket !== undefined) await useBucket(functions.storage, tx, { workspace, bucket }, holder)
  }
  await referToSecret(functions.vault, tx, holder, {
    workspace,
    wanted: headersSecretOf(destination),
    used: before && headersSecretOf(before.destination),
    field: 'destination.otlp.headers_secret_id',
  })
}

type Storage = ObservabilityEnvironment['functions']['storage']
type Use = Parameters<NonNullable<Storage>['useBucket']>

async function useBucket(storage: Storage, ...[tx, place, holder]: Use): Promise<void> {
  const absent = () =>
    atField(
      destinationNotFound(`workspace ${place.workspace} has no bucket ${place.bucket}`, {
        resource: { type: 'storage.buckets', name: place.bucket },
        badRequest: [],
      }),
      'destination.bucket.bucket_id',
    )
  if (storage === undefined) throw absent()
  try {
    await storage.useBucket(tx, place, holder)
  } catch (error) {
    throw error instanceof ApiError && absences.has(error.reason) ? absent() : error
  }
}
