const text = { type: 'string', readOnly: true } as const
const time = { ...text, format: 'date-time' } as const
const own = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Returns the schemas of an area's operation records, keyed by name, as each document has them. */
export function operationSchemas(
  area: string,
  plural: string,
  types: readonly string[],
): Readonly<Record<string, object>> {
  const prefix = area.toUpperCase()
  const enumOf = (word: string, values: readonly string[]) => ({
    type: 'string',
    'x-unspecified': `${prefix}_${word}_UNSPECIFIED`,
    enum: ['UNSPECIFIED', ...values].map(each => `${prefix}_${word}_${each}`),
  })
  const properties = {
    id: text,
    resource_id: text,
    resource_type: text,
    operation_type: { allOf: [own('OperationType')], readOnly: true },
    status: { allOf: [own('OperationStatus')], readOnly: true },
    insert_time: time,
    start_time: time,
    end_time: time,
    errors: { type: 'array', readOnly: true, items: { $ref: 'common.yaml#/components/schemas/OperationError' } },
    warnings: { type: 'array', readOnly: true, items: { $ref: 'common.yaml#/components/schemas/OperationWarning' } },
    progress: { type: 'integer', format: 'int32', readOnly: true },
    scope_type: { allOf: [own('ScopeType')], readOnly: true },
    scope_id: text,
    principal_id: text,
    trace_id: text,
  }
  return {
    [`${area}Operation`]: {
      type: 'object',
      'x-resource': { type: `${plural}.operations`, plural: 'operations' },
      required: Object.keys(properties).filter(each => !['start_time', 'end_time'].includes(each)),
      properties,
    },
    OperationType: enumOf('OPERATION_TYPE', types),
    OperationStatus: enumOf('OPERATION_STATUS', ['PENDING', 'RUNNING', 'DONE', 'ERROR']),
    ScopeType: enumOf('SCOPE_TYPE', ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE']),
  }
}
