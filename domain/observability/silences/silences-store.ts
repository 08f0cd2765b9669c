import { silenceNotFound } from '../../../output/observability/errors.ts'
import { silencesList } from '../../../output/observability/filters.ts'
import type { ParsedSilenceMatcher, Silence } from '../../../output/observability/types.ts'
import type { Collection } from '../../ports/store.ts'
import { defineKind } from '../../resources/kind.ts'
import type { StateTable } from '../../resources/states.ts'
import { silenceStates } from './state-at.ts'

/** The row of a silence. Its answer has the state at the time of the read, and the number of alerts that match then. */
export interface StoredSilence extends Omit<Silence, 'matched_alert_count' | 'matchers'> {
  readonly matchers: ParsedSilenceMatcher[]
  readonly workspace_id: string
  readonly start_time: string
  readonly update_time: string
}

/** The silences of all workspaces. */
export const silenceCollection: Collection<StoredSilence> = {
  name: 'observability_silences',
  id: 'id',
  list: silencesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING' },
  indexes: [['end_time']],
}

/** The order of silences by their ends. */
export const byEnd = [
  ['end_time', 'TIMESTAMP'],
  ['id', 'STRING'],
] as const

const states: StateTable<StoredSilence> = {
  member: 'state',
  // The deletion of an expired silence changes nothing, and is allowed.
  transitions: { delete: { type: 'DELETE', from: Object.values(silenceStates) } },
  invalid: (message, _fault, { resource }) => silenceNotFound(message, { resource }),
}

/** The kind of silences, which hold for all engines of their workspace. */
export const silenceKind = defineKind({
  type: 'observability.silences',
  noun: 'silence',
  collection: silenceCollection,
  notFound: silenceNotFound,
  states,
  isHolding: false,
})
