import { proveDocument } from '../documented.ts'

const hourMs = 3_600_000

/** Returns the members of a silence that begins in an hour; the times of the example in the document have passed. */
const soon = () => {
  const now = Date.now()
  return {
    start_time: new Date(now + hourMs).toISOString(),
    end_time: new Date(now + 2 * hourMs).toISOString(),
  }
}

/** Leaves one kind of the kinds that the example of an ingestion config has. */
const otlpAlone = () => ({ prometheus_scrape: null, prometheus_remote_write: null })

/** The bucket of the example does not exist, so the sinks that exist already send to a webhook. */
const toWebhook = () => ({ destination: { webhook: { url: 'https://198.51.100.7/hook' } } })

await proveDocument('observability', {
  createIngestionConfig: otlpAlone,
  createLogSink: toWebhook,
  createSilence: soon,
})
