import { scrapeOutcomes, type ScrapeCounts } from '../../domain/observability/scraping/scrape-counts.ts'
import type { Metric } from '../health/metrics.ts'

/** Returns the metrics of scraping. */
export const scrapeMetrics = (
  counts: Pick<ScrapeCounts, 'samples' | 'scrapes' | 'seconds' | 'targets'>,
): readonly Metric[] => [
  {
    kind: 'gauge',
    name: 'ninefold_observability_scrape_targets',
    help: 'Targets that this server scrapes.',
    read: () => counts.targets,
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_scrapes_total',
    help: 'Scrapes on this server, by outcome.',
    labels: ['outcome'],
    read: () => scrapeOutcomes.map(outcome => ({ labels: { outcome }, value: counts.scrapes(outcome) })),
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_scrape_samples_total',
    help: 'Samples that scrapes have written on this server.',
    read: () => [{ labels: {}, value: counts.samples }],
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_scrape_seconds_total',
    help: 'The time that scrapes have taken on this server, in seconds.',
    read: () => [{ labels: {}, value: counts.seconds }],
  },
]
