import { logSinkNotFound } from '../../../output/observability/errors.ts'
import { logSinkFields } from '../../../output/observability/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { logSinkCollection } from './log-sinks-store.ts'

/** The kind of log sinks. */
export const logSinkKind = defineKind({
  type: 'observability.logSinks',
  noun: 'log sink',
  collection: logSinkCollection,
  fields: logSinkFields,
  notFound: logSinkNotFound,
})
