import { expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { randomMutations } from '../../../areas/random-mutations.ts'
import { patient } from '../patient.ts'
import { tenantSecrets } from '../tenant-secrets.ts'
import { randomCertificates } from './random-certificates.ts'

/** The number of mutations. For ten thousand: `NINEFOLD_MUTATIONS=10000 npx vitest run certificates/mutations`. */
const count = Number(process.env['NINEFOLD_MUTATIONS'] ?? 200)

it(
  'random mutations of authorities, templates and certificates end as a model predicts, and the doctor finds nothing',
  { timeout: 120_000 + count * 200 },
  async () => {
    const { admin, organisation, platform, workspace } = await tenantSecrets()
    const { api } = patient(platform, admin)
    const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: organisation } as const
    const quota = 'vault.certificateAuthorities'
    await api.taxonomy.createQuotaOverride({ quota, body: { ...scope, limit: 100_000 } })
    const { differences, kinds } = randomCertificates(api, workspace)
    const outcomes = await randomMutations({ seed: 22, count, api, make: () => kinds })
    const done = [...outcomes.keys()].filter(key => key.endsWith(': DONE'))
    expect(done.toSorted()).toEqual(
      ['authority', 'certificate', 'template'].flatMap(kind =>
        ['create', 'delete', 'update'].map(verb => `${kind} ${verb}: DONE`),
      ),
    )
    expect(await differences()).toEqual([])
    expect(await doctorFindings(platform.config)).toEqual([])
  },
)
