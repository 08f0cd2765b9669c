/** The largest difference between the clocks of the platform and of a store that is expected, in milliseconds. */
const mostMs = 60_000

/** Whether an object that a store has written at a time may have been written since a time of the platform. */
export const isSince = ({ modifiedMs }: { readonly modifiedMs: number }, time: string): boolean =>
  modifiedMs + mostMs >= Date.parse(time)
