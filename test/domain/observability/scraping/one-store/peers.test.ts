import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { observabilitySettings } from '../../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../../server/settings/values.ts'
import { addTenant } from '../../../../areas/members.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { freePort } from '../../../../server/killed/processes.ts'
import { started } from '../../../../server/programs.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { peerPrometheus, type PeerElement, type PeerJob } from '../peer-prometheus.ts'
import { targetPage } from '../target-page.ts'

/** A page with what differs between readers: escapes, special values, conflicts with labels of the target. */
const page = `# HELP requests_total Requests "of" all\\nkinds.
# TYPE requests_total counter
requests_total{job="own",code="200"} 1027 
requests_total {code = "500" , method="a\\\\b\\"c\\nd",} 3
# TYPE latency histogram
latency_bucket{le="0.5"} 1
latency_bucket{le="+Inf"} 2
latency_sum 1.5e-3
latency_count 2
# A comment.
special{kind="nan"} NaN
special{kind="plus"} +Inf
special{kind="minus"} -Inf
special{kind="tiny"} 4e-324
empty_label{a=""} 7
twice 1
twice 2
instance_label{instance="mine",exported_instance="yours",cluster="third"} 1
`

/** Starts a platform that scrapes jobs every 5 seconds; returns a function that queries it. */
async function scrapingPlatform(jobs: readonly PeerJob[]) {
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  const platform = await testPlatform({ config: { given } })
  const { api } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine: 'native' }
  for (const { honorLabels, job, labels, target } of jobs) {
    const prometheus_scrape = {
      targets: [{ url: `http://${target}/metrics`, labels }],
      scrape_interval: '5s',
      scrape_timeout: '5s',
      honor_labels: honorLabels,
    }
    await api.observability.createIngestionConfig({ ...at, body: { name: job, prometheus_scrape } })
  }
  return async (query: string): Promise<readonly PeerElement[]> => {
    const { vector = [] } = await api.observability.queryMetrics({ ...at, body: { query, limit: 10_000 } })
    return vector.map(({ metric, value }) => [metric, value] as const)
  }
}

type Query = (text: string) => Promise<readonly PeerElement[]>

/** Waits until an expression has as many elements, at most 30 seconds. */
async function areThere(query: Query, text: string, count: number): Promise<void> {
  for (let i = 0; i < 150 && (await query(text)).length < count; i += 1) await setTimeout(200)
}

/** Returns the value of a label as Prometheus 3 stores it; Prometheus 2 keeps the text of the page. */
const stored = ([name, value]: readonly [string, string]): readonly [string, string] =>
  (name === 'le' || name === 'quantile') && /^\d+$/.test(value) ? [name, `${value}.0`] : [name, value]

const texts = (elements: readonly PeerElement[]): readonly string[] =>
  elements
    .map(([labels, value]) =>
      JSON.stringify([
        Object.entries(labels)
          .map(stored)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        value,
      ]),
    )
    .toSorted()

describe('a scrape', () => {
  it.skipIf(lacks('with Prometheus', 'prometheus'))(
    'gives the series and values of Prometheus for the same page',
    async () => {
      const target = await targetPage(onTestFinished, page)
      const open = await targetPage(
        onTestFinished,
        '# TYPE x counter\n# UNIT x_s s\nx_total{a="b"} 4 # {t="i"} 1 2\n# EOF\n',
      )
      open.type = 'application/openmetrics-text; version=1.0.0'
      const faulty = await targetPage(onTestFinished, 'good 1\nbad{ 1\n')
      const labels = { cluster: 'main' }
      const jobs = [
        { job: 'plain', target: target.instance, honorLabels: false, labels },
        { job: 'honored', target: target.instance, honorLabels: true, labels },
        { job: 'open', target: open.instance, honorLabels: false, labels },
        { job: 'faulty', target: faulty.instance, honorLabels: false, labels },
      ]
      await using peer = await peerPrometheus(jobs)
      const query = await scrapingPlatform(jobs)
      await areThere(query, 'up', jobs.length)
      await areThere(peer.query, 'up', jobs.length)
      const compared = '{job=~".+",__name__!~"scrape_duration_seconds|scrape_series_added|ALERTS.*"}'
      const own = await query(compared)
      const theirs = await peer.query(compared)
      expect(theirs.length).toBeGreaterThan(30)
      // On the faulty page, Prometheus counts the samples before the fault.
      const isCompared = ([{ __name__: name = '', job }]: PeerElement) =>
        job !== 'faulty' || !name.startsWith('scrape_')
      expect(texts(own.filter(isCompared))).toEqual(texts(theirs.filter(isCompared)))
    },
    180_000,
  )

  it.skipIf(lacks('with node-exporter', 'prometheus-node-exporter', 'prometheus'))(
    'gives the series of Prometheus for node-exporter',
    async () => {
      const target = `127.0.0.1:${await freePort()}`
      const { child } = started('prometheus-node-exporter', [`--web.listen-address=${target}`])
      onTestFinished(() => void child.kill('SIGKILL'))
      const jobs = [{ job: 'node', target, honorLabels: false, labels: { rack: 'r1' } }]
      await using peer = await peerPrometheus(jobs)
      const query = await scrapingPlatform(jobs)
      await areThere(query, 'up == 1', 1)
      await areThere(peer.query, 'up == 1', 1)
      // Series of devices and states may come and go between the two scrapes.
      const named = '{__name__=~"node_(cpu|memory|load|filesystem|uname|vmstat|disk).*|go_.*|process_.*|up"}'
      const seriesOf = (elements: readonly PeerElement[]) => texts(elements.map(([labels]) => [labels, '']))
      const own = seriesOf(await query(named))
      expect(own.length).toBeGreaterThan(150)
      expect(own).toEqual(seriesOf(await peer.query(named)))
      expect(texts(await query('node_uname_info'))).toEqual(texts(await peer.query('node_uname_info')))
    },
    180_000,
  )
})
