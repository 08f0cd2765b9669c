/** The changes that `sim.fail` can let fail. */
export type FailingChange = 'provision' | 'start' | 'stop' | 'suspend' | 'resume' | 'update'

/** The behaviour of a simulated machine that follows from its metadata (compute.md 6). */
export interface Steering {
  readonly ignoresAcpi: boolean
  /** The change that fails; undefined if the metadata name none. */
  readonly fails: string | undefined
  /** The time from each boot to a crash of the hypervisor, in milliseconds. */
  readonly crashAfterMs: number | undefined
  /** The time from each boot to a shutdown by the guest, in milliseconds. */
  readonly guestShutdownAfterMs: number | undefined
}

/** Returns the behaviour that the metadata keys `sim.*` request. A value without a meaning counts as absent. */
export const steeringOf = (metadata: Readonly<Record<string, string>>): Steering => ({
  ignoresAcpi: metadata['sim.ignore-acpi'] === 'true',
  fails: metadata['sim.fail'],
  crashAfterMs: millis(metadata['sim.crash-after-ms']),
  guestShutdownAfterMs: millis(metadata['sim.guest-shutdown-after-ms']),
})

/** Returns a number of at most 11 digits, which is three years, so that sums with the present time stay exact. */
const millis = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) : undefined
