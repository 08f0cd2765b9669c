// Identifiers that are the same on every installation (conventions §3).

/** The id of the principal for the platform's own work. */
export const systemPrincipalId = '00000000-0000-7000-8000-000000000001'

/** The id of the organisation `ninefold-system`, which the first start creates. */
export const systemOrganisationId = '00000000-0000-7000-8000-000000000002'

/** The id of the workspace `platform` in `ninefold-system`, which contains the platform's own secrets and telemetry. */
export const platformWorkspaceId = '00000000-0000-7000-8000-000000000003'
