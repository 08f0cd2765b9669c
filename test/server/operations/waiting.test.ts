import { SubtreeQuotas } from '../../../domain/taxonomy/quotas/quotas.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { taxonomyArea } from '../../../output/taxonomy/area.ts'
import { describe, expect, it } from 'vitest'
import { again, done, failed, type Procedure } from '../../../domain/ports/procedures.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import { EffectiveQuotas } from '../../../domain/taxonomy/quotas/effective-quotas.ts'
import { FilterSchemas } from '../../../domain/taxonomy/filter-schemas.ts'
import { Groups } from '../../../domain/taxonomy/groups.ts'
import { TaxonomyOperations } from '../../../domain/taxonomy/operations.ts'
import { Organisations } from '../../../domain/taxonomy/organisations.ts'
import { quotaOverrideHandlers } from '../../../domain/taxonomy/quotas/quota-overrides.ts'
import { TreeReads } from '../../../domain/taxonomy/tree/tree-reads.ts'
import { Workspaces } from '../../../domain/taxonomy/workspaces.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { DeleteOrganisationRequest } from '../../../output/taxonomy/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { OperationFailed } from '../../../runtime/operations.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import { testServer } from '../http/harness.ts'
import { testFolder } from '../store/harness.ts'
import { within } from './harness.ts'
import { testToken } from '../access/test-access.ts'

/** Returns the taxonomy with its own routes, in which the deletion of an organisation runs `procedure`. */
function slowArea(procedure: Procedure<unknown>): AreaModule {
  return area({
    generated: taxonomyArea,
    collections: taxonomyCollections,
    functions: { taxonomy: taxonomyFunctions },
    needs: { required: ['iam'] },
    procedures: () => [procedure],
    handlers: parts => {
      const deleteOrganisation = ({ id }: DeleteOrganisationRequest, context: CallContext) =>
        parts.operations.mutate(context, { id }, async () => ({
          type: 'DELETE',
          resourceType: 'taxonomy.organisations',
          resourceId: id,
          scope: { type: 'ORGANISATION', id },
          procedure: { kind: procedure.kind, input: { id } },
        }))
      return {
        organisations: Object.assign(new Organisations(parts), { deleteOrganisation }),
        groups: new Groups(parts, new TreeReads(parts.store)),
        workspaces: new Workspaces(parts, new TreeReads(parts.store)),
        effectiveQuotas: new EffectiveQuotas(parts),
        quotas: new SubtreeQuotas(parts),
        quotaOverrides: quotaOverrideHandlers(parts),
        operations: new TaxonomyOperations(parts),
        filterSchemas: new FilterSchemas(),
      }
    },
  })
}

async function clientOf(procedure: Procedure<unknown>): Promise<TaxonomyClient> {
  const dataDir = testFolder()
  const { url } = await testServer([slowArea(procedure)], dataDir)
  const token = testToken
  return new TaxonomyClient(createTransport({ baseUrl: url, token }))
}

const id = '01900000-0000-7000-8000-00000000000a'

describe('a client', () => {
  it('gets PENDING, sees the progress, and waits for the end', async () => {
    let runs = 0
    let isReleased = false
    const client = await clientOf({
      kind: 'taxonomy.purge',
      steps: [
        {
          name: 'purge',
          run: async ({ progress, warn }) => {
            runs += 1
            progress(runs)
            if (runs === 1) warn({ code: 7_003_091, description: 'compute is away' })
            return isReleased ? done() : again(20)
          },
        },
      ],
    })
    const pending = await client.deleteOrganisation({ id }, { idempotencyKey: 'once' })
    expect(pending).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_PENDING', progress: 0, resource_id: id })
    await expect.poll(() => runs, within).toBeGreaterThan(3)
    const listed = await client.listOperations({ filter: 'status = TAXONOMY_OPERATION_STATUS_RUNNING' })
    expect(listed.operations).toMatchObject([{ id: pending.id, warnings: [{ code: 7_003_091 }] }])
    const again_ = await client.deleteOrganisation({ id }, { idempotencyKey: 'once' })
    expect(again_).toMatchObject({ id: pending.id, status: 'TAXONOMY_OPERATION_STATUS_RUNNING' })

    const seen: string[] = []
    const last = await client.waitOperation(pending, {
      onProgress: ({ status }) => {
        seen.push(status)
        isReleased = true
      },
    })
    expect(seen).toContain('TAXONOMY_OPERATION_STATUS_RUNNING')
    expect(last).toMatchObject({
      status: 'TAXONOMY_OPERATION_STATUS_DONE',
      progress: 100,
      trace_id: pending.trace_id,
      warnings: [{ code: 7_003_091, description: 'compute is away' }],
    })
  })

  it('gets the reason of a failed operation', async () => {
    const error = { code: 7_003_030, reason: 'LIFECYCLE_HOOK_FAILED', description: 'compute is away' } as const
    const client = await clientOf({
      kind: 'taxonomy.purge',
      steps: [{ name: 'purge', run: async () => failed(error) }],
    })
    const pending = await client.deleteOrganisation({ id })
    const thrown: unknown = await client.waitOperation(pending).catch((caught: unknown) => caught)
    expect(thrown).toBeInstanceOf(OperationFailed)
    expect(thrown).toMatchObject({ reason: 'LIFECYCLE_HOOK_FAILED', errors: [error] })
  })
})
