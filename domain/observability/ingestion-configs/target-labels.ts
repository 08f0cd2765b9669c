import type { ScrapeTarget } from '../../../output/observability/types.ts'
import type { Labels } from '../metrics/samples.ts'
import type { StoredIngestionConfig } from './ingestion-configs-store.ts'

/** Returns the host and the port of a URL: `198.51.100.7:9100`; the text itself if it is no URL. */
export function instanceOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  const port = parsed.port === '' ? (parsed.protocol === 'https:' ? '443' : '80') : parsed.port
  return `${parsed.hostname}:${port}`
}

/**
 * Returns the labels of all series of a target: `job` and `instance`, unless the labels of the config or of the target
 * replace them. A label without a value is left out.
 */
export function targetLabels(
  { name, static_labels }: Pick<StoredIngestionConfig, 'name' | 'static_labels'>,
  { labels, url }: ScrapeTarget,
): Labels {
  const all = { job: name, instance: instanceOf(url), ...static_labels, ...labels }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}
