import { expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../../areas/random-mutations.ts'
import { randomCapsules } from '../random-capsules.ts'
import { randomKeys } from '../random-keys.ts'
import { randomSecrets } from '../random-secrets.ts'
import { tenantSecrets } from '../tenant-secrets.ts'

/** The first numbers of the random sequences; `NINEFOLD_MUTATIONS` sets the length of each. */
const seeds = [21]

it.each(seeds)(
  'random mutations of secrets, keys and capsules end as a model predicts, and the doctor finds nothing (seed %i)',
  { timeout: 120_000 + mutationCount * 100 },
  async seed => {
    const { admin, platform, workspace } = await tenantSecrets()
    const keys = randomKeys(admin.api, workspace)
    const make = (api: Ninefold) => [
      randomSecrets(api, workspace),
      keys.kind,
      randomCapsules(api, platform.as(), workspace),
    ]
    const outcomes = await randomMutations({ seed, count: mutationCount, api: admin.api, make })
    const done = [...outcomes.keys()].filter(key => key.endsWith(': DONE'))
    expect(done.toSorted()).toEqual(
      ['capsule', 'key', 'secret'].flatMap(kind => ['create', 'delete', 'update'].map(verb => `${kind} ${verb}: DONE`)),
    )
    expect(await keys.differences()).toEqual([])
    expect(await doctorFindings(platform.config)).toEqual([])
  },
)
