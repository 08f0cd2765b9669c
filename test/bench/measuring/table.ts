/** Prints a group of figures: each beside the first, which the others are compared with. */
export function printGroup(title: string, rows: readonly (readonly [name: string, nanoseconds: number])[]): void {
  const [, base = Number.NaN] = rows[0] ?? []
  console.log(`\n${title}`)
  for (const [name, nanoseconds] of rows) {
    console.log(`  ${name.padEnd(52)}${shown(nanoseconds).padStart(12)}${ratio(nanoseconds / base).padStart(12)}`)
  }
}

function shown(nanoseconds: number): string {
  return nanoseconds < 2000 ? `${nanoseconds.toFixed(0)} ns` : `${(nanoseconds / 1000).toFixed(1)} us`
}

const ratio = (times: number): string => `${times.toFixed(2)} x`
