import type { MetricQueryResponse } from '../../../../output/observability/types.ts'
import { QueryFaults } from '../../../../domain/observability/promql/language/faults.ts'
import type { LabelledWorkspace } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { labelsOf, listOf, MalformedResult, pointOf, recordOf } from './result-values.ts'

/** The result of a query without its cost. */
export type MetricResult = Pick<MetricQueryResponse, 'matrix' | 'result_type' | 'scalar' | 'string' | 'vector'>

/**
 * Returns the result in `data` of a query of Prometheus. Throws MalformedResult for another value, and
 * QUERY_FEATURE_UNSUPPORTED for native histograms, for which answers have no place.
 */
export function metricResult(data: unknown, workspace: LabelledWorkspace): MetricResult {
  const { result, resultType } = recordOf(data)
  switch (resultType) {
    case 'vector': {
      const vector = listOf(result).map(each => {
        const { metric, value } = elementOf(each)
        return { metric: labelsOf(metric, workspace), ...pointOf(value) }
      })
      return { matrix: [], result_type: 'OBSERVABILITY_RESULT_TYPE_VECTOR', vector }
    }
    case 'matrix': {
      const matrix = listOf(result).map(each => {
        const { metric, values } = elementOf(each)
        return { metric: labelsOf(metric, workspace), points: listOf(values).map(value => pointOf(value)) }
      })
      return { vector: [], result_type: 'OBSERVABILITY_RESULT_TYPE_MATRIX', matrix }
    }
    case 'scalar':
      return { vector: [], matrix: [], result_type: 'OBSERVABILITY_RESULT_TYPE_SCALAR', scalar: pointOf(result) }
    case 'string':
      return { vector: [], matrix: [], result_type: 'OBSERVABILITY_RESULT_TYPE_STRING', string: pointOf(result, true) }
    default:
      throw new MalformedResult()
  }
}

/** Returns an element of a result, which has no native histograms. */
function elementOf(value: unknown): Readonly<Record<string, unknown>> {
  const element = recordOf(value)
  const isHistogram = element['histogram'] !== undefined || element['histograms'] !== undefined
  if (isHistogram) throw new QueryFaults('query').unsupported(0, 'native histograms')
  return element
}
