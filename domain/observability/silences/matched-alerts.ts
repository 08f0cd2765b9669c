import type { Reader } from '../../ports/store.ts'
import { alertPageCollection } from '../alerts/alerts-store.ts'
import type { Labels } from '../metrics/samples.ts'
import { fitsAll, silenceMatcher } from './silence-matchers.ts'
import type { StoredSilence } from './silences-store.ts'

/** Returns the labels of the alerts of a workspace that have not ended, pending ones too. */
export async function alertsIn(reader: Reader, workspace: string): Promise<readonly Labels[]> {
  const alerts: Labels[] = []
  for await (const { value } of reader.each(alertPageCollection, { workspace_id: workspace }))
    alerts.push(...value.alerts.filter(({ state }) => state !== 'ENDED').map(({ labels }) => labels))
  return alerts
}

/** Returns the number of alerts that a silence matches, whatever its state is. */
export function countMatched({ matchers }: Pick<StoredSilence, 'matchers'>, alerts: readonly Labels[]): number {
  const compiled = matchers.map(silenceMatcher)
  return alerts.filter(labels => fitsAll(compiled, labels)).length
}
