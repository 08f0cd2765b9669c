import { quartiles } from './rounds.ts'

/** Prints a group of figures, each with its ratio to the first figure. */
export function printGroup(title: string, rows: readonly (readonly [name: string, nanoseconds: number])[]): void {
  const [, base = Number.NaN] = rows[0] ?? []
  console.log(`\n${title}`)
  for (const [name, nanoseconds] of rows) {
    console.log(`  ${name.padEnd(52)}${shown(nanoseconds).padStart(12)}${ratio(nanoseconds / base).padStart(12)}`)
  }
}

/** Prints a group of figures of many rounds: the median of each, and its quartiles. */
export function printSpreads(
  title: string,
  rows: readonly (readonly [name: string, rounds: readonly number[]])[],
): void {
  console.log(`\n${title}`)
  for (const [name, rounds] of rows) {
    const [lower, middle, upper] = quartiles(rounds)
    console.log(`  ${name.padEnd(52)}${shown(middle).padStart(12)}    ${shown(lower)} to ${shown(upper)}`)
  }
}

/** Prints the ratio of two figures, computed round by round: its median and quartiles. */
export function printRatio(name: string, rounds: readonly number[], base: readonly number[]): void {
  const [lower, middle, upper] = quartiles(rounds.map((time, i) => time / (base[i] ?? Number.NaN)))
  console.log(`  ${name.padEnd(52)}${ratio(middle).padStart(12)}    ${ratio(lower)} to ${ratio(upper)}`)
}

function shown(nanoseconds: number): string {
  return nanoseconds < 2000 ? `${nanoseconds.toFixed(0)} ns` : `${(nanoseconds / 1000).toFixed(1)} us`
}

const ratio = (times: number): string => `${times.toFixed(2)} x`
