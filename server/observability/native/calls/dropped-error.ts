import { engineUnavailable } from '../../../../output/shared/errors.ts'

/** The error of a write to a workspace whose telemetry was deleted. */
export const droppedError = () =>
  engineUnavailable('the telemetry of the workspace was deleted', { retryAfterSeconds: 60 })
