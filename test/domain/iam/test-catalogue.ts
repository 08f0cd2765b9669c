import { catalogueOf } from '../../../domain/iam/decisions/catalogue-of.ts'
import { permissionBits } from '../../../output/permission-bits.ts'
import { areaPermissions } from '../../../server/access/catalogue.ts'

/** The key of a permission that no area declares any more, but that the catalogue keeps. */
export const retiredKey = 'compute.vms.defrost'

/** The permissions of the nine areas, and the retired permission. */
export const testCatalogue = catalogueOf(areaPermissions, [...permissionBits, retiredKey])
