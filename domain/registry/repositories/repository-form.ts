import type { RepositoryUpdate } from '../../../output/registry/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { placeFaults } from '../../resources/place-form.ts'

/** The rules for the bodies of repositories beyond their schemas (step 5). */
export const repositoryForm: readonly FormRule[] = [
  rulesOf<RepositoryUpdate>()(['region', 'multi_region'], placeFaults),
]
