import { iamScopes } from '../../domain/iam/access-scopes.ts'
import { iamArea as iamRoutesOf, iamCollections, iamProcedures, startIam } from '../../domain/iam/area.ts'
import type { IamParts } from '../../domain/iam/parts.ts'
import { accessHooks } from '../../domain/iam/tree-changes.ts'
import { iam } from '../../output/iam/errors.ts'
import { operationsList } from '../../output/iam/filters.ts'
import type { IamOperation } from '../../output/iam/types.ts'
import { checkIamOperation } from '../../output/iam/validators.ts'
import { catalogue } from '../access/catalogue.ts'
import { area, type AreaModule, type AreaParts } from '../area.ts'
import type { IamServices } from './services.ts'

/** Who may do what: principals, roles, bindings, policies and tokens. Mounted where `openIam` guards the platform. */
export const iamArea: AreaModule = area<IamOperation>({
  domain: iam,
  collections: iamCollections,
  operations: { list: operationsList, check: checkIamOperation },
  scopes: iamScopes,
  routes(parts) {
    const services = servicesOf(parts)
    const own = { ...parts, ...services }
    services.mounted(own)
    return iamRoutesOf(own, services.accessTokens)
  },
  procedures: parts => iamProcedures(partsOf(parts)),
  hooks: parts => accessHooks(partsOf(parts)),
  start: startIam(catalogue),
})

const partsOf = (parts: AreaParts<IamOperation>): IamParts => ({ ...parts, ...servicesOf(parts) })

function servicesOf({ iam: services }: AreaParts<IamOperation>): IamServices {
  if (services) return services
  throw new Error('the area of iam is mounted where nothing of it guards the platform')
}
