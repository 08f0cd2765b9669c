import type { Catalogue } from '../../domain/iam/interfaces/catalogue.ts'
import { catalogueOf } from '../../domain/iam/decisions/catalogue-of.ts'
import { computePermissions } from '../../output/compute/permissions.ts'
import { iamPermissions } from '../../output/iam/permissions.ts'
import { networkPermissions } from '../../output/network/permissions.ts'
import { observabilityPermissions } from '../../output/observability/permissions.ts'
import { permissionBits } from '../../output/permission-bits.ts'
import { registryPermissions } from '../../output/registry/permissions.ts'
import { storagePermissions } from '../../output/storage/permissions.ts'
import { taxonomyPermissions } from '../../output/taxonomy/permissions.ts'
import { topologyPermissions } from '../../output/topology/permissions.ts'
import { vaultPermissions } from '../../output/vault/permissions.ts'

/** The permissions that each of the nine areas declares. */
export const areaPermissions = [
  computePermissions,
  iamPermissions,
  networkPermissions,
  observabilityPermissions,
  registryPermissions,
  storagePermissions,
  taxonomyPermissions,
  topologyPermissions,
  vaultPermissions,
] as const

/** The catalogue of all permissions of the nine areas. */
export const catalogue: Catalogue = catalogueOf(areaPermissions, permissionBits)
