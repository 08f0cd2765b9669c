import type { IngestionConfig, IngestionEndpoints, ScrapeTargetStatus } from '../../../output/observability/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { jsonText } from '../../resources/json-text.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import type { StoredIngestionStatus } from '../ingestion-configs/ingestion-status-store.ts'

/** Returns the answer of a config; `baseUrl` is the address of `/ingest`, without a slash at its end. */
export function ingestionConfigAnswer(
  stored: StoredIngestionConfig,
  { stats, targets }: Pick<StoredIngestionStatus, 'stats' | 'targets'>,
  baseUrl: string,
): JsonText<IngestionConfig> {
  const { kind, ingest_keys, ...shown } = stored
  const endpoints = endpointsOf(kind, `${baseUrl}/ingest/${stored.id}`)
  const last = new Map(targets.map(status => [status.url, status]))
  return jsonText({
    ...shown,
    ingest_keys: ingest_keys.map(({ sha256: _hash, ...key }) => key),
    ...(endpoints && { endpoints }),
    targets_status: (shown.prometheus_scrape?.targets ?? []).map(({ url }) => last.get(url) ?? unscraped(url)),
    stats,
  })
}

function endpointsOf(kind: StoredIngestionConfig['kind'], base: string): IngestionEndpoints | undefined {
  switch (kind) {
    case 'otlp':
      return { otlp: base }
    case 'prometheus_remote_write':
      return { remote_write: `${base}/api/v1/write` }
    case 'prometheus_scrape':
      return undefined
  }
}

const unscraped = (url: string): ScrapeTargetStatus => ({ url, up: false, last_error: '', samples: 0 })
