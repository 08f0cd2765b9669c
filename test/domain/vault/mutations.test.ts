import { expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../areas/random-mutations.ts'
import { randomSecrets } from './random-secrets.ts'
import { tenantSecrets } from './tenant-secrets.ts'

it(
  'the doctor finds nothing after random mutations of secrets',
  { timeout: 120_000 + mutationCount * 100 },
  async () => {
    const { admin, platform, workspace } = await tenantSecrets()
    const make = (api: Ninefold) => [randomSecrets(api, workspace)]
    const outcomes = await randomMutations({ seed: 21, count: mutationCount, api: admin.api, make })
    const done = [...outcomes.keys()].filter(key => key.endsWith(': DONE'))
    expect(done.toSorted()).toEqual(['secret create: DONE', 'secret delete: DONE', 'secret update: DONE'])
    expect(await doctorFindings(platform.config)).toEqual([])
  },
)
