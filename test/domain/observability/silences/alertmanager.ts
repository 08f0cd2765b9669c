import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { SilenceMatcherInput } from '../../../../output/observability/types.ts'
import { freePort } from '../../../server/killed/processes.ts'
import { started } from '../../../server/programs.ts'
import { testFolder, type Later } from '../../../server/store/harness.ts'

/** The program of Debian's Alertmanager. */
export const alertmanagerProgram = 'prometheus-alertmanager'

/** An alert in the form of the API of Alertmanager. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt?: string
  readonly generatorURL: string
}

/** A running Alertmanager. */
export interface Alertmanager {
  /** Sends alerts. */
  send(alerts: readonly PostedAlert[]): Promise<void>
  /** Creates a silence of an hour. Returns the id of the silence; undefined if Alertmanager refuses the matchers. */
  silence(matchers: readonly SilenceMatcherInput[]): Promise<string | undefined>
  /** Sends alerts, and returns the ids of the silences for each of them. */
  silencing(alerts: readonly Readonly<Record<string, string>>[]): Promise<readonly (readonly string[])[]>
}

/** The label that tells the alerts of a test apart. */
const mark = 'mark'

/** A configuration by which Alertmanager notifies nobody. */
const silentConfig = 'route:\n  receiver: none\nreceivers:\n  - name: none\n'

/** Starts Alertmanager on a free port of this host; `later` ends it. */
export async function startAlertmanager(later: Later, configuration = silentConfig): Promise<Alertmanager> {
  const folder = testFolder(later)
  const config = join(folder, 'config.yml')
  writeFileSync(config, configuration)
  const port = await freePort()
  const { child, ended } = started(alertmanagerProgram, [
    `--config.file=${config}`,
    `--storage.path=${folder}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ])
  later(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}/api/v2`
  while (!(await fetch(`${url}/status`).then(isOk, () => false))) await setTimeout(50)
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    async send(alerts) {
      const response = await post('/alerts', alerts)
      if (!response.ok) throw new Error(`Alertmanager refuses the alerts: ${await response.text()}`)
    },
    async silence(matchers) {
      const now = Date.now()
      const [startsAt, endsAt] = [now, now + 3_600_000].map(time => new Date(time).toISOString())
      const given = { matchers: matchers.map(theirs), startsAt, endsAt, createdBy: 'test', comment: 'test' }
      const response = await post('/silences', given)
      const answer: unknown = await response.json()
      return response.ok && isObject(answer) ? String(answer['silenceID']) : undefined
    },
    async silencing(alerts) {
      const response = await post(
        '/alerts',
        alerts.map((labels, i) => ({ labels: { ...labels, [mark]: String(i) } })),
      )
      if (!response.ok) throw new Error(`Alertmanager refuses the alerts: ${await response.text()}`)
      const listed: unknown = await (await fetch(`${url}/alerts`)).json()
      const found = new Map((Array.isArray(listed) ? listed : []).map(entryOf))
      return alerts.map((_, i) => found.get(String(i)) ?? ['no alert'])
    },
  }
}

const isOk = ({ ok }: Response): boolean => ok

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function entryOf(alert: unknown): readonly [string, readonly string[]] {
  const { labels, status } = isObject(alert) ? alert : {}
  const ids = isObject(status) ? status['silencedBy'] : undefined
  return [isObject(labels) ? String(labels[mark]) : '', Array.isArray(ids) ? ids.map(String).toSorted() : []]
}

/** Returns a matcher in the form of Alertmanager. */
function theirs({ name, operator = 'OBSERVABILITY_MATCH_OPERATOR_EQUAL', value }: SilenceMatcherInput) {
  return { name, value, isRegex: operator.endsWith('REGEX'), isEqual: !operator.includes('_NOT_') }
}
