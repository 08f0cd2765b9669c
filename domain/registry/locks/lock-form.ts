import type { DeploymentLockUpdate } from '../../../output/registry/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { machineType } from './lock-kind.ts'

/** The rules for the bodies of deployment locks beyond their schemas (step 5). */
export const lockForm: readonly FormRule[] = [
  rulesOf<DeploymentLockUpdate>()(['holder'], function* ({ holder }) {
    if (holder?.type === machineType)
      yield { field: 'holder.type', description: `cannot be ${machineType}, whose locks the platform makes itself` }
  }),
]
