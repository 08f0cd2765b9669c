/** Returns the CPU time of this thread in milliseconds. Unlike a time on the clock, it does not depend on other programs. */
export function threadCpuMs(): number {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Returns the CPU time of all threads of this process in seconds. */
export function processCpuSeconds(): number {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000_000
}
