import { catalogueOf } from '../../../domain/iam/decisions/catalogue-of.ts'
import { permissionBits } from '../../../output/permission-bits.ts'
import { areaPermissions } from '../../../server/access/catalogue.ts'

/** A permission that there was once, as the catalogue keeps it. */
export const retiredKey = 'compute.vms.defrost'

/** The permissions of the nine areas, and the retired permission. */
export const testCatalogue = catalogueOf(areaPermissions, [...permissionBits, retiredKey])
