import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import type { WalkedOptions } from '../../areas/kill/serve-walked.ts'

/** The areas that repositories and the rules about them need. */
export const walkedAreas: readonly AreaModule[] = areas.filter(({ domain }) =>
  ['taxonomy', 'topology', 'registry'].includes(domain.name),
)

/** The options of a walked server: the calls that change repositories and the rules about them. */
export const walkedSettings: WalkedOptions = {
  given: new GivenSettings(),
  calls: [
    'createRepository',
    'updateRepository',
    'deleteRepository',
    'createRepositoryAccessPolicy',
    'createPullGrant',
    'deletePullGrant',
    'createQuotaLimit',
    'updateQuotaLimit',
    'createRetentionPolicy',
    'updateRetentionPolicy',
    'deleteRetentionPolicy',
  ],
  workers: [],
}
