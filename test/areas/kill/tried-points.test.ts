import { expect, it } from 'vitest'
import { triedPoints } from './tried-points.ts'

const points = ['c: begin', 'a: begin', 'b: commit 1', 'c: end', 'a: end', 'b: commit 2']

it.each([
  ['all', points],
  ['6', points],
  ['100', points],
  ['3', ['c: begin', 'b: commit 1', 'a: end']],
  ['1', ['c: begin']],
  ['1-2', ['a: begin', 'a: end']],
  ['3-9', ['b: commit 1', 'b: commit 2', 'c: begin', 'c: end']],
  ['commit', ['b: commit 1', 'b: commit 2']],
  ['a: end', ['a: end']],
])('of the points of a walk, %s names its part', (asked, tried) => {
  expect(triedPoints(points, asked)).toEqual(tried)
})

it.each(['7-9', 'd: begin', '0'])('a walk without a point of the name %s fails', asked => {
  expect(() => triedPoints(points, asked)).toThrow(`NINEFOLD_KILL_POINTS=${asked} names none`)
})
