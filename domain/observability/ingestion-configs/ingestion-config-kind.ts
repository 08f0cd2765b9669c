import { ingestionConfigNotFound } from '../../../output/observability/errors.ts'
import { ingestionConfigFields } from '../../../output/observability/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { ingestionConfigCollection } from './ingestion-configs-store.ts'

/** The kind of ingestion configs. */
export const ingestionConfigKind = defineKind({
  type: 'observability.ingestionConfigs',
  noun: 'ingestion config',
  collection: ingestionConfigCollection,
  fields: ingestionConfigFields,
  notFound: ingestionConfigNotFound,
})
