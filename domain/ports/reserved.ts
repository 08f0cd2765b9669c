/** Identifiers that are the same on every installation (conventions §3). */

/** The platform's own work is done by this principal. */
export const systemPrincipalId = '00000000-0000-7000-8000-000000000001'

/** The organisation `ninefold-system`, made at first start. */
export const systemOrganisationId = '00000000-0000-7000-8000-000000000002'

/** Its workspace `platform`, which holds the platform's own secrets and telemetry. */
export const platformWorkspaceId = '00000000-0000-7000-8000-000000000003'
