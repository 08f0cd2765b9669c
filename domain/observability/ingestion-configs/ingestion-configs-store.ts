import { ingestionConfigAlreadyExists } from '../../../output/observability/errors.ts'
import { ingestionConfigsList } from '../../../output/observability/filters.ts'
import type { IngestionConfig, IngestKey } from '../../../output/observability/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The members of an ingestion config that name its kind; each config has one of them. */
export const ingestionKinds = ['otlp', 'prometheus_scrape', 'prometheus_remote_write'] as const

/** The kind of an ingestion config. */
export type IngestionConfigKind = (typeof ingestionKinds)[number]

/** A key of senders, of which only the hash is kept. */
export interface StoredKey extends IngestKey {
  /** The SHA-256 of the key in hexadecimal digits; empty for a key that an update names and the config does not have. */
  readonly sha256: string
}

/** The row of an ingestion config. What comes in and how targets are is kept in rows of its own. */
export interface StoredIngestionConfig extends Omit<
  IngestionConfig,
  'endpoints' | 'ingest_keys' | 'stats' | 'targets_status'
> {
  readonly ingest_keys: StoredKey[]
  /** The member that the config has of `ingestionKinds`. */
  readonly kind: IngestionConfigKind
}

/** The ingestion configs of all workspaces and engines. */
export const ingestionConfigCollection: Collection<StoredIngestionConfig> = {
  name: 'observability_ingestion_configs',
  id: 'id',
  list: ingestionConfigsList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', kind: 'STRING' },
  hidden: ['kind'],
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        ingestionConfigAlreadyExists(`an ingestion config named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'observability.ingestionConfigs', name },
        }),
    },
  ],
  indexes: [['kind']],
  indexedMaps: ['labels'],
}
