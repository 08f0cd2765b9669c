import { ingestionDisabled, signalNotEnabled } from '../../../output/observability/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { IngestionConfigKind, StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import { admittedConfig, unauthenticated } from './plane-doors.ts'
import type { PlaneParts } from './plane-parts.ts'

/** The signals of OTLP. */
export type Signal = 'LOGS' | 'METRICS' | 'TRACES'

/**
 * Returns the config of a call that takes a signal of a kind. Throws INGESTION_DISABLED, WORKSPACE_NOT_ACTIVE,
 * INGEST_UNAUTHENTICATED if the workspace is gone, and SIGNAL_NOT_ENABLED.
 */
export async function takingConfig(
  { store, taxonomy }: PlaneParts,
  context: CallContext,
  kind: IngestionConfigKind,
  signal: Signal,
): Promise<StoredIngestionConfig> {
  const config = admittedConfig(context)
  const { [kind]: member, enabled = true, id, otlp, workspace_id } = config
  if (!enabled) throw ingestionDisabled('the ingestion config is disabled; set enabled to take telemetry again')
  await requireActive(() => taxonomy.checkActive(store, workspace_id))
  if (
    member !== undefined &&
    (otlp?.signals ?? [`OBSERVABILITY_SIGNAL_${signal}`]).includes(`OBSERVABILITY_SIGNAL_${signal}`)
  )
    return config
  const description =
    member === undefined ? `is of the kind ${config.kind}, not ${kind}` : `does not take the signal ${signal}`
  throw signalNotEnabled(`the ingestion config ${description}`, {
    precondition: [{ type: 'SIGNAL_NOT_ENABLED', subject: id, description }],
  })
}

/**
 * Throws WORKSPACE_NOT_ACTIVE without the scope that is not active: a sender with a key may not know the tree. The config
 * of a workspace that is deleted is unknown, also while it is in the memory.
 */
async function requireActive(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.reason === 'WORKSPACE_NOT_FOUND') throw unauthenticated()
    if (error.reason !== 'WORKSPACE_NOT_ACTIVE') throw error
    const { code, domain, reason, rpc } = error
    const description = 'the workspace must be active'
    throw new ApiError(
      { reason, rpc, code, domain },
      'the workspace is not active, so it takes no telemetry',
      {},
      {
        precondition: [{ type: 'STATE', subject: 'workspace', description }],
      },
    )
  }
}
