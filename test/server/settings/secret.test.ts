import { inspect } from 'node:util'
import { expect, expectTypeOf, it } from 'vitest'
import { listOf } from '../../../server/settings/lists.ts'
import { object } from '../../../server/settings/objects.ts'
import { secret, type Secret } from '../../../server/settings/secret.ts'
import { text } from '../../../server/settings/scalars.ts'
import type { Setting } from '../../../server/settings/setting.ts'
import { configOf, declaring, faultsOf, valuesOf } from './reading.ts'

const key = secret({ words: 'must be 7 letters', allows: value => /^[a-z0-9]{7}$/.test(value) })

it('a secret is readable for code that requests it, and hidden in every output of values', () => {
  const config = configOf(declaring(key), { file: { 'depot.part': 'hunter2' } })
  const part = valuesOf(declaring(key), { environment: { NINEFOLD_DEPOT_PART: 'hunter2' } })['depot.part']
  expect(part?.reveal()).toBe('hunter2')
  const whole = { depth: null, showHidden: true }
  const shown = [`${part}`, String(part), JSON.stringify({ part }), inspect(part, whole), inspect(config, whole)]
  for (const each of [...shown, JSON.stringify(config)]) expect(each).not.toContain('hunter2')
  expect(JSON.stringify({ part })).toBe('{"part":"[secret]"}')
})

it('a refused secret stays hidden, even within another value', () => {
  const scanners = listOf(object({ name: text(), authorization: key }), { uniqueBy: 'name' })
  const faulty = [
    { name: 'a', authorization: 'hunter22' },
    { name: 'a', authorization: ['hunter2'] },
    { name: 'b', authorisation: 'hunter2' },
  ]
  const faults = [
    '[0].authorization must be 7 letters',
    '[1].authorization must be 7 letters',
    '[2] has no member "authorisation" (did you mean "authorization"?)',
    '[2].authorization is required',
  ]
  expect(faultsOf(declaring(scanners), { file: { depot: { part: faulty } } })).toEqual(
    faults.map(fault => `ninefold.json: depot.part${fault}`),
  )
  const environment = { NINEFOLD_DEPOT_PART: '[{"authorization": hunter2}]' }
  expect(faultsOf(declaring(scanners), { environment })).toEqual([
    'environment: NINEFOLD_DEPOT_PART must hold JSON: unexpected character at line 1, column 20',
  ])
})

it.each(['', ' ', null, {}])('a secret is not %j', part => {
  expect(faultsOf(declaring(secret()), { file: { 'depot.part': part } })).toEqual([
    'ninefold.json: depot.part must be a text that is not empty',
  ])
})

it('a secret has a type of its own, which cannot identify items of a list', () => {
  expectTypeOf(key).toEqualTypeOf<Setting<Secret, 'required'>>()
  expectTypeOf<Secret>().not.toExtend<string>()
  // @ts-expect-error a message about a duplicate would show the secret
  listOf(object({ key }), { uniqueBy: 'key' })
})
