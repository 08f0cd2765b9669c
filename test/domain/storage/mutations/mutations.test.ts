import { expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { seeded } from '../../../areas/random.ts'
import { mutationCount } from '../../../areas/random-mutations.ts'
import { HeldLifecycle } from '../lifecycle/ruled-storage.ts'
import { patientApi } from '../patient-calls.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'
import { StorageMutations } from './storage-mutations.ts'

const limitBytes = 3000
const seed = 31

/** Compares the lists, the usages and the quotas with the model. */
async function compare({ at, workspace }: TenantStorage, organisation: string, made: StorageMutations): Promise<void> {
  const { storage, taxonomy } = made.api
  for (const [bucket, model] of made.buckets) {
    const path = { ...at, bucket }
    const listed: unknown[] = []
    for await (const { is_delete_marker, is_latest, name, size } of storage.iterateObjects({ ...path, versions: true }))
      listed.push([name, is_delete_marker, size, is_latest])
    const expected = [...model.objects.keys()]
      .toSorted()
      .flatMap(name => model.of(name).map(({ isMarker, size }, i) => [name, isMarker, size, i === 0]))
    expect(listed).toEqual(expected)
    const latest: unknown[] = []
    for await (const { name } of storage.iterateObjects(path)) latest.push(name)
    expect(latest).toEqual(expected.flatMap(([name, isMarker, , isLatest]) => (isLatest && !isMarker ? [name] : [])))
    const uploads: string[] = []
    for await (const { id } of storage.iterateMultipartUploads(path)) uploads.push(id)
    const { usage } = await storage.getBucket({ ...path, id: bucket })
    expect(uploads.toSorted()).toEqual(model.active.map(([id]) => id).toSorted())
    expect(usage).toMatchObject(model.usage)
  }
  const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: workspace } as const
  const usageOf = async (quota: string) =>
    (await taxonomy.getEffectiveQuota({ organisation, id: quota, ...scope })).usage
  expect([await usageOf('storage.bytes'), await usageOf('storage.buckets')]).toEqual([made.held, made.buckets.size])
}

it(
  'random mutations make the lists, usages and quotas of a naive model, and the doctor finds nothing',
  { timeout: 240_000 + mutationCount * 400 },
  async () => {
    const lifecycle = new HeldLifecycle()
    const tenant = await tenantStorage({}, { areas: lifecycle.areas })
    const { platform, workspace } = tenant
    const api = await patientApi(tenant)
    const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: workspace } as const
    await api.taxonomy.createQuotaOverride({ quota: 'storage.bytes', body: { ...scope, limit: limitBytes } })
    const organisation = (await api.taxonomy.listOrganisations({ filter: 'name=acme' })).organisations[0]?.id ?? ''
    const made = new StorageMutations(tenant, api, seeded(seed), { limitBytes, runRules: () => lifecycle.run() })
    for (let step = 1; step <= mutationCount; step += 1) {
      await made.step().catch((error: unknown) => {
        throw new Error(`step ${step} of seed ${seed}`, { cause: error })
      })
      if (step % 50 === 0) await compare(tenant, organisation, made)
      if (step % 500 !== 0) continue
      expect(await doctorFindings(platform.config)).toEqual([])
      made.api = await patientApi(tenant)
    }
    await compare(tenant, organisation, made)
    expect(await doctorFindings(platform.config)).toEqual([])
    expect(platform.lines.filter(line => line.includes('work of storage failed'))).toEqual([])
    if (mutationCount >= 1000)
      console.log([...made.outcomes].map(([outcome, count]) => `${count} x ${outcome}`).join('; '))
  },
)
