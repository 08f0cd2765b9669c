import type { IngestionStats, ScrapeTargetStatus } from '../../../output/observability/types.ts'
import type { Collection } from '../../ports/store.ts'

/** What came in through an ingestion config, and how its targets were. Scrapes and pushes never write the config itself. */
export interface StoredIngestionStatus {
  /** The id of the ingestion config. */
  readonly id: string
  readonly workspace_id: string
  readonly stats: IngestionStats
  /** The last scrape of each target; empty for configs of other kinds. */
  readonly targets: readonly ScrapeTargetStatus[]
}

/** The statuses of ingestion configs; a config through which nothing came yet has none. */
export const ingestionStatusCollection: Collection<StoredIngestionStatus> = {
  name: 'observability_ingestion_statuses',
  id: 'id',
  columns: { workspace_id: 'STRING' },
}

/** The stats of a config through which nothing came yet. */
export const noStats: IngestionStats = { accepted: 0, rejected: 0, rejected_reasons: {} }
