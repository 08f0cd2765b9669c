import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemOrganisationId } from '../../../domain/ports/reserved.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { dataFolder, type Served, startServer } from '../served.ts'

const folder = dataFolder()
let server: Served
let client: TaxonomyClient

beforeAll(async () => {
  server = await startServer(folder.path)
  client = new TaxonomyClient(server.transport)
})
afterAll(async () => {
  await server.end('SIGINT')
  folder.remove()
})

describe('organisations', () => {
  it('are created with their defaults, and can be read before the response arrives', async () => {
    const operation = await client.createOrganisation({ body: { name: 'acme', labels: { tier: 'gold' } } })
    expect(operation).toMatchObject({
      operation_type: 'TAXONOMY_OPERATION_TYPE_CREATE',
      resource_type: 'taxonomy.organisations',
      scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION',
      scope_id: operation.resource_id,
    })
    const acme = await client.getOrganisation({ id: operation.resource_id })
    expect(acme).toMatchObject({
      name: 'acme',
      display_name: '',
      description: '',
      contact_email: '',
      labels: { tier: 'gold' },
      state: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
      effective_state: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
      effective_state_source: { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: acme.id },
      group_count: 0,
      workspace_count: 0,
    })
    expect(acme.create_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await client.getOperation({ id: operation.id })).toEqual(operation)
    expect(await client.waitOperation(operation)).toEqual(operation)
  })

  it('have unique names', async () => {
    await client.createOrganisation({ body: { name: 'taken' } })
    await expect(client.createOrganisation({ body: { name: 'taken' } })).rejects.toMatchObject({
      reason: 'ORGANISATION_ALREADY_EXISTS',
      code: 7001002,
      response: { status: 409 },
    })
  })

  it('change by mask, lose omitted fields, and keep immutable fields', async () => {
    const { resource_id: id } = await client.createOrganisation({
      body: { name: 'patched', display_name: 'One', description: 'first', labels: { a: '1' } },
    })
    await client.updateOrganisation({ id, update_mask: 'display_name', body: { display_name: 'Two' } })
    expect(await client.getOrganisation({ id })).toMatchObject({ display_name: 'Two', description: 'first' })
    await client.updateOrganisation({ id, body: { name: 'patched', labels: { b: '2' } } })
    expect(await client.getOrganisation({ id })).toMatchObject({
      display_name: '',
      description: '',
      labels: { b: '2' },
    })
    await expect(client.updateOrganisation({ id, body: { name: 'renamed' } })).rejects.toMatchObject({
      reason: 'FIELD_IMMUTABLE',
      details: { badRequest: [{ field: 'name' }] },
    })
  })

  it('are filtered by labels and states and ordered by any declared field', async () => {
    for (const name of ['sorted-a', 'sorted-b', 'sorted-c']) {
      await client.createOrganisation({ body: { name, labels: { set: 'sorted' } } })
    }
    const { organisations } = await client.listOrganisations({
      filter: 'labels.set = sorted AND state = TAXONOMY_LIFECYCLE_STATE_ACTIVE',
      order_by: 'name desc',
    })
    expect(organisations.map(({ name }) => name)).toEqual(['sorted-c', 'sorted-b', 'sorted-a'])
  })

  it('can be deleted only when archived, except the organisation of the platform', async () => {
    const { resource_id: id } = await client.createOrganisation({ body: { name: 'living' } })
    await expect(client.deleteOrganisation({ id })).rejects.toMatchObject({
      reason: 'ORGANISATION_STATE_INVALID',
      metadata: {
        current_state: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
        allowed_states: 'TAXONOMY_LIFECYCLE_STATE_ARCHIVED',
      },
    })
    await expect(client.deleteOrganisation({ id: systemOrganisationId })).rejects.toMatchObject({
      reason: 'ORGANISATION_STATE_INVALID',
      metadata: { allowed_states: '' },
    })
  })

  it('can get an existing owner', async () => {
    const owner_principal_id = '01990000-0000-7000-8000-000000000000'
    await expect(client.createOrganisation({ body: { name: 'owned', owner_principal_id } })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'owner_principal_id' }] },
    })
  })
})

describe('calls', () => {
  it('with one Idempotency-Key have one effect and equal responses, even concurrently', async () => {
    const body = { name: 'idempotent' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.createOrganisation({ body }, { idempotencyKey: 'k-1' })),
    )
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    await expect(
      client.createOrganisation({ body: { name: 'other' } }, { idempotencyKey: 'k-1' }),
    ).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' })
  })

  it('report all faults of a body together', async () => {
    const body = { name: 'Not A Name', display_name: 'x'.repeat(129), labels: { UPPER: 'v' } }
    await expect(client.createOrganisation({ body })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'name' }, { field: 'display_name' }, { field: 'labels.UPPER' }] },
    })
  })

  it.each([
    ['page_token', { page_token: 'nonsense' }, 'PAGE_TOKEN_INVALID'],
    ['filter', { filter: 'colour = red' }, 'FILTER_INVALID'],
    ['order_by', { order_by: 'colour' }, 'ORDER_BY_INVALID'],
    ['page_size', { page_size: -1 }, 'FIELD_INVALID'],
  ])('refuse a wrong %s with its own reason', async (field, request, reason) => {
    await expect(client.listOrganisations(request)).rejects.toMatchObject({
      reason,
      details: { badRequest: [{ field }] },
    })
  })

  it('refuse a page token of another query', async () => {
    const { next_page_token } = await client.listOrganisations({ page_size: 1 })
    expect(next_page_token).not.toBe('')
    await expect(client.listOrganisations({ page_size: 2, page_token: next_page_token })).rejects.toMatchObject({
      reason: 'PAGE_TOKEN_INVALID',
    })
  })

  it('without a token, or with another token, are refused', async () => {
    const anonymous = new TaxonomyClient(createTransport({ baseUrl: server.url }))
    await expect(anonymous.listQuotas()).rejects.toMatchObject({ reason: 'TOKEN_MISSING', code: 2000101 })
    const stranger = new TaxonomyClient(createTransport({ baseUrl: server.url, token: 'stranger' }))
    await expect(stranger.listQuotas()).rejects.toMatchObject({ reason: 'TOKEN_INVALID', code: 2000102 })
  })

  it('have no token, body or query in the log', () => {
    const log = server.output.join('\n')
    expect(log).toContain('createOrganisation')
    for (const secret of [server.token, 'Not A Name', 'colour', 'labels.set']) expect(log).not.toContain(secret)
  })
})
