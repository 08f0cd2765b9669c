import { expect, it } from 'vitest'
import { addMember, roleAt } from '../../areas/members.ts'
import { recordedActivities } from '../../areas/activities.ts'
import { formsOf, storedBy } from './stored-texts.ts'
import { base64, tenantSecrets } from './tenant-secrets.ts'

it('200 known payloads are found nowhere: neither in the store, nor in the log, activities, operations or errors', async () => {
  const { add, admin, at, create, platform, read, workspace } = await tenantSecrets()
  const payloads = Array.from({ length: 200 }, (_, i) => `known-payload-"${i}"-of-the-shop`)
  const { vault } = admin.api
  const secrets = await Promise.all(['one', 'two', 'three', 'four'].map(name => create(name)))
  const errors: string[] = []
  for (const [i, payload] of payloads.entries()) {
    const secret = secrets[i % secrets.length] ?? ''
    const body = { payload: { data: base64(payload), data_crc32c: i % 5 === 0 ? 1 : undefined } }
    const request = { ...at, secret, 'Idempotency-Key': `key-${i}`, body: JSON.parse(JSON.stringify(body)) }
    await vault.addSecretVersion(request).catch((error: unknown) => void errors.push(JSON.stringify(error)))
  }
  for (const secret of secrets) await read(secret, 'latest')
  const viewer = await addMember(platform, admin.api, {
    email: 'viewer@acme.test',
    grants: [roleAt('workspace-viewer', 'WORKSPACE', workspace)],
  })
  const denied = { ...at, secret: secrets[0] ?? '', body: { payload: { data: base64(payloads[0] ?? '') } } }
  await viewer.api.vault.addSecretVersion(denied).catch((error: unknown) => void errors.push(JSON.stringify(error)))
  await add(secrets[1] ?? '', payloads[1] ?? '')
  expect(errors).toHaveLength(41)
  const lists = await Promise.all([
    vault.listOperations({ page_size: 100 }),
    vault.listSecrets(at),
    ...secrets.map(secret => vault.listSecretVersions({ ...at, secret, page_size: 100 })),
  ])
  const haystacks = {
    store: await storedBy(platform.config),
    log: platform.lines.join('\n'),
    activities: JSON.stringify(await recordedActivities(platform.config)),
    answers: JSON.stringify(lists),
    errors: errors.join('\n'),
  }
  for (const [place, text] of Object.entries(haystacks)) {
    const found = payloads.filter(payload => formsOf(payload).some(form => text.includes(form)))
    expect([place, found]).toEqual([place, []])
  }
  expect(haystacks.store).toContain(secrets[0])
})

it('each read of a payload is recorded with the caller, the version and the call, before the answer', async () => {
  const { add, admin, create, platform, read } = await tenantSecrets()
  const secret = await create('database-password')
  await add(secret, 'one')
  const before = (await recordedActivities(platform.config)).length
  await Promise.all(Array.from({ length: 30 }, () => read(secret, 'latest')))
  const reads = (await recordedActivities(platform.config)).slice(before)
  expect(reads).toHaveLength(30)
  expect(reads[0]).toMatchObject({
    category: 'DATA_READ',
    area: 'vault',
    action: 'getSecretVersion',
    permission: 'vault.secretVersions.access',
    resource_type: 'vault.secretVersions',
    resource_id: `${secret}/versions/1`,
    principal_id: admin.id,
    outcome: 'SUCCEEDED',
  })
})
