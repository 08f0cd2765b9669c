import { iamScopes } from '../../domain/iam/access-scopes.ts'
import { iamCollections, iamHandlers, iamProcedures, resolveIam, startIam } from '../../domain/iam/area.ts'
import { iamForms } from '../../domain/iam/forms.ts'
import type { IamEnvironment } from '../../domain/iam/interfaces/iam-environment.ts'
import { accessHooks } from '../../domain/iam/tree-changes.ts'
import { iamArea as generated, type IamArea } from '../../output/iam/area.ts'
import { catalogue } from '../access/catalogue.ts'
import { area, type AreaModule } from '../area.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import type { IamServices } from '../access/iam-services.ts'
import { iamSettings } from './settings.ts'

/**
 * The area of iam: principals, roles, bindings, policies and tokens. The area can be mounted only if `openIam` guards
 * the platform.
 */
export const iamArea: AreaModule = area({
  generated,
  collections: iamCollections,
  settings: iamSettings,
  isSecret: true,
  settlesItself: true,
  scopes: iamScopes,
  forms: () => iamForms(catalogue),
  resolve: resolveIam,
  handlers(parts) {
    const services = servicesOf(parts)
    const own = { ...parts, ...services }
    services.mounted(own)
    return iamHandlers(own, services.accessTokens)
  },
  procedures: parts => iamProcedures(partsOf(parts)),
  hooks: parts => accessHooks(partsOf(parts)),
  start: startIam(catalogue),
})

const partsOf = (parts: AreaEnvironment<IamArea>): IamEnvironment => ({ ...parts, ...servicesOf(parts) })

function servicesOf({ guard }: Pick<AreaEnvironment<IamArea>, 'guard'>): IamServices {
  if (guard) return guard
  throw new Error('the area of iam is mounted where nothing of it guards the platform')
}
