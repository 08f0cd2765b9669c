import type { AreaStatus } from './status.ts'

const lineWidth = 100

/** Returns the lines of the status for people: the remaining operations by area and resource, then a summary. */
export function printStatus(areas: readonly AreaStatus[]): readonly string[] {
  const all = totalOf(areas)
  const summary = `${counted(all.operations, 'operation')} in ${counted(areas.length, 'area')}: ${all.built} built, ${all.left} left`
  return [...areas.flatMap(printArea), summary]
}

/** Returns the status for programs, as one JSON document. */
export function jsonStatus(areas: readonly AreaStatus[]): string {
  const detailed = areas.map(status => ({ area: status.area, ...totalOf([status]), resources: status.resources }))
  return JSON.stringify({ ...totalOf(areas), areas: detailed }, undefined, 2)
}

interface Total {
  readonly operations: number
  readonly built: number
  readonly left: number
}

function totalOf(areas: readonly AreaStatus[]): Total {
  const resources = areas.flatMap(area => area.resources)
  const built = resources.reduce((sum, resource) => sum + resource.built.length, 0)
  const left = resources.reduce((sum, resource) => sum + resource.left.length, 0)
  return { operations: built + left, built, left }
}

function printArea(status: AreaStatus): readonly string[] {
  const { operations, left } = totalOf([status])
  if (left === 0) return [`${status.area}: all of ${counted(operations, 'operation')} built`, '']
  const unfinished = status.resources.filter(resource => resource.left.length > 0)
  const width = Math.max(...unfinished.map(({ resource }) => resource.length))
  const rows = unfinished.flatMap(({ resource, built, left }) => {
    const share = `${left.length} of ${built.length + left.length}`
    return wrapped(`  ${resource.padEnd(width)}  ${share.padEnd(8)}  `, left)
  })
  return [`${status.area}: ${left} of ${counted(operations, 'operation')} left`, ...rows, '']
}

/** Returns lines with the words after a head; further lines are indented by the width of the head. */
function wrapped(head: string, words: readonly string[]): readonly string[] {
  const rows: string[] = []
  for (const word of words) {
    const row = rows.at(-1)
    if (row === undefined || head.length + row.length + 1 + word.length > lineWidth) rows.push(word)
    else rows[rows.length - 1] = `${row} ${word}`
  }
  return rows.map((row, i) => (i === 0 ? head : ' '.repeat(head.length)) + row)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
