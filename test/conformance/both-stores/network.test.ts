import { proveDocument } from '../documented.ts'

await proveDocument('network', {
  createQuotaLimit: ({ workspace }) => ({
    scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE',
    scope_id: workspace,
    dimensions: { region: 'local1' },
    limit: 7,
  }),
})
